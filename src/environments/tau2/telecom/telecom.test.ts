import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dumps } from '../python/json.ts'
import { telecom } from './domain.ts'
import type { TelecomState } from './state.ts'
import { seededBillIds } from './state.ts'
import { args, call, runMethod, type Side } from './testing/episode.ts'

const folder = join(import.meta.dirname, 'testing')
const data = telecom.load(folder)

const changes = ({ db, userDb }: TelecomState) =>
  [...db.changes(), ...userDb.changes()].map(({ op, path, value }) => `${op} ${path} ${dumps(value ?? null)}`)

const agent = (state: TelecomState, name: string, json = '{}') => call(state, 'assistant', name, args(json)).content
const user = (state: TelecomState, name: string, json = '{}') => call(state, 'user', name, args(json)).content
const run = (state: TelecomState, side: Side, name: string, json = '{}') => runMethod(state, side, name, args(json))

/** An episode with the owner of the first line. */
function open(...actions: string[]): TelecomState {
  const state = data.open()
  run(state, 'user', 'set_user_info', '{"name": "Ilse Marten", "phone_number": "555-700-0001"}')
  for (const action of actions) run(state, 'user', action)
  return state
}

const L1 = '"customer_id": "C1", "line_id": "L1"'
const L3 = '"customer_id": "C2", "line_id": "L3"'

describe('records', () => {
  it('are found by number, name and id', () => {
    const state = data.open()
    expect(agent(state, 'get_customer_by_phone', '{"phone_number": "555-700-0002"}')).toContain('"C1"')
    expect(agent(state, 'get_customer_by_name', '{"full_name": "RUI okafor", "dob": "1991-12-24"}')).toContain('"C2"')
    expect(agent(state, 'get_customer_by_name', '{"full_name": "Rui Okafor", "dob": "1991-12-25"}')).toBe('[]')
    for (const id of ['L3', 'D2', 'B1', 'C2', 'P1']) {
      expect(agent(state, 'get_details_by_id', `{"id": "${id}"}`)).toContain(`"${id}"`)
    }
    expect(agent(state, 'get_details_by_id', '{"id": "D1"}')).toContain('"activation_date": "2024-11-02 08:15:00"')
    expect(agent(state, 'get_customer_by_id', '{"customer_id": "C2"}')).toContain('"created_at": "2025-01-01"')
    expect(changes(state)).toEqual([])
  })

  it('lists bills, newest first, as Python slices', () => {
    const ids = (limit: string) =>
      [...agent(data.open(), 'get_bills_for_customer', `{"customer_id": "C1"${limit}}`).matchAll(/"bill_id": "(..)"/g)]
        .map(([, id]) => id)
        .join(' ')
    expect(ids('')).toBe('B2 B1')
    expect(ids(', "limit": true')).toBe('B2')
    expect(ids(', "limit": -1')).toBe('B2')
    expect(ids(', "limit": 0')).toBe('')
    expect(ids(', "limit": null')).toBe('B2 B1')
  })

  it('suspends, resumes, and lets roam', () => {
    const state = open()
    expect(agent(state, 'suspend_line', `{${L1}, "reason": "lost"}`)).toContain('"suspension_start_date": "2025-02-25"')
    expect(agent(state, 'suspend_line', `{${L1}, "reason": "lost"}`)).toBe('Error: Line must be active to suspend')
    expect(agent(state, 'resume_line', `{${L1}}`)).toContain('"suspension_start_date": null')
    expect(agent(state, 'enable_roaming', `{${L1}}`)).toBe('Roaming enabled successfully')
    expect(agent(state, 'enable_roaming', `{${L1}}`)).toBe('Roaming was already enabled')
    expect(agent(state, 'resume_line', '{"customer_id": "C1", "line_id": "L3"}')).toMatch(
      /L3 not found for customer C1$/,
    )
    expect(changes(state)).toEqual([
      'replace /lines/0/roaming_enabled true',
      'replace /surroundings/name "Ilse Marten"',
      'replace /surroundings/phone_number "555-700-0001"',
      'replace /surroundings/roaming_allowed true',
    ])
  })

  it('refuels onto a draft bill of its own making', () => {
    const state = data.open()
    expect(agent(state, 'refuel_data', `{${L3}, "gb_amount": 2}`)).toBe(
      '{"message": "Successfully added 2 GB of data for line L3 for $0.20", "new_data_refueling_gb": "2.0", "charge": "0.2"}',
    )
    agent(state, 'refuel_data', `{${L3}, "gb_amount": 1.0}`)
    expect(agent(state, 'get_data_usage', `{${L3}}`)).toBe(
      '{"line_id": "L3", "data_used_gb": "0.0", "data_limit_gb": "40.0", "data_refueling_gb": "3.0", "cycle_end_date": "2025-02-28"}',
    )
    expect(agent(state, 'get_details_by_id', '{"id": "B00000001"}')).toBe(
      '{"bill_id": "B00000001", "customer_id": "C2", "period_start": "2025-03-01", "period_end": "2025-03-31", "issue_date": "2025-03-01", "total_due": 0.30000000000000004, "due_date": "2025-03-15", "line_items": [{"description": "Data refueling: 2 GB at $0.1/GB", "amount": 0.2, "date": "2025-02-25", "item_type": "Charge"}, {"description": "Data refueling: 1.0 GB at $0.1/GB", "amount": 0.1, "date": "2025-02-25", "item_type": "Charge"}], "status": "Draft"}',
    )
    expect(agent(state, 'refuel_data', `{${L3}, "gb_amount": -0.0}`)).toBe('Error: Refuel amount must be positive')
  })

  it('gives new bills ids that depend on the seed alone', () => {
    const bills = (seed: number) => {
      const state = data.open(seededBillIds(seed))
      agent(state, 'refuel_data', `{${L3}, "gb_amount": 1}`)
      return agent(state, 'get_customer_by_id', '{"customer_id": "C2"}').match(/B[0-9a-f]{8}/)?.[0]
    }
    expect(bills(1)).toBe(bills(1))
    expect(bills(1)).not.toBe(bills(2))
  })

  it.each([
    ['get_customer_by_phone', '{"phone_number": 5}', 'Customer with phone number 5 not found'],
    ['get_customer_by_id', '{"customer_id": ["C1"]}', "Customer with ID ['C1'] not found"],
    ['get_customer_by_name', '{"full_name": 1.0, "dob": "x"}', "'float' object has no attribute 'lower'"],
    ['get_details_by_id', '{"id": true}', "'bool' object has no attribute 'startswith'"],
    ['get_details_by_id', '{"id": ""}', 'Unknown ID format or type: '],
    ['resume_line', '{"customer_id": "C1", "line_id": null}', 'Line None not found for customer C1'],
    ['refuel_data', `{${L1}, "gb_amount": "2"}`, "'<=' not supported between instances of 'str' and 'int'"],
    ['refuel_data', `{${L1}, "gb_amount": null}`, "'<=' not supported between instances of 'NoneType' and 'int'"],
    ['refuel_data', `{${L1}, "gb_amount": 1${'0'.repeat(400)}}`, 'int too large to convert to float'],
    [
      'get_bills_for_customer',
      '{"customer_id": "C1", "limit": 1.0}',
      'slice indices must be integers or None or have an __index__ method',
    ],
    [
      'suspend_line',
      '{"customer_id": "C1", "line_id": "L1"}',
      "TelecomTools.suspend_line() missing 1 required positional argument: 'reason'",
    ],
  ])('%s refuses %s', (name, json, message) => {
    const state = data.open()
    expect(call(state, 'assistant', name, args(json))).toEqual({ content: `Error: ${message}`, error: true })
    expect(changes(state)).toEqual([])
  })
})

describe('payment', () => {
  it('goes from the agent to the user and back', () => {
    const state = open()
    expect(user(state, 'check_payment_request')).toBe('No payment request has been made.')
    expect(user(state, 'make_payment')).toBe('You do not have a payment request.')
    expect(agent(state, 'send_payment_request', '{"customer_id": "C1", "bill_id": "B2"}')).toMatch(/for bill B2$/)
    expect(agent(state, 'send_payment_request', '{"customer_id": "C1", "bill_id": "B1"}')).toMatch(/already awaiting/)
    expect(user(state, 'check_payment_request')).toBe('You have a payment request for bill B2 of 75.5 USD.')
    expect(user(state, 'make_payment')).toBe('Payment of 75.5 USD has been made for bill B2.')
    expect(changes(state).filter((one) => /bill|payment/.test(one))).toEqual(['replace /bills/1/status "Paid"'])
  })

  it('brings back a line suspended for an overdue bill', () => {
    const state = open()
    const overdue = `{${L1}, "new_bill_id": "B7", "contract_ended": true}`
    expect(run(state, 'assistant', 'suspend_line_for_overdue_bill', overdue)).toMatch(/B7. Contract ended: True$/)
    expect(
      run(state, 'assistant', 'assert_overdue_bill_exists', '{"customer_id": "C1", "overdue_bill_id": "B7"}'),
    ).toBe(true)
    expect(user(state, 'reboot_device')).toMatch(/No Signal/)
    expect(run(state, 'assistant', 'assert_no_overdue_bill', '{"overdue_bill_id": "B7"}')).toBe(false)
    agent(state, 'send_payment_request', '{"customer_id": "C1", "bill_id": "B7"}')
    user(state, 'make_payment')
    agent(state, 'resume_line', `{${L1}}`)
    expect(user(state, 'reboot_device')).toMatch(/Excellent \| 5G/)
    expect(run(state, 'assistant', 'assert_no_overdue_bill', '{"overdue_bill_id": "B7"}')).toBe(true)
    expect(() => run(state, 'assistant', 'suspend_line_for_overdue_bill', overdue.replace('"B7"', '7'))).toThrow(
      '1 validation error for Bill\nbill_id\n  Input should be a valid string [type=string_type, input_value=7, input_type=int]',
    )
  })

  it('asks for nothing until the user has a number, and then for a number that is some line’s', () => {
    const state = data.open()
    agent(state, 'send_payment_request', '{"customer_id": "C1", "bill_id": "B2"}')
    expect(user(state, 'check_payment_request')).toBe('No payment request has been made.')
    expect(() => run(state, 'user', 'set_user_info', '{"name": "x", "phone_number": "1"}')).toThrow(
      'Line with phone number 1 not found',
    )
    expect(call(state, 'user', 'toggle_wifi', args('{}'))).toEqual({
      content: 'Error: Line with phone number 1 not found',
      error: true,
    })
  })
})

describe('the phone', () => {
  it('shows its state', () => {
    const state = open()
    expect(user(state, 'check_status_bar')).toBe('Status Bar: 📶³ Good | 5G | 📱 Data Enabled | 🔋 64%')
    expect(user(state, 'toggle_data_saver_mode')).toBe(
      'Data Saver Mode is now ON.\nStatus Bar: 📶³ Good | 5G | 📱 Data Enabled | 🔽 Data Saver | 🔋 64%',
    )
    expect(user(state, 'connect_vpn')).toMatch(/🔒 VPN Connected/)
    expect(user(state, 'toggle_airplane_mode')).toBe('Airplane Mode is now ON.\nStatus Bar: ✈️ Airplane Mode | 🔋 64%')
    expect(user(state, 'toggle_wifi')).toMatch(/^Cannot change Wi-Fi settings while Airplane Mode is ON/)
    expect(user(state, 'check_network_status')).toBe(
      [
        'Airplane Mode: ON',
        'SIM Card Status: active',
        'Cellular Connection: no_service',
        'Cellular Signal: none',
        'Cellular Network Type: none',
        'Mobile Data Enabled: Yes',
        'Data Roaming Enabled: No',
        'Wi-Fi Radio: OFF',
        'Wi-Fi Connected: No',
      ].join('\n'),
    )
  })

  it('measures the speed that its settings allow', () => {
    const state = open()
    const speed = () =>
      user(state, 'run_speed_test').replace('Speed Test Result: ', '').split('.').slice(0, 2).join('.')
    expect(speed()).toBe('220.00 Mbps (Excellent)')
    expect(user(state, 'toggle_data_saver_mode') && speed()).toBe('44.00 Mbps (Good)')
    expect(run(state, 'user', 'break_vpn') && speed()).toBe('4.40 Mbps (Poor)')
    expect(user(state, 'set_network_mode_preference', '{"mode": "2g_only"}') && speed()).toBe('0.00 Mbps (Very Poor)')
    expect(run(state, 'user', 'assert_internet_speed', '{"expected_speed": 0}')).toBe(true)
    expect(run(state, 'user', 'assert_internet_speed', '{"expected_speed": 0, "expected_desc": "VERY POOR"}')).toBe(
      true,
    )
    run(state, 'assistant', 'set_data_usage', `{${L1}, "data_used_gb": 4}`)
    expect(user(state, 'run_speed_test')).toBe('Speed test failed: No Connection.')
    expect(changes(state)[0]).toBe('replace /lines/0/data_used_gb 4')
  })

  it('needs both roaming settings abroad', () => {
    const state = open()
    const works = () => run(state, 'user', 'assert_mobile_data_status', '{"expected_status": true}')
    run(state, 'user', 'set_user_location', '{"abroad": true}')
    expect(works()).toBe(false)
    user(state, 'toggle_roaming')
    expect(works()).toBe(false)
    agent(state, 'enable_roaming', `{${L1}}`)
    expect(works()).toBe(true)
  })

  it('resets its APN at a reboot, not before', () => {
    const state = open('break_apn_settings', 'break_apn_mms_setting')
    expect(user(state, 'check_apn_settings')).toMatch(
      /^Current APN Name: broken\nMMSC URL \(for picture messages\): Not Set/,
    )
    expect(user(state, 'reset_apn_settings')).toMatch(/^APN settings will reset at reboot.\nStatus Bar: 📵 No Signal/)
    expect(user(state, 'reboot_device')).toMatch(/^Resetting APN settings...\nRestarting network services...\n.*5G/)
    expect(user(state, 'can_send_mms')).toBe('Your messaging app can send MMS messages.')
    expect(user(state, 'reboot_device')).toMatch(/^Restarting/)
  })

  it('takes permissions, and says which there are', () => {
    const state = open()
    run(state, 'user', 'remove_app_permission', '{"app_name": "messaging", "permission": "SMS"}')
    expect(user(state, 'can_send_mms')).toMatch(/cannot/)
    expect(user(state, 'check_app_permissions', '{"app_name": "messaging"}')).toMatch(/has permission for: storage\.$/)
    expect(user(state, 'grant_app_permission', '{"app_name": "messaging", "permission": "Camera"}')).toContain(
      "Error. Permission 'camera' not tracked for app 'messaging', available permissions: ['sms', 'storage', 'phone', 'network']",
    )
    expect(user(state, 'grant_app_permission', '{"app_name": "messaging", "permission": "sms"}')).toMatch(/^Success/)
    expect(user(state, 'check_app_status', '{"app_name": "messaging"}')).toBe(
      'Status for App: messaging\n - Permissions Granted:\n   - sms\n   - storage',
    )
    expect(user(state, 'check_app_status', '{"app_name": ["messaging"]}')).toBe("Error: unhashable type: 'list'")
    expect(user(state, 'can_send_mms')).toMatch(/can send/)
  })

  it('locks and loses its SIM', () => {
    const state = open('unseat_sim_card')
    expect(user(state, 'check_sim_status')).toBe('No SIM card detected in the phone.')
    run(state, 'user', 'lock_sim_card', '{"mode": "pin"}')
    expect(user(state, 'reseat_sim_card')).toMatch(/^SIM card re-seated successfully.\nStatus Bar: 📵 No Signal/)
    expect(user(state, 'check_sim_status')).toBe('The SIM card is locked with a PIN code.')
  })

  it('keeps a broken VPN broken, in its own episode only', () => {
    const state = open('break_vpn')
    user(state, 'disconnect_vpn')
    user(state, 'connect_vpn')
    expect(user(state, 'check_vpn_status')).toMatch(/'server_performance': <PerformanceLevel.POOR: 'poor'>}$/)
    const other = open()
    user(other, 'connect_vpn')
    expect(user(other, 'check_vpn_status')).toMatch(/<PerformanceLevel.EXCELLENT: 'excellent'>}$/)
  })

  it('switches back on through toggles, with all they do', () => {
    const state = open('turn_airplane_mode_on', 'turn_airplane_mode_on', 'turn_airplane_mode_off', 'turn_data_off')
    expect(user(state, 'check_status_bar')).toBe('Status Bar: 📶⁴ Excellent | 5G | 📵 Data Disabled | 🔋 64%')
    expect(run(state, 'user', 'set_wifi_calling', '{"enabled": true, "mms_over_wifi": true}')).toBe(
      'Wi-Fi Calling is now ON.\nMMS over Wi-Fi is now ON.',
    )
  })

  it('accepts as network mode what is no text, and then stumbles over it', () => {
    const state = open()
    const mode = (json: string) => user(state, 'set_network_mode_preference', `{"mode": ${json}}`)
    expect(mode('"5g"')).toMatch(
      /^Failed to set network mode: '5g' is not a valid option. Please use one of: 4g_5g_pref/,
    )
    expect(user(state, 'check_network_mode_preference')).toBe('Network Mode Preference: 4g_5g_preferred')
    expect(mode('null')).toMatch(/^Failed to set network mode: 'None' .*\nStatus Bar: 📶³ Good \| 4G/)
    expect(mode('5')).toBe("Error: 'int' object has no attribute 'value'")
    expect(user(state, 'check_network_mode_preference')).toBe("Error: 'int' object has no attribute 'value'")
    expect(changes(state)).toContain('replace /device/network_mode_preference 5')
  })

  it('takes any APN that is no dictionary, and then stumbles over it', () => {
    const state = open()
    const error = (member: string) => `Error: 'str' object has no attribute '${member}'`
    expect(user(state, 'set_apn_settings', '{"apn_settings": {"apn_name": "x", "y": 1, "mms_port": "z"}}')).toBe(
      "Error: 3 validation errors for APNSettings\napn_name\n  Input should be 'internet' or 'broken' [type=enum, input_value='x', input_type=str]\n    For further information visit https://errors.pydantic.dev/2.13/v/enum\nmms_port\n  Input should be a valid integer, unable to parse string as an integer [type=int_parsing, input_value='z', input_type=str]\n    For further information visit https://errors.pydantic.dev/2.13/v/int_parsing\ny\n  Extra inputs are not permitted [type=extra_forbidden, input_value=1, input_type=int]\n    For further information visit https://errors.pydantic.dev/2.13/v/extra_forbidden",
    )
    expect(user(state, 'set_apn_settings', '{"apn_settings": "internet"}')).toBe(error('apn_name'))
    expect(user(state, 'toggle_airplane_mode')).toBe(error('apn_name'))
    expect(user(state, 'check_apn_settings')).toBe(error('model_copy'))
    expect(user(state, 'reset_apn_settings')).toBe(error('reset_at_reboot'))
    expect(user(state, 'reboot_device')).toBe(error('reset_at_reboot'))
    expect(user(state, 'can_send_mms')).toMatch(/cannot/)
    expect(changes(state)).toContain('replace /device/active_apn_settings "internet"')
    expect(changes(state)).toContain('replace /device/airplane_mode true')
  })
})

describe('the base', () => {
  it('is untouched by any episode', () => {
    const before = data.open()
    const state = open('break_vpn', 'break_apn_settings')
    agent(state, 'refuel_data', `{${L1}, "gb_amount": 1}`)
    const after = data.open()
    expect([after.db.hash(), after.userDb.hash()]).toEqual([before.db.hash(), before.userDb.hash()])
  })

  it('is merged with initialization data and read anew', () => {
    const state = data.open()
    const merged = state.userDb.updated(
      args('{"device": {"vpn_connected": true, "app_statuses": {"messaging": {"permissions": {"sms": false}}}}}'),
    )
    expect(merged.changes().map(({ path }) => path)).toEqual([
      '/device/app_statuses/messaging/permissions/sms',
      '/device/vpn_connected',
    ])
    expect(() => state.userDb.updated(args('{"device": {"battery_level": "full"}}'))).toThrow('device.battery_level')
  })

  it.each([
    ['db.toml', 'plans = [', /db\.toml:1 is not TOML: /],
    [
      'db.toml',
      '[[plans]]\nplan_id = 1',
      /db\.toml is not a TelecomDB: plans\.0\.plan_id: Input should be a valid string/,
    ],
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
