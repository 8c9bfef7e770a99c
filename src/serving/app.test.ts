import { describe, expect, it } from 'vitest'
import type { Sample } from '../engines/index.ts'
import { ScriptedSampler } from '../engines/testing/scripted-sampler.ts'
import { loadChatFormat } from '../tokens/index.ts'
import { Admission } from './admission.ts'
import { createApp } from './app.ts'
import { Batcher } from './batcher.ts'
import { LIMITS } from './limits.ts'
import { ServedModel } from './model.ts'
import { MINI } from './testing/model.ts'

const format = loadChatFormat(MINI)
const letters = (text: string) => [...Buffer.from(text)]

/** An app above a sampler that answers every burst with the same letters. */
function open(sampler = new ScriptedSampler(() => letters('abcd'), 64), key: string | null = null) {
  const model = new ServedModel(['small', 'org/small'], format, sampler, 1)
  const admission = new Admission()
  const log: string[] = []
  const batcher = new Batcher(sampler, format.stop)
  const app = createApp({ model, admission, batcher, key, log: (line) => void log.push(line) })
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    app.request(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return { app, admission, log, post, sampler }
}

/** An engine that never answers. */
class Stuck extends ScriptedSampler {
  constructor() {
    super(() => [], 64)
  }
  override sample(): Promise<Sample[][]> {
    return new Promise(() => {})
  }
}

interface ErrorBody {
  error: { message: string; type: string; param: string | null; code: string | null }
}

async function errorOf(response: Response): Promise<ErrorBody['error']> {
  return ((await response.json()) as ErrorBody).error
}

const hello = [{ role: 'user', content: 'hi' }]

describe('what is refused', () => {
  const chats: [string, object, string, RegExp][] = [
    ['no messages', {}, 'messages', /^messages is missing$/],
    ['empty messages', { messages: [] }, 'messages', /must not be empty/],
    [
      'a wrong role',
      { messages: [{ role: 'tool', content: 'x' }] },
      'messages[0].role',
      /must be one of "system", "developer"/,
    ],
    ['content of another type', { messages: [{ role: 'user', content: 3 }] }, 'messages[0].content', /must be a text/],
    [
      'an image',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
      'messages[0].content[0].type',
      /only text is supported/,
    ],
    ['a name', { messages: [{ ...hello[0], name: 'Ann' }] }, 'messages[0].name', /is not known: leave it out/],
    ['tools', { messages: hello, tools: [{ type: 'function' }] }, 'tools', /is not supported here/],
    ['a response format', { messages: hello, response_format: { type: 'json_object' } }, 'response_format', /not supp/],
    ['penalties', { messages: hello, frequency_penalty: 0.1 }, 'frequency_penalty', /not supported/],
    ['a logit bias', { messages: hello, logit_bias: { 5: 1 } }, 'logit_bias', /not supported/],
    ['unknown fields', { messages: hello, top_k: 5 }, 'top_k', /is not known: leave it out/],
    ['a hot temperature', { messages: hello, temperature: 3 }, 'temperature', /must be at most 2/],
    ['a vanishing temperature', { messages: hello, temperature: 1e-9 }, 'temperature', /0 takes the most probable/],
    ['no top-p', { messages: hello, top_p: 0 }, 'top_p', /must be above 0/],
    ['n of zero', { messages: hello, n: 0 }, 'n', /must be at least 1/],
    ['n of many', { messages: hello, n: 129 }, 'n', /must be at most 128/],
    ['half a seed', { messages: hello, seed: 0.5 }, 'seed', /must be a whole number/],
    ['an empty stop', { messages: hello, stop: '' }, 'stop', /must not be empty/],
    ['an empty stop among others', { messages: hello, stop: ['a', ''] }, 'stop[1]', /must not be empty/],
    ['no tokens', { messages: hello, max_tokens: 0 }, 'max_tokens', /must be at least 1/],
    ['alternatives alone', { messages: hello, top_logprobs: 2 }, 'top_logprobs', /goes with logprobs: true/],
    ['many alternatives', { messages: hello, logprobs: true, top_logprobs: 21 }, 'top_logprobs', /must be at most 20/],
    ['stream options alone', { messages: hello, stream_options: {} }, 'stream_options', /goes with stream: true/],
    ['an answer beyond the context', { messages: hello, max_tokens: 64 }, 'messages', /exceed the context of 64/],
    [
      'a prompt beyond the context',
      { messages: [{ role: 'user', content: 'x'.repeat(100) }] },
      'messages',
      /102 prompt/,
    ],
    ['a huge prompt', { messages: [{ role: 'user', content: 'x'.repeat(1e6) }] }, 'messages', /has 100\d+ characters/],
  ]
  for (const [name, body, param, message] of chats) {
    it(`in chats: ${name}`, async () => {
      const { post, sampler } = open()
      const response = await post('/v1/chat/completions', body)
      const error = await errorOf(response)
      expect(response.status).toBe(400)
      expect(error).toMatchObject({ type: 'invalid_request_error', param })
      expect(error.message).toMatch(message)
      expect(sampler.calls).toHaveLength(0)
    })
  }

  const completions: [string, object, string, RegExp][] = [
    ['no prompt', {}, 'prompt', /must be a text or a list/],
    ['an empty prompt', { prompt: '' }, 'prompt', /is empty/],
    ['an empty prompt among others', { prompt: ['a', ''] }, 'prompt', /is empty/],
    ['no prompts', { prompt: [] }, 'prompt', /must be a text or a list/],
    ['tokens that are none', { prompt: [1, 512] }, 'prompt', /token 512; the vocabulary has 512/],
    ['negative tokens', { prompt: [1, -1] }, 'prompt[1]', /must be at least 0/],
    ['more answers than one request may have', { prompt: ['a', 'b'], n: 128 }, 'n', /more than 128 answers/],
    ['nothing at all', { prompt: 'a', max_tokens: 0 }, 'max_tokens', /goes with echo: true/],
    ['a suffix', { prompt: 'a', suffix: 'b' }, 'suffix', /not supported/],
    ['the best of many', { prompt: 'a', best_of: 2 }, 'best_of', /not supported/],
    ['scoring where the engine cannot', { prompt: 'a', echo: true, logprobs: 1 }, 'echo', /cannot score/],
  ]
  for (const [name, body, param, message] of completions) {
    it(`in completions: ${name}`, async () => {
      const response = await open().post('/v1/completions', body)
      const error = await errorOf(response)
      expect(response.status).toBe(400)
      expect(error).toMatchObject({ type: 'invalid_request_error', param })
      expect(error.message).toMatch(message)
    })
  }

  it('a body that is no JSON, is none in name, or is too large', async () => {
    const { app, post } = open()
    const broken = await post('/v1/completions', '{"prompt": ')
    expect([broken.status, (await errorOf(broken)).message]).toEqual([400, expect.stringMatching(/is not JSON/)])
    const list = await post('/v1/completions', [])
    expect([list.status, (await errorOf(list)).message]).toEqual([
      400,
      expect.stringMatching(/the body must be an object, not a list/),
    ])
    const form = await app.request('/v1/completions', { method: 'POST', body: '{"prompt":"a"}' })
    expect([form.status, (await errorOf(form)).message]).toEqual([415, expect.stringMatching(/Content-Type/)])
    const large = await post('/v1/completions', { prompt: 'x'.repeat(LIMITS.body) })
    expect([large.status, (await errorOf(large)).message]).toEqual([413, expect.stringMatching(/1048576 bytes/)])
  })

  it('another path, method, model or host', async () => {
    const { app, post } = open()
    const nowhere = await app.request('/v1/embeddings', { method: 'POST' })
    expect(nowhere.status).toBe(404)
    expect((await errorOf(nowhere)).message).toBe(
      'there is no POST /v1/embeddings here; there is GET /health, GET /v1/models, GET /v1/models/:model, POST /v1/chat/completions, POST /v1/completions, GET /tokenizer_info, POST /tokenize, POST /detokenize',
    )
    for (const [path, method, allow] of [
      ['/v1/completions', 'GET', 'POST'],
      ['/v1/models/org/small', 'DELETE', 'GET'],
    ]) {
      const refused = await app.request(path, { method })
      expect([refused.status, refused.headers.get('Allow')]).toEqual([405, allow])
      expect((await errorOf(refused)).message).toBe(`${path} answers to ${allow}, not to ${method}`)
    }
    const other = await post('/v1/completions', { model: 'large', prompt: 'a' })
    expect(other.status).toBe(404)
    expect(await errorOf(other)).toMatchObject({
      code: 'model_not_found',
      message: 'there is no model "large" here; there is small, org/small',
    })
    for (const host of ['127.0.0.1:8000', 'localhost', '[::1]:80']) {
      expect((await app.request('/v1/models', { headers: { Host: host } })).status).toBe(200)
    }
  })
})

describe('who is answered', () => {
  const ask = (headers: Record<string, string>, key: string | null = null) =>
    open(undefined, key).post('/v1/completions', { prompt: 'a', max_tokens: 2 }, headers)

  it('nobody under another name than this machine’s', async () => {
    for (const host of [
      'example.com',
      '127.0.0.1.example.com',
      'localhost@example.com',
      '127.0.0.1:80:80',
      '0.0.0.0',
      '',
    ]) {
      const response = await ask({ Host: host })
      expect([host, response.status]).toEqual([host, 403])
      expect((await errorOf(response)).message).toMatch(/answers to 127.0.0.1 and localhost only, not to "/)
    }
  })

  it('no page of another site, and no page is told that it may ask', async () => {
    const pages: Record<string, string>[] = [
      { Origin: 'https://example.com' },
      { Origin: 'null' },
      { Origin: 'http://localhost.example.com' },
      { 'Sec-Fetch-Site': 'cross-site' },
    ]
    for (const headers of pages) {
      const response = await ask(headers)
      expect([headers, response.status]).toEqual([headers, 403])
    }
    expect((await ask({ Origin: 'http://localhost:3000' })).status).toBe(200)
    const { app } = open()
    // What a browser asks first: without leave it sends no JSON.
    for (const origin of ['https://example.com', 'http://localhost:3000']) {
      const headers = { Origin: origin, 'Access-Control-Request-Method': 'POST' }
      const leave = await app.request('/v1/completions', { method: 'OPTIONS', headers })
      expect(leave.ok).toBe(false)
      expect([...leave.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
    // And what it sends without asking is not taken.
    const simple = await app.request('/v1/completions', {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain' },
      body: '{"prompt":"a"}',
    })
    expect(simple.status).toBe(415)
  })

  it('nobody without the key, where there is one', async () => {
    const key = 'planted-serve-key'
    const callers: Record<string, string>[] = [
      {},
      { Authorization: 'Bearer planted-serve-kez' },
      { Authorization: key },
      { Authorization: '' },
    ]
    for (const headers of callers) {
      const response = await ask(headers, key)
      expect([headers, response.status, response.headers.get('WWW-Authenticate')]).toEqual([headers, 401, 'Bearer'])
      expect(JSON.stringify(await errorOf(response))).not.toContain(key)
    }
    expect((await ask({ Authorization: `Bearer ${key}` }, key)).status).toBe(200)
    const { app } = open(undefined, key)
    for (const path of ['/v1/models', '/tokenizer_info', '/nowhere']) expect((await app.request(path)).status).toBe(401)
    expect((await app.request('/health')).status).toBe(200)
  })
})

describe('what changes nothing', () => {
  it('is taken', async () => {
    const response = await open().post('/v1/chat/completions', {
      model: 'org/small',
      messages: hello,
      max_tokens: 6,
      user: 'me',
      metadata: { a: 'b' },
      store: false,
      tools: [],
      tool_choice: 'none',
      response_format: { type: 'text' },
      frequency_penalty: 0,
      presence_penalty: null,
      logit_bias: {},
      stop: null,
      n: null,
    })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      model: 'org/small',
      choices: [{ message: { content: 'abcdab' }, finish_reason: 'length' }],
      usage: { completion_tokens: 6 },
    })
  })
})

describe('the tokenizer', () => {
  it('is at hand, as it is', async () => {
    const { app, post } = open()
    expect(await (await app.request('/tokenizer_info')).json()).toEqual({ bos_token: null, eos_token: '<|end|>' })
    const text = 'go to drawer 1. é'
    const tokens = format.tokenizer.encode(text)
    const encoded = await post('/tokenize', { prompt: text, add_special_tokens: false })
    expect(await encoded.json()).toEqual({ tokens, count: tokens.length, max_model_len: 64 })
    expect(await (await post('/detokenize', { tokens })).json()).toEqual({ prompt: text })
    expect((await post('/tokenize', { prompt: 3 })).status).toBe(400)
    expect((await post('/detokenize', { tokens: [-1] })).status).toBe(400)
  })
})

describe('models and health', () => {
  it('are told', async () => {
    const { app } = open()
    const { data } = (await (await app.request('/v1/models')).json()) as { data: object[] }
    expect(data).toEqual([
      { id: 'small', object: 'model', created: 1, owned_by: 'rwml', max_model_len: 64 },
      { id: 'org/small', object: 'model', created: 1, owned_by: 'rwml', max_model_len: 64 },
    ])
    expect(await (await app.request('/v1/models/org/small')).json()).toEqual(data[1])
    expect((await app.request('/v1/models/large')).status).toBe(404)
    expect(await (await app.request('/health')).json()).toEqual({ status: 'ok', model: 'small', answers: 0 })
  })

  it('say where the engine fails, and so does the answer, whole or streamed', async () => {
    const { app, post, log } = open(
      new ScriptedSampler(() => {
        throw new Error('it broke')
      }),
    )
    const whole = await post('/v1/completions', { prompt: 'a' })
    expect(whole.status).toBe(500)
    expect(await errorOf(whole)).toMatchObject({ type: 'server_error', message: 'the engine failed: it broke' })
    const stream = await (await post('/v1/completions', { prompt: 'a', stream: true })).text()
    expect(stream).toMatch(/^data: \{"error":\{"message":"the engine failed: it broke".*\}\n\n$/)
    const health = await app.request('/health')
    expect(health.status).toBe(503)
    expect(await health.json()).toMatchObject({ status: 'failing', error: 'the engine failed: it broke', answers: 0 })
    expect(log).toEqual([
      'POST /v1/completions 500, the engine failed: it broke',
      expect.stringMatching(/200 stream, broken off: the engine failed: it broke, 1 \+ 0 tokens/),
    ])
  })
})

describe('a full or ending server', () => {
  it('tells a request when to come back', async () => {
    const { post, admission } = open(new Stuck())
    const filling = Array.from({ length: LIMITS.waiting / LIMITS.answers }, () =>
      post('/v1/completions', { prompt: 'a', n: LIMITS.answers }),
    )
    while (admission.answers < LIMITS.waiting) await new Promise(setImmediate)
    const refused = await post('/v1/completions', { prompt: 'a' })
    expect(refused.status).toBe(429)
    expect(refused.headers.get('Retry-After')).toBe('1')
    expect(await errorOf(refused)).toMatchObject({ type: 'rate_limit_error', code: 'rate_limit_exceeded' })
    expect(admission.answers).toBe(LIMITS.waiting)
    void filling
  })

  it('finishes what is open and refuses what is new', async () => {
    const { post, admission } = open()
    const open_ = post('/v1/completions', { prompt: 'a', max_tokens: 40 })
    while (admission.answers === 0) await new Promise(setImmediate)
    const closed = admission.close()
    const refused = await post('/v1/completions', { prompt: 'a' })
    expect([refused.status, (await errorOf(refused)).message]).toEqual([503, 'the server is stopping'])
    expect((await open_).status).toBe(200)
    expect(await closed).toBe(true)
  })

  it('cancels what does not end', async () => {
    const { post, admission } = open(new Stuck())
    const stuck = post('/v1/completions', { prompt: 'a' })
    while (admission.answers === 0) await new Promise(setImmediate)
    expect(await admission.close(1)).toBe(false)
    expect((await stuck).status).toBe(503)
    expect(admission.answers).toBe(0)
  })
})
