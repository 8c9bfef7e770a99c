import { describe, expect, it } from 'vitest'
import type { Transition } from '../core/index.ts'
import { TAU2_GREETING } from '../environments/index.ts'
import { modelThatSays } from '../services/testing/model.ts'
import type { View } from './agent.ts'
import { declaredShape, maskedObservation } from './masked-results.ts'
import { textPlayer } from './player.ts'
import { tau2Agent } from './tau2.ts'
import { tau2Messages, tau2Player } from './tau2-player.ts'
import { goldPlayer, randomPlayer } from './tau2-scripts.ts'
import { tau2SmallAgent } from './tau2-small.ts'

const call = (name: string, args = '{}') => ({ id: 'c', name, arguments: args })
const parameters = {
  type: 'object',
  properties: { order_id: { type: 'string' }, deep: { type: 'boolean' } },
  required: ['order_id'],
}
const tools = [{ name: 'find_order', description: 'Looks up.', parameters }, { name: 'sell' }]
const transition: Transition = {
  id: 't#0.1',
  taskId: 't',
  taskKind: 'retail',
  instruction: 'Never give discounts.',
  tools,
  initial: { from: 'user', text: 'I am Ann. Where is my mug?' },
  history: [
    {
      reply: 'Which order?',
      action: { kind: 'text', text: 'Which order?' },
      observation: { from: 'user', text: '#W1.' },
    },
  ],
  action: { kind: 'tools', calls: [call('find_order', '{"order_id": "#W1"}')] },
  next: { from: 'tool', results: [{ id: 'c', name: 'find_order', content: '{"order_id": "#W1", "items": [3]}' }] },
  valid: true,
}
const solo: View = { ...transition, initial: { from: 'environment', text: 'Mend the line.' }, history: [] }

describe('agents of τ²-bench', () => {
  it('play with the policy and the tools, or with neither policy nor descriptions', () => {
    const [system, first] = tau2Agent().playMessages(transition)
    expect(system.content).toContain('<policy>\nNever give discounts.\n</policy>')
    expect(system.content).toContain('"Looks up."')
    expect(system.content).toContain(TAU2_GREETING)
    expect(first.content).toBe('I am Ann. Where is my mug?')
    const [small] = tau2SmallAgent().playMessages(transition)
    expect(small.content).toMatch(/find_order\(order_id, deep\?\)\nsell\(\)$/)
    expect(small.content).not.toContain('discounts')
    expect(tau2Agent().playMessages(solo)[0].content).toContain('<ticket>\nMend the line.\n</ticket>')
  })

  it('are asked with the called tool, the facts and the last turns, and never with the policy', () => {
    const wait = { kind: 'text' as const, text: 'Wait.' }
    const later = {
      ...transition,
      history: [
        ...transition.history,
        { reply: '', action: wait, observation: { from: 'user' as const, text: 'Yes.' } },
      ],
    }
    for (const agent of [tau2Agent({ historyTurns: 1 }), tau2SmallAgent({ historyTurns: 1 })]) {
      const content = agent
        .predictMessages(later, { reasoning: true })
        .map((one) => one.content)
        .join('\n')
      expect(content).toContain('"Looks up."')
      expect(content).not.toContain('"sell"')
      expect(content).toMatch(/(- |before: )I am Ann\./)
      expect(content).toContain('User: #W1.')
      expect(content).not.toContain('discounts')
      expect(content).toContain('JSON Schema')
    }
  })

  it('show a small model the beginning of long results alone', () => {
    const content = `{"order_id": "${'1'.repeat(900)}"}`
    const long = { from: 'tool' as const, results: [{ id: 'c', name: 'find_order', content }] }
    const view = { ...transition, history: [{ reply: '', action: transition.action, observation: long }] }
    const sizes = [tau2SmallAgent(), tau2Agent()].map((agent) => [
      agent.playMessages(view).at(-1)!.content.length,
      agent.predictMessages(view, { reasoning: false }).at(-1)!.content.includes(content),
    ])
    expect(sizes).toEqual([
      [401, false],
      [content.length, true],
    ])
  })

  it('mask labels by what a tool declares, else by the value', () => {
    const schema = {
      $defs: {
        Order: { type: 'object', properties: { order_id: { type: 'string', title: 'Id' }, paid: { type: 'number' } } },
      },
      properties: { returns: { $ref: '#/$defs/Order' } },
    }
    const shape = declaredShape(schema)!
    expect(shape).toEqual({ type: 'object', properties: { order_id: { type: 'string' }, paid: { type: 'number' } } })
    expect(declaredShape({ properties: { returns: { type: 'string' } } })).toBeUndefined()
    expect(declaredShape({ properties: { returns: { type: 'object', additionalProperties: true } } })).toBeUndefined()
    const content = (shapes?: Map<string, object>) => {
      const masked = maskedObservation(transition.next, shapes)
      return masked.from === 'tool' ? masked.results[0].content : ''
    }
    expect(content(new Map([['find_order', shape]]))).toBe(JSON.stringify(shape))
    expect(content()).toBe(
      '{"type":"object","properties":{"order_id":{"type":"string"},"items":{"type":"array","items":{"type":"number"}}}}',
    )
    const error = { ...transition.next, results: [{ id: 'c', name: 'find_order', content: 'Error: no', error: true }] }
    expect(maskedObservation({ from: 'tool', results: error.results }, new Map([['find_order', shape]]))).toEqual(error)
  })
})

describe('players', () => {
  it('ask a service with upstream’s prompt and tool calls of its own', async () => {
    const model = modelThatSays({ text: 'Wait.', toolCalls: [call('sell')] })
    expect(await tau2Player(model).act(transition)).toEqual({ kind: 'tools', calls: [call('sell')], text: 'Wait.' })
    expect(model.asked[0][0].map(({ role }) => role)).toEqual(['system', 'assistant', 'user', 'assistant', 'user'])
    expect(await tau2Player(modelThatSays({ text: ' ' })).act(transition)).toBeNull()
    const done = { ...transition, history: [{ reply: '', action: transition.action, observation: transition.next }] }
    expect(tau2Messages(done).slice(3)).toEqual([
      { role: 'assistant', content: '', toolCalls: [call('find_order', '{"order_id": "#W1"}')] },
      { role: 'tool', toolCallId: 'c', content: '{"order_id": "#W1", "items": [3]}' },
    ])
    expect(tau2Messages(solo)).toHaveLength(1)
  })

  it('ask a service for calls as text', async () => {
    const model = modelThatSays({ text: '<tool_call>{"name": "sell", "arguments": {}}</tool_call>' })
    expect(await textPlayer(model, tau2Agent()).act(transition)).toMatchObject({
      kind: 'tools',
      calls: [{ name: 'sell' }],
    })
  })

  it('replay a solution: calls, requests, what has to be told, the end', async () => {
    const player = goldPlayer({
      actions: [
        { requestor: 'assistant', name: 'find_order', arguments: '{"order_id":"#W1"}' },
        { requestor: 'user', name: 'grant_app_permission', arguments: '{"app_name":"messaging","permission":"sms"}' },
        { requestor: 'assistant', name: 'transfer_to_human_agents', arguments: '{"summary":"x"}' },
      ],
      communicate: ['10', '12.5'],
    })
    const said = await Promise.all(Array.from({ length: 6 }, () => player.act(transition)))
    expect(said.map((one) => (one?.kind === 'tools' ? one.calls[0].name : one?.text))).toEqual([
      'find_order',
      'Please grant app permission: app name messaging, permission sms.',
      'transfer_to_human_agents',
      'YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.',
      'For your information: 10; 12.5. Is there anything else I can help you with?',
      'Is there anything else I can help you with?',
    ])
  })

  it('play at random, the same from the same seed', async () => {
    const act = (seed: number, history: number) =>
      randomPlayer(seed).act({ ...transition, history: Array.from({ length: history }, () => transition.history[0]) })
    for (let turn = 0; turn < 40; turn++) expect(await act(1, turn)).toEqual(await act(1, turn))
    const all = await Promise.all(Array.from({ length: 40 }, (_, turn) => act(2, turn)))
    expect(new Set(all.map((one) => one?.kind))).toEqual(new Set(['text', 'tools']))
  })
})
