import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UserError } from '../../core/index.ts'
import { messagesOf } from './conversation.ts'
import { importLogs } from './logs.ts'
import type { ChatMessage } from './messages.ts'

const lines = (...entries: unknown[]) => Buffer.from(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
const read = (content: Uint8Array, skipBad = false, path = 'chats.jsonl') =>
  importLogs([{ path, content }], { skipBad })
const all = (...entries: unknown[]) => [...read(lines(...entries)).splits.values()].flat()

const user = (content: unknown) => ({ role: 'user', content })
const says = (content: string) => ({ role: 'assistant', content })
const calls = (...names: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: names.map((name) => ({ id: `id-${name}`, type: 'function', function: { name, arguments: '{}' } })),
})
const returns = (name: string, content: string, more = {}) => ({
  role: 'tool',
  tool_call_id: `id-${name}`,
  content,
  ...more,
})

describe('a chat log', () => {
  it('is turns: what the assistant did, and what followed', () => {
    const [{ task, initial, turns }] = all([
      { role: 'system', content: 'Be kind.' },
      user('Hello'),
      says('Let me see.'),
      calls('price', 'stock'),
      returns('stock', '3'),
      returns('price', '{"error": "unknown"}'),
      user('Well?'),
      says('I do not know.'),
      user([{ type: 'text', text: 'Bye' }]),
      says('Bye'),
    ])
    expect(task).toMatchObject({ instruction: 'Be kind.', kind: 'conversation' })
    expect(initial).toEqual({ from: 'user', text: 'Hello' })
    expect(turns.map(({ action, valid }) => [action?.kind, valid])).toEqual([
      ['tools', false],
      [undefined, true],
      ['text', true],
    ])
    // In the order of the calls, whatever the order of the results.
    expect(turns[0]).toMatchObject({
      action: { text: 'Let me see.', calls: [{ name: 'price' }, { name: 'stock' }] },
      observation: {
        from: 'tool',
        results: [
          { name: 'price', content: '{"error": "unknown"}', error: true },
          { name: 'stock', content: '3' },
        ],
      },
    })
    expect(turns[2].observation).toEqual({ from: 'user', text: 'Bye' })
  })

  it('may be of the older form, or without ids', () => {
    const [older] = all([
      user('Hello'),
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
      { role: 'function', name: 'f', content: 'ok' },
    ])
    const [nameless] = all([
      user('Hello'),
      { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] },
      { role: 'tool', content: 'ok' },
    ])
    expect(older.turns).toEqual(nameless.turns)
    expect(older.turns[0].action).toMatchObject({ calls: [{ name: 'f', arguments: '{"a":1}' }] })
  })

  it.each([
    ['Error: no such order', {}],
    ['ValueError: invalid literal', {}],
    ['Traceback (most recent call last):', {}],
    ['{"error": {"code": 4}}', {}],
    ['{"isError": true}', {}],
    ['fine', { error: true }],
    ['fine', { is_error: true }],
  ])('knows a failed call by %s %o', (content, more) => {
    expect(all([user('a'), calls('f'), returns('f', content, more)])[0].turns[0].valid).toBe(false)
  })

  it.each(['{"error": null, "rows": []}', 'Errors found: 0', '{"rows": ["Error: x"]}', '12', ''])(
    'does not take %s for a failure',
    (content) => {
      expect(all([user('a'), calls('f'), returns('f', content)])[0].turns[0].valid).toBe(true)
    },
  )

  it.each([
    ['a tool result before any call', [user('a'), returns('f', 'x')], 'messages[1]: a tool result before any call'],
    [
      'a result that nobody asked for',
      [user('a'), says('b'), returns('f', 'x')],
      'messages[2]: a tool result without a call',
    ],
    [
      'a second result',
      [user('a'), calls('f'), returns('f', 'x'), returns('f', 'y')],
      'messages[3]: a tool result without a call',
    ],
    ['a call without a result', [user('a'), calls('f'), user('b')], 'messages[2]: the call to f has no result'],
    [
      'a late result',
      [user('a'), says('b'), user('c'), returns('f', 'x')],
      'messages[3]: a tool result after a user message',
    ],
    [
      'a late system message',
      [user('a'), { role: 'system', content: 'b' }],
      'messages[1]: a system message may only stand',
    ],
    [
      'an empty action',
      [user('a'), says(''), user('b')],
      'messages[2]: up to here the assistant neither says nor calls',
    ],
    ['no assistant', [user('a')], 'no message is the assistant’s'],
    ['no message', [], 'messages: no message in it'],
    ['an unknown role', [{ role: 'robot', content: 'a' }], 'messages[0].role: expected "system"'],
    ['an image', [user([{ type: 'image_url' }])], 'messages[0].content[0].type must be one of "text"'],
    [
      'no name',
      [{ role: 'assistant', tool_calls: [{ function: {} }] }],
      'messages[0].tool_calls[0].function.name is missing',
    ],
    [
      'another split',
      { messages: [user('a'), says('b')], split: 'half' },
      'split: "half" is no split; there are train',
    ],
    ['no messages at all', { chat: [] }, 'messages: expected a list'],
    ['something else', 'hello', 'the conversation: expected {"messages": […]}'],
  ])('with %s is one clear line', (_, entry, why) => {
    const good = [user('a'), says('b'), user('c')]
    expect(() => read(lines(good, entry))).toThrow(UserError)
    expect(() => read(lines(good, entry))).toThrow(`chats.jsonl, line 2: ${why}`)
    const { bad, splits } = read(lines(good, entry), true)
    expect(bad).toEqual([{ where: 'chats.jsonl, line 2', why: expect.stringContaining(why) }])
    expect([...splits.values()].flat()).toHaveLength(1)
  })

  it('cut off is named', () => {
    const content = lines([user('a'), says('b'), user('c')], [user('a'), says('b'), user('d')])
    expect(() => read(content.subarray(0, content.length - 9))).toThrow(
      'line 2: not a whole JSON value; the file ends within it',
    )
  })

  it('may be one JSON list, of conversations or of the messages of one', () => {
    const one = [user('a'), says('b'), user('c')]
    const two = { messages: [user('a'), says('b'), user('d')] }
    const count = (value: unknown) => read(Buffer.from(JSON.stringify(value)), false, 'chats.json').read
    expect(count([one, two])).toBe(2)
    expect(count(one)).toBe(1)
    expect(() => count([one, {}])).toThrow('chats.json, item 2: messages: expected')
    expect(() => count({})).toThrow('chats.json: expected a list')
  })
})

describe('the tasks of logs', () => {
  const said = (text: string) => [user('a'), says('b'), user(text)]

  it('are counted once where they are the same, and are attempts where they share a name', () => {
    const { splits, duplicates, withoutTurns } = read(
      lines(said('c'), said('c'), { task: 7, messages: said('d') }, { task: '7', messages: said('e') }, [
        user('a'),
        says('b'),
      ]),
    )
    const trajectories = [...splits.values()].flat()
    expect([duplicates, withoutTurns]).toEqual([1, 1])
    expect(trajectories.filter(({ task }) => task.id === '7').map(({ sample }) => sample)).toEqual([0, 1])
    expect(new Set(trajectories.map(({ task }) => task.id)).size).toBe(2)
  })

  it('are split as the log says, else one in ten by name alone', () => {
    const named = read(lines({ split: 'test', messages: said('c') }, { split: 'train', messages: said('d') }))
    expect([...named.splits.keys()].sort()).toEqual(['train', 'unseen'])
    const many = Array.from({ length: 500 }, (_, id) => ({ id, messages: said(`${id}`) }))
    const held = (entries: unknown[]) =>
      read(lines(...entries))
        .splits.get('unseen')!
        .map(({ task }) => task.id)
    expect(held(many).length).toBeGreaterThan(25)
    expect(held(many).length).toBeLessThan(85)
    expect(held(many.toReversed()).sort()).toEqual(held(many).sort())
    expect(() =>
      read(
        lines({ task: 'x', split: 'test', messages: said('c') }, { task: 'x', split: 'train', messages: said('d') }),
      ),
    ).toThrow('line 2: split: "train", but an earlier conversation of the task x is in "unseen"')
  })
})

/** Conversations as OpenAI's format has them. */
const text = fc.string({ minLength: 1 })
const step = fc.oneof(
  fc.tuple(text, text).map(([a, b]): ChatMessage[] => [
    { role: 'assistant', content: a },
    { role: 'user', content: b },
  ]),
  fc
    .tuple(fc.string(), fc.array(fc.tuple(text, fc.json(), fc.string()), { minLength: 1, maxLength: 3 }))
    .map(([content, made]): ChatMessage[] => [
      {
        role: 'assistant',
        content,
        tool_calls: made.map(([name, args], at) => ({
          id: `c${at}`,
          type: 'function',
          function: { name, arguments: args },
        })),
      },
      ...made.map(([, , result], at): ChatMessage => ({ role: 'tool', tool_call_id: `c${at}`, content: `${result}.` })),
    ]),
)
const conversation = fc
  .tuple(fc.option(text, { nil: undefined }), text, fc.array(step, { minLength: 1, maxLength: 5 }))
  .map(([system, opening, steps]): ChatMessage[] => [
    ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
    { role: 'user', content: opening },
    ...steps.flat(),
  ])

describe('any log', () => {
  it('goes to turns and back', () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const [{ task, initial, turns }] = all({ messages })
        expect(messagesOf({ instruction: task.instruction, initial, turns })).toEqual(messages)
      }),
    )
  })

  it('is read, or refused in one line', () => {
    const message = fc.record(
      {
        role: fc.constantFrom('system', 'user', 'assistant', 'tool', 'function', 'robot', 3),
        content: fc.oneof(fc.string(), fc.constant(null), fc.jsonValue()),
        tool_calls: fc.oneof(fc.jsonValue(), fc.constant([{ id: 'a', function: { name: 'f', arguments: '{}' } }])),
        tool_call_id: fc.constantFrom('a', 'b', null),
        name: fc.constantFrom('f', 'g', 4),
      },
      { requiredKeys: ['role'] },
    )
    const entry = fc.oneof(
      fc.array(message),
      fc.record({ messages: fc.array(message), split: fc.string() }),
      fc.jsonValue(),
    )
    const content = fc.oneof(
      fc.string().map((one) => Buffer.from(one)),
      fc.uint8Array().map((one) => Buffer.from(one)),
      fc.array(entry).map((entries) => lines(...entries)),
      fc.tuple(fc.array(entry), fc.nat(200)).map(([entries, cut]) => lines(...entries).subarray(0, cut)),
    )
    fc.assert(
      fc.property(content, fc.constantFrom('a.jsonl', 'a.json'), (bytes, path) => {
        try {
          read(bytes, false, path)
        } catch (error) {
          expect(error).toBeInstanceOf(UserError)
          expect((error as Error).message).not.toContain('\n')
        }
        if (path === 'a.jsonl') read(bytes, true, path)
      }),
      { numRuns: 500 },
    )
  })
})
