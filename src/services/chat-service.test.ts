import { expect, it } from 'vitest'
import type { Tool, ToolCall } from '../core/index.ts'
import type { ChatMessage } from './chat.ts'
import { answer, inTurn } from './testing/reply.ts'
import { closeAfterEach, serverFor, serviceAt } from './testing/service.ts'

closeAfterEach()

const HELLO: ChatMessage[] = [{ role: 'user', content: 'Hello' }]
const TOOL: Tool = {
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object', properties: { at: { type: 'string' } } },
}

it('puts a streamed answer together, whatever way its bytes are torn', async () => {
  const text = 'Grüße, 世界 🌍: a "quoted"\n\nline'
  const server = await serverFor(inTurn(answer(text, { usage: { prompt_tokens: 7, completion_tokens: 9 } })))
  const got = await serviceAt(server.url).complete(HELLO)
  expect(got).toEqual({
    text,
    reasoning: '',
    toolCalls: [],
    finishReason: 'stop',
    usage: { inputTokens: 7, cachedInputTokens: 0, outputTokens: 9 },
    usageEstimated: false,
    cost: 0,
    cached: false,
  })
})

it('sends what was asked for, and nothing of this machine', async () => {
  const server = await serverFor(inTurn(answer('ok')))
  const calls: ToolCall[] = [{ id: 'c1', name: 'look', arguments: '{"at" : 2.0}' }]
  const messages: ChatMessage[] = [
    { role: 'system', content: 'Rules' },
    ...HELLO,
    { role: 'assistant', content: '', toolCalls: calls },
    { role: 'tool', toolCallId: 'c1', content: 'a lamp' },
    { role: 'assistant', content: 'A lamp.' },
  ]
  const extra = { top_p: 0.8, stream_options: null }
  const service = serviceAt(server.url, { extra, maxTokensField: 'max_completion_tokens' })
  await service.complete(messages, {
    tools: [TOOL, { name: 'wait' }],
    temperature: 0,
    maxTokens: 50,
    seed: 3,
    stop: ['x'],
  })
  const [{ body, headers }] = server.requests
  expect(body).toEqual({
    model: 'm',
    messages: [
      { role: 'system', content: 'Rules' },
      { role: 'user', content: 'Hello' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at" : 2.0}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'a lamp' },
      { role: 'assistant', content: 'A lamp.' },
    ],
    tools: [
      { type: 'function', function: TOOL },
      { type: 'function', function: { name: 'wait', parameters: { type: 'object', properties: {} } } },
    ],
    temperature: 0,
    max_completion_tokens: 50,
    seed: 3,
    stop: ['x'],
    stream: true,
    top_p: 0.8,
  })
  expect(headers.authorization).toBeUndefined()
  expect(Object.keys(headers).filter((name) => name.startsWith('x-'))).toEqual([])
})

it('gives tool calls exactly as they were written', async () => {
  const calls: ToolCall[] = [
    { id: 'a', name: 'look', arguments: '{"at":  "the \\"desk\\"", "n": 1.0}' },
    { id: 'b', name: 'look', arguments: '{not json' },
    { id: 'c', name: 'wait', arguments: '' },
  ]
  const server = await serverFor(inTurn(answer('', { calls }), { kind: 'whole', calls, text: 'Let me see.' }))
  const service = serviceAt(server.url)
  expect(await service.complete(HELLO, { tools: [TOOL] })).toMatchObject({
    text: '',
    toolCalls: calls,
    finishReason: 'tool_calls',
  })
  expect(await service.complete(HELLO, { tools: [TOOL] })).toMatchObject({ text: 'Let me see.', toolCalls: calls })
})

it('tells calls apart where a service numbers them badly', async () => {
  const piece = (call: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [call] }, finish_reason: finish }] })}\n\n`
  const stream = (...pieces: string[]) => ({ kind: 'raw', type: 'text/event-stream', body: pieces.join('') }) as const
  const server = await serverFor(
    inTurn(
      // Every call has index 0 and comes whole.
      stream(
        piece({ index: 0, id: 'a', function: { name: 'one', arguments: '{}' } }),
        piece({ index: 0, id: 'b', function: { name: 'two', arguments: '{}' } }, 'stop'),
      ),
      // No index and no id.
      stream(
        piece({ function: { name: 'one', arguments: '{}' } }),
        piece({ function: { name: 'two', arguments: '{}' } }, 'stop'),
      ),
      // Another id with every piece, and the pieces of two calls mixed.
      stream(
        piece({ index: 0, id: 'a', function: { name: 'one', arguments: '{"x"' } }),
        piece({ index: 1, id: 'b', function: { name: 'two', arguments: '{' } }),
        piece({ index: 0, id: 'a2', function: { arguments: ':1}' } }),
        piece({ index: 1, id: 'b2', function: { arguments: '}' } }, 'tool_calls'),
      ),
    ),
  )
  const service = serviceAt(server.url)
  const named = async () => (await service.complete(HELLO)).toolCalls.map((call) => Object.values(call).join(' '))
  expect(await named()).toEqual(['a one {}', 'b two {}'])
  expect(await named()).toEqual(['call-0 one {}', 'call-1 two {}'])
  expect(await named()).toEqual(['a one {"x":1}', 'b two {}'])
})

it('keeps thoughts apart, under either name', async () => {
  const server = await serverFor(
    inTurn(answer('Yes.', { reasoning: { reasoning_content: 'Let me think.' } }), {
      kind: 'whole',
      text: 'No.',
      reasoning: { reasoning: 'Hm.' },
      finish: 'length',
    }),
  )
  const service = serviceAt(server.url)
  expect(await service.complete(HELLO)).toMatchObject({
    text: 'Yes.',
    reasoning: 'Let me think.',
    finishReason: 'stop',
  })
  expect(await service.complete(HELLO)).toMatchObject({ text: 'No.', reasoning: 'Hm.', finishReason: 'length' })
})

it('estimates tokens where the service does not count, and says so', async () => {
  const server = await serverFor(inTurn(answer('twelve chars', { usage: null })))
  const service = serviceAt(server.url)
  const got = await service.complete(HELLO)
  expect(got.usageEstimated).toBe(true)
  expect(got.usage.outputTokens).toBe(3)
  expect(got.usage.inputTokens).toBeGreaterThan(10)
  expect(service.counters()).toMatchObject({ calls: 1, requests: 1, estimated: 1, outputTokens: 3 })
})

it('takes an answer whose end has come, whatever becomes of the connection', async () => {
  const server = await serverFor(inTurn({ kind: 'lingering', text: 'All of it.' }))
  const service = serviceAt(server.url, { gapSeconds: 0.1 })
  expect(await service.complete(HELLO)).toMatchObject({ text: 'All of it.', usageEstimated: true })
  expect(service.counters().requests).toBe(1)
})

it('keeps to its concurrency and its rate', async () => {
  const server = await serverFor(inTurn(answer('ok', { waitMs: 30 })))
  const service = serviceAt(server.url, { maxConcurrent: 3 })
  await Promise.all(Array.from({ length: 12 }, () => service.complete(HELLO)))
  expect(server.mostOpen).toBe(3)

  const slow = serviceAt(server.url, { requestsPerMinute: 1200 })
  const before = server.requests.length
  await Promise.all(Array.from({ length: 5 }, () => slow.complete(HELLO)))
  const times = server.requests.slice(before).map(({ at }) => at)
  expect(times[4] - times[0]).toBeGreaterThan(180)
})

it('breaks off what is under way when it is closed', async () => {
  const server = await serverFor(inTurn({ kind: 'silent' }))
  const service = serviceAt(server.url, { maxConcurrent: 1 })
  const both = [service.complete(HELLO), service.complete(HELLO)].map((call) =>
    call.catch((error: Error) => error.message),
  )
  while (server.requests.length === 0) await new Promise((next) => setTimeout(next, 5))
  await service.close()
  const line = `m at ${server.url} was not heard to the end: resume to ask again`
  expect(await Promise.all(both)).toEqual([line, line])
  expect(server.requests.length).toBe(1)
})
