import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { ChatMessage } from './chat.ts'
import { ChatService } from './chat-service.ts'
import { ServiceError } from './errors.ts'
import { retryAfterSeconds } from './failures.ts'
import { retryDelay } from './retry.ts'
import { answer, inTurn, type Reply } from './testing/reply.ts'
import { closeAfterEach, serverFor, serviceAt } from './testing/service.ts'

closeAfterEach()
afterEach(() => {
  delete process.env.RWML_TEST_KEY
})

const HELLO: ChatMessage[] = [{ role: 'user', content: 'Hello' }]
const KEY = 'planted-key-4711'

async function failure(call: Promise<unknown>): Promise<ServiceError> {
  const error = await call.then(
    () => null,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(ServiceError)
  return error as ServiceError
}

describe('what a second try can mend', () => {
  const status = (number: number): Reply => ({ kind: 'status', status: number })
  const kinds: [kind: string, reply: Reply][] = [
    ['timeout', status(408)],
    ['conflict', status(409)],
    ['rate', status(429)],
    ['server', status(500)],
    ['server', status(503)],
    ['server', { kind: 'status', status: 502, body: '<html>Bad gateway</html>' }],
    ['server', { kind: 'told', error: { message: 'out of memory' } }],
    ['dropped', { kind: 'dropped' }],
    ['dropped', { kind: 'broken', text: 'It is the' }],
    ['stalled', { kind: 'silent' }],
    ['stalled', { kind: 'stalled', text: 'It is the' }],
    ['stalled', answer('a long one', { pauseMs: 500, usage: null })],
    ['cutOff', { kind: 'cutOff', text: 'It is the' }],
    ['malformed', { kind: 'raw', type: 'text/event-stream', body: 'data: {"choices": [\n\n' }],
    ['malformed', { kind: 'raw', type: 'application/json', body: '{"choices": [' }],
    ['malformed', { kind: 'raw', type: 'application/json', body: '{"answer": "yes"}' }],
    ['malformed', { kind: 'raw', type: 'text/html', body: '<html>Log in</html>' }],
    ['empty', answer('')],
    ['empty', answer(' \n')],
    ['empty', { kind: 'whole', text: '' }],
  ]
  for (const [kind, reply] of kinds) {
    it(`${kind}: ${JSON.stringify(reply)}`, async () => {
      const server = await serverFor(inTurn(reply, reply, answer('well')))
      const limits = { firstByteSeconds: 0.5, gapSeconds: 0.75, answerSeconds: 1.25 }
      const service = serviceAt(server.url, kind === 'stalled' ? limits : {})
      expect((await service.complete(HELLO)).text).toBe('well')
      expect(service.counters()).toMatchObject({ calls: 1, requests: 3, retries: 2, errors: { [kind]: 2 } })
    })
  }

  it('hears no line without an end', async () => {
    const endless: Reply = { kind: 'raw', type: 'text/event-stream', body: `data: ${'x'.repeat(5 * 2 ** 20)}` }
    const server = await serverFor(inTurn(endless))
    const error = await failure(serviceAt(server.url, { retries: 0 }).complete(HELLO))
    expect(error.message).toContain('sent more than 4 MiB without an end of a line')
  })

  it('gives up in the end, in one line', async () => {
    const server = await serverFor(
      inTurn({ kind: 'status', status: 503, body: { error: { message: 'over\nloaded' } } }),
    )
    const error = await failure(serviceAt(server.url, { retries: 2 }).complete(HELLO))
    expect(error.message).toBe(
      `m at ${server.url} failed (503, "over loaded"), after 3 tries: look at its log, and resume when it is well again`,
    )
    expect(server.requests.length).toBe(3)
    expect(error.final).toBe(false)
  })

  it('asks again with another seed where the answer was empty', async () => {
    const server = await serverFor(inTurn(answer(''), answer(''), answer('well')))
    await serviceAt(server.url).complete(HELLO, { seed: 5 })
    const seeds = server.requests.map(({ body }) => body.seed)
    expect(seeds[0]).toBe(5)
    expect(new Set(seeds).size).toBe(3)
  })

  it('waits as long as it is asked to, with all requests', async () => {
    const limited: Reply = { kind: 'status', status: 429, headers: { 'retry-after': '0.3' } }
    const server = await serverFor(inTurn(limited, answer('well')))
    const service = serviceAt(server.url)
    const first = service.complete(HELLO)
    while (service.counters().errors.rate === undefined) await new Promise((next) => setTimeout(next, 2))
    await Promise.all([first, service.complete(HELLO)])
    const [refused, ...later] = server.requests.map(({ at }) => at)
    for (const at of later) expect(at - refused).toBeGreaterThan(290)
  })

  it('does not wait for an hour', async () => {
    const limited: Reply = { kind: 'status', status: 429, headers: { 'retry-after': '3600' } }
    const server = await serverFor(inTurn(limited))
    const { message } = await failure(serviceAt(server.url).complete(HELLO))
    expect(message).toContain('is asked too often, and asks to wait 3600 s (429, "status 429"): ')
    expect(server.requests.length).toBe(1)
  })

  it('keeps off a service that is not there', async () => {
    const unused = createServer().listen(0, '127.0.0.1')
    await new Promise((listening) => unused.once('listening', listening))
    const { port } = unused.address() as AddressInfo
    await new Promise((closed) => unused.close(closed))
    const service = serviceAt(`http://127.0.0.1:${port}/v1`, { retries: 1 })
    const { message } = await failure(service.complete(HELLO))
    expect(message).toBe(
      `m at http://127.0.0.1:${port}/v1 cannot be reached (ECONNREFUSED), after 2 tries: start it, or correct url, then resume`,
    )
    const nowhere = await failure(serviceAt('http://nowhere.invalid/v1').complete(HELLO))
    expect(nowhere.message).toMatch(/^m at http:\/\/nowhere\.invalid\/v1 cannot be reached \((ENOTFOUND|EAI_AGAIN)\)/)
  })
})

describe('what no second try can mend', () => {
  const cases: [what: string, reply: Reply, line: string][] = [
    [
      '400',
      { kind: 'status', status: 400, body: { error: { message: 'too long' } } },
      'refuses the request (400, "too long"): check model',
    ],
    [
      '400 in a stream',
      { kind: 'told', error: { message: 'no', code: 400 } },
      'refuses the request (400, "no"): check model',
    ],
    [
      '401',
      { kind: 'status', status: 401 },
      'wants a key (401): name the environment variable that holds one as keyVariable',
    ],
    ['402', { kind: 'status', status: 402 }, 'says that the account is used up (402, "status 402"): add credit'],
    ['403', { kind: 'status', status: 403 }, 'forbids this (403, "status 403"): use a key'],
    [
      '404',
      { kind: 'status', status: 404, body: { detail: 'Not Found' } },
      'has no such address or model (404): check url',
    ],
    [
      '404 as text',
      { kind: 'status', status: 404, body: { error: 'no model m' } },
      'has no such address or model (404, "no model m"): check',
    ],
    [
      '301',
      { kind: 'status', status: 301, headers: { location: 'http://x/' } },
      'has moved to http://x/ (301, "status 301"): give the new',
    ],
    [
      'an empty account',
      { kind: 'status', status: 429, body: { error: { message: 'pay', code: 'insufficient_quota' } } },
      'says that the account is used up (429, "pay"): add credit',
    ],
  ]
  for (const [what, reply, line] of cases) {
    it(what, async () => {
      const server = await serverFor(inTurn(reply))
      const { message } = await failure(serviceAt(server.url).complete(HELLO))
      expect(message.startsWith(`m at ${server.url} ${line}`), message).toBe(true)
      expect(server.requests.length).toBe(1)
    })
  }
})

describe('the key', () => {
  it('goes to the service and into no message', async () => {
    process.env.RWML_TEST_KEY = KEY
    const server = await serverFor(({ headers }, i) => ({
      kind: 'status',
      status: [401, 400, 403][i],
      body: { error: { message: `you sent ${headers.authorization}` } },
    }))
    const service = serviceAt(server.url, { keyVariable: 'RWML_TEST_KEY' })
    const messages = [1, 2, 3].map(() => failure(service.complete(HELLO)))
    for await (const { message, stack, failure } of messages) {
      expect(`${message} ${stack} ${JSON.stringify(failure)}`).not.toContain(KEY)
    }
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill(`Bearer ${KEY}`))
  })

  it('is the one that was named, not one that lies about', async () => {
    const lying = {
      OPENAI_API_KEY: 'a',
      OPENAI_ADMIN_KEY: 'b',
      OPENAI_ORG_ID: 'c',
      OPENAI_CUSTOM_HEADERS: 'Authorization: d',
    }
    Object.assign(process.env, lying)
    try {
      const server = await serverFor(inTurn(answer('ok')))
      await serviceAt(server.url).complete(HELLO)
      expect(server.requests[0].headers.authorization).toBeUndefined()
      expect(server.requests[0].headers['openai-organization']).toBeUndefined()
    } finally {
      for (const name of Object.keys(lying)) delete process.env[name]
    }
  })

  it('is missed at once', () => {
    const url = 'http://127.0.0.1:1/v1'
    expect(() => new ChatService({ url, model: 'm', keyVariable: 'RWML_TEST_KEY' })).toThrow(
      `RWML_TEST_KEY is not set: export the key for ${url} under that name`,
    )
    for (const keyVariable of ['sk-something', 'AIzaSyLetters', 'tml_letters']) {
      expect(() => new ChatService({ url, model: 'm', keyVariable })).toThrow(
        /^the settings of a model service: keyVariable must be the name of an environment variable \(capitals, digits, _\), not the key itself$/,
      )
    }
    expect(() => new ChatService({ url: 'http://me:secret@host/v1', model: 'm' })).toThrow(
      /^the settings of a model service: url must hold no name, password or query: a key goes into an environment variable$/,
    )
    expect(() => new ChatService({ url: 'localhost:8000', model: 'm' })).toThrow('url must be an http or https address')
  })
})

it('reads how long to wait', () => {
  const seconds = (headers: Record<string, string>) => retryAfterSeconds(new Headers(headers))
  expect(seconds({})).toBeUndefined()
  expect(seconds({ 'retry-after': 'soon' })).toBeUndefined()
  expect(seconds({ 'retry-after': '7' })).toBe(7)
  expect(seconds({ 'retry-after': '7', 'retry-after-ms': '250' })).toBe(0.25)
  expect(seconds({ 'retry-after': new Date(Date.now() + 60_000).toUTCString() })).toBeCloseTo(60, -1)
  expect(seconds({ 'retry-after': new Date(Date.now() - 60_000).toUTCString() })).toBe(0)
})

it('waits twice as long each time, never all at once, never less than asked', () => {
  const delay = (retries: number, jitter: number, retryAfter?: number) =>
    retryDelay({ retries, backoffSeconds: 1, jitter, retryAfter })
  expect([0, 1, 2, 10].map((retries) => delay(retries, 0))).toEqual([0.5, 1, 2, 30])
  expect(delay(1, 0.5)).toBe(1.5)
  expect(delay(0, 0, 20)).toBe(20)
  expect(delay(0, 0.5, 20)).toBe(21)
})
