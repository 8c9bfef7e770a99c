import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Tool } from '../tool.ts'
import { telecom } from './domain.ts'
import type { TelecomState } from './state.ts'
import { agent, args, changes, folder, newWorld, open, run, user } from './testing/world.ts'

describe('the base', () => {
  it('is untouched by any episode', () => {
    const hashes = () => [newWorld().hash(), newWorld().userHash()]
    const before = hashes()
    const world = open('break_vpn', 'break_apn_settings')
    agent(world, 'refuel_data', '{"customer_id": "C1", "line_id": "L1", "gb_amount": 1}')
    agent(world, 'suspend_line', '{"customer_id": "C1", "line_id": "L1", "reason": "test"}')
    expect(hashes()).toEqual(before)
  })

  it('is merged with initialization data and read anew', () => {
    const world = newWorld()
    const begin = (user: string) =>
      world.begin({ data: { assistant: null, user: args(user) }, actions: [], history: [] })
    begin('{"device": {"vpn_connected": true, "wifi_enabled": true, "wifi_connected": true, "wifi_ssid": "nest"}}')
    expect(changes(world)).toEqual([
      'replace /device/vpn_connected true',
      'replace /device/wifi_connected true',
      'replace /device/wifi_enabled true',
      'replace /device/wifi_ssid "nest"',
    ])
    expect(user(world, 'check_vpn_status')).toBe('VPN is ON and connected (no specific details available).')
    expect(user(world, 'check_wifi_status')).toBe("Wi-Fi is ON and connected to 'nest'. Signal strength: none.")
    expect(user(world, 'check_status_bar')).toContain('📡 Connected to nest | 🔒 VPN Connected')
    expect(user(world, 'check_network_status')).toMatch(/Wi-Fi Connected: Yes\nConnected Wi-Fi Network: nest$/)
    expect(() => run(world, 'user', 'break_vpn')).toThrow("'NoneType' object has no attribute 'server_performance'")
    begin('{"device": {"sim_card_status": "missing", "app_statuses": {"messaging": {"permissions": {"sms": false}}}}}')
    expect(user(world, 'check_app_permissions', '{"app_name": "messaging"}')).toMatch(/for: storage\.$/)
    expect(user(world, 'reseat_sim_card')).toBe('Error: ')
    expect(() => begin('{"device": {"battery_level": "full"}}')).toThrow('device.battery_level')
    expect(() => begin('{"surroundings": {"signal_strength": {"6G": "good"}}}')).toThrow(
      "surroundings.signal_strength.6G.[key]\n  Input should be 'none', '2G', '3G', '4G' or '5G' [type=enum,",
    )
  })

  it.each([
    ['db.toml', 'plans = [', /db\.toml:1 is not TOML: /],
    [
      'db.toml',
      '[[plans]]\nplan_id = 1',
      /db\.toml is not a TelecomDB: plans\.0\.plan_id: Input should be a valid string/,
    ],
    ['db.toml', '', /db\.toml is not a TelecomDB: it holds no lines/],
    ['user_db.toml', '[device]\nbattery = 1', /user_db\.toml is not a TelecomUserDB: device\.battery: Extra inputs/],
  ])('with a faulty %s is refused in one line', (name, content, message) => {
    const copy = mkdtempSync(join(tmpdir(), 'telecom-'))
    cpSync(folder, copy, { recursive: true })
    writeFileSync(join(copy, name), content)
    expect(() => telecom.load(copy)).toThrow(message)
    rmSync(join(copy, name))
    expect(() => telecom.load(copy)).toThrow(name)
    rmSync(copy, { recursive: true })
  })
})

describe('a call', () => {
  const sides = [
    { party: 'assistant', tools: [...telecom.tools.tools.values()] },
    { party: 'user', tools: [...telecom.userTools!.tools.values()] },
  ] as const
  const ids = ['C1', 'L1', 'B2', '555-700-0001', '4g_only', 'messaging', 'sms', { apn_name: 'broken' }, 2]
  const value = fc.oneof(fc.constantFrom(...ids), fc.jsonValue())
  const calls = fc
    .constantFrom(...sides)
    .chain(({ party, tools }) =>
      fc
        .constantFrom<Tool<TelecomState>>(...tools)
        .chain(({ name, parameters }) =>
          fc
            .record(Object.fromEntries(Object.keys(parameters).map((one) => [one, value])))
            .map((values) => ({ party, name, json: JSON.stringify(values) })),
        ),
    )

  it('is answered whatever its arguments, and leaves databases that can be hashed and merged', () => {
    fc.assert(
      fc.property(fc.array(calls, { maxLength: 30 }), (made) => {
        const world = open()
        for (const { party, name, json } of made) {
          const { content, error } = world.call(party, name, args(json))
          expect(content.startsWith('Error: ')).toBe(error)
        }
        const other = open()
        for (const { party, name, json } of made) other.call(party, name, args(json))
        expect(world.sameAs(other)).toBe(true)
        expect([world.hash(), world.userHash()]).toEqual([other.hash(), other.userHash()])
      }),
    )
  })
})
