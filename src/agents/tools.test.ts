import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Transition } from '../core/index.ts'
import { jsonShape, maskedResult } from './json-shape.ts'
import { maskedObservation } from './masked-results.ts'
import { parseToolReply } from './tool-calls.ts'
import { toolsAgent, toolsTranscriptAgent, userFacts } from './tools.ts'

describe('the shape of JSON', () => {
  it.each([
    ['{"customer_id": "abc123"}', '{"type":"object","properties":{"customer_id":{"type":"string"}}}'],
    [
      '{"a": 1, "b": 2.5, "c": true, "d": null}',
      '{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"},"c":{"type":"boolean"},"d":{"type":"null"}}}',
    ],
    ['[]', '{"type":"array"}'],
    ['{}', '{"type":"object","properties":{}}'],
    [
      '[{"a": 1}, {"b": []}, {"b": [2]}]',
      '{"type":"array","items":{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"array","items":{"type":"number"}}}}}',
    ],
    [
      '[{"a": 1}, null, {"b": 2}]',
      '{"type":"array","items":{"anyOf":[{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}}},{"type":"null"}]}}',
    ],
    [
      '{"#W2378156": {"n": 1}, "#W9911714": {"n": 2}}',
      '{"type":"object","additionalProperties":{"type":"object","properties":{"n":{"type":"number"}}}}',
    ],
    ['[{"a": 1}, {"1001": 1}]', '{"type":"array","items":{"type":"object"}}'],
  ])('of %s', (json, shape) => {
    expect(maskedResult(json)).toBe(shape)
  })

  it.each(['raj_santos_9079', '12.5', '"quoted"', 'null', 'Error: {"a": 1}', '{"a": 1', '[1, 2'])(
    'leaves %s alone',
    (content) => {
      expect(maskedResult(content)).toBe(content)
    },
  )

  it('never fails, keeps no value, and is the same for other values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        maskedResult(JSON.stringify(value))
        const other = JSON.parse(JSON.stringify(value), (_, one) =>
          typeof one === 'number' ? one + 1.5 : one === 'x' ? 'y' : one,
        )
        expect(jsonShape(other)).toEqual(jsonShape(JSON.parse(JSON.stringify(value))))
      }),
    )
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b'), fc.string()), (value) => {
        const types = Object.keys(value).map((key) => [key, { type: 'string' }])
        expect(jsonShape(value)).toEqual({ type: 'object', properties: Object.fromEntries(types) })
      }),
    )
    fc.assert(fc.property(fc.string(), (content) => void maskedResult(content)))
    expect(() => maskedResult('['.repeat(5000) + ']'.repeat(5000))).not.toThrow()
  })

  it('stands for tool results alone', () => {
    expect(maskedObservation({ from: 'user', text: '{"a": 1}' })).toEqual({ from: 'user', text: '{"a": 1}' })
  })
})

const call = (name: string, args: string) => ({ id: 'c', name, arguments: args })
const transition: Transition = {
  id: 't#0.2',
  taskId: 't',
  taskKind: 'conversation',
  instruction: 'You sell mugs.',
  tools: [{ name: 'find', description: 'Looks up.' }, { name: 'sell' }],
  initial: { from: 'user', text: 'I am Ann. Hello there! My zip is 12345.' },
  history: [
    { reply: 'What?', action: { kind: 'text', text: 'What?' }, observation: { from: 'user', text: 'A mug.' } },
    {
      reply: 'find({})',
      action: { kind: 'tools', calls: [call('find', '{}')] },
      observation: { from: 'tool', results: [{ id: 'c', name: 'find', content: '{"mug":7}' }] },
    },
  ],
  action: { kind: 'tools', calls: [call('find', '{"a":1}')] },
  next: { from: 'tool', results: [{ id: 'c', name: 'find', content: '{"left":3}' }] },
  valid: true,
}
const toUser: Transition = {
  ...transition,
  action: { kind: 'text', text: 'Three left.' },
  next: { from: 'user', text: 'Good.' },
}

describe('the agent for conversations with tools', () => {
  const ask = (one: Transition, options = {}, reasoning = true) =>
    toolsAgent(options).predictMessages(one, { reasoning })[0].content

  it('asks for the shape of what tools return, and shows the history as it was', () => {
    const agent = toolsAgent()
    const next = agent.target!(transition.next)
    expect(agent.parsePrediction(agent.predictionLabel({ ...transition, next })).nextState).toBe(
      '{"type":"object","properties":{"left":{"type":"number"}}}',
    )
    expect(ask(transition)).toContain('JSON Schema')
    expect(ask(transition)).toContain('find returned: {"mug":7}')
    expect(ask(toUser)).not.toContain('JSON Schema')
    expect(toolsAgent({ mask: false }).target).toBeUndefined()
    expect(ask(transition, { mask: false })).not.toContain('JSON Schema')
  })

  it('never shows what followed', () => {
    for (const agent of [toolsAgent(), toolsTranscriptAgent()]) {
      for (const one of [transition, toUser]) {
        const other: Transition = { ...one, next: { from: 'user', text: 'something else' } }
        expect(agent.predictMessages(one, { reasoning: true })).toEqual(
          agent.predictMessages(other, { reasoning: true }),
        )
      }
    }
  })

  it('shows what the user has told, the tools called, and the last turns', () => {
    const shown = ask(transition, { historyTurns: 1 })
    expect(shown).toContain('- I am Ann.\n- My zip is 12345.')
    expect(shown).toContain('"Looks up."')
    expect(shown).not.toContain('"sell"')
    expect(shown).toContain('(earlier turns not shown: 1)\nUser: A mug.\nAssistant calls: find({})')
    expect(shown).not.toContain('Hello there')
    expect(ask(toUser)).toContain('Potential action of the assistant:\nAssistant: Three left.')
    expect(ask(transition)).toContain('User: I am Ann.')
  })

  it('asks with reasoning, or forbids it', () => {
    expect(ask(transition)).toContain('<thinking>')
    expect(ask(transition, {}, false)).not.toContain('<thinking>')
  })

  it('takes facts of the user alone, each once', () => {
    const said = [{ reply: '', action: null, observation: { from: 'user' as const, text: 'I am Ann.' } }]
    expect(userFacts(transition.initial, said)).toEqual(['I am Ann.', 'My zip is 12345.'])
  })

  it('talks in turns, two of the user being one', () => {
    const history = [
      ...transition.history,
      { reply: '', action: null, observation: { from: 'user' as const, text: 'Well?' } },
    ]
    for (const agent of [toolsAgent(), toolsTranscriptAgent()]) {
      const messages = agent.playMessages({ ...transition, history })
      expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant', 'user'])
      expect(messages.at(-1)?.content).toBe('{"mug":7}\nWell?')
    }
    expect(toolsAgent().playMessages(transition)[0].content).toContain('"name":"sell"')
  })
})

describe('replies of an agent with tools', () => {
  const action = (reply: string) => parseToolReply(reply).action

  it('are messages or calls', () => {
    expect(parseToolReply('<thinking>a</thinking>Hello')).toEqual({
      thinking: 'a',
      action: { kind: 'text', text: 'Hello' },
      wellFormed: true,
    })
    expect(
      action(
        '<thinking>a</thinking>Wait.\n<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call><tool_call>{"name": "g"}</tool_call>',
      ),
    ).toEqual({
      kind: 'tools',
      text: 'Wait.',
      calls: [
        { id: 'call-0', name: 'f', arguments: '{"a":1}' },
        { id: 'call-1', name: 'g', arguments: '{}' },
      ],
    })
  })

  it.each([
    '<tool_call>{"name": "f"',
    '<tool_call>f()</tool_call>',
    '<tool_call>{"arguments": {}}</tool_call>',
    '<tool_call>{"name":"f"}</tool_call></tool_call>',
    '<thinking>a',
  ])('are no action where a call cannot be read: %s', (reply) => {
    expect(parseToolReply(reply)).toMatchObject({ action: null, wellFormed: false })
  })

  it('never fail to be read', () => {
    fc.assert(fc.property(fc.string(), fc.json(), (text, json) => void action(`${text}<tool_call>${json}</tool_call>`)))
  })
})
