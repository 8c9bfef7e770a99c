import { rmSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { dirname } from 'node:path'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLocalEngine } from '../engines/index.ts'
import { loadChatFormat } from '../tokens/index.ts'
import { type RunningServer, startServer } from './server.ts'
import { MINI, writeRandomModel } from './testing/model.ts'

type Chat = OpenAI.ChatCompletionCreateParamsNonStreaming
type Completion = OpenAI.CompletionCreateParamsNonStreaming

const format = loadChatFormat(MINI)
const scene =
  '-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see a drawer 1, and a fridge 1.\n\nYour task is to: put an apple in the fridge.'
const messages: Chat['messages'] = [{ role: 'user', content: scene }]

/** The miniature answers as it was trained to; the random model writes long and varied nonsense. */
let mini: { server: RunningServer; client: OpenAI }
let random: { server: RunningServer; client: OpenAI }
let randomFolder: string
const log: string[] = []

async function start(folder: string, names: string[] = []): Promise<typeof mini> {
  const server = await startServer({ folder, port: 0, threads: 2, names, log: (line) => void log.push(line) })
  return { server, client: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 }) }
}

beforeAll(async () => {
  randomFolder = await writeRandomModel()
  mini = await start(MINI)
  random = await start(randomFolder, ['nonsense', 'org/nonsense'])
}, 120_000)
afterAll(async () => {
  await mini.server.close()
  await random.server.close()
  rmSync(dirname(randomFolder), { recursive: true })
})

const chat = (params: Partial<Chat> = {}) => mini.client.chat.completions.create({ model: 'mini', messages, ...params })
const nonsense = (params: Partial<Completion> = {}) =>
  random.client.completions.create({ model: 'nonsense', prompt: 'go to drawer 1', max_tokens: 40, seed: 1, ...params })

/** The pieces of a stream's first answer, and its last chunk. */
async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const chunks: T[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

describe('chat', () => {
  it('answers as the engine does, with exact usage', async () => {
    const answer = await chat({ temperature: 0 })
    const engine = await openLocalEngine(MINI, { threads: 1 })
    const prompt = format.tokenizer.encode(format.promptText([{ role: 'user', content: scene }]))
    const params = { n: 1, maxTokens: 100, temperature: 0, stop: format.stop, seed: 0 }
    const [[sample]] = await engine.trainer().sampler().sample([prompt], params)
    await engine.close()
    expect(answer.choices).toHaveLength(1)
    expect(answer.choices[0]).toMatchObject({
      index: 0,
      message: { role: 'assistant', content: format.replyText(sample.tokens), refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    })
    expect(answer.usage).toEqual({
      prompt_tokens: prompt.length,
      completion_tokens: sample.tokens.length,
      total_tokens: prompt.length + sample.tokens.length,
    })
    expect(answer).toMatchObject({ object: 'chat.completion', model: 'mini' })
  })

  it('takes an answer back as it was given, text in parts, and a developer as a system', async () => {
    const first = await chat({ seed: 1 })
    const next: Chat['messages'] = [
      { role: 'developer', content: 'Play.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: scene.slice(0, 50) },
          { type: 'text', text: scene.slice(50) },
        ],
      },
      first.choices[0].message,
      { role: 'user', content: 'Nothing happens.' },
    ]
    const same: Chat['messages'] = [
      { role: 'system', content: 'Play.' },
      { role: 'user', content: scene },
      { role: 'assistant', content: first.choices[0].message.content },
      { role: 'user', content: 'Nothing happens.' },
    ]
    const [a, b] = [await chat({ messages: next, seed: 2 }), await chat({ messages: same, seed: 2 })]
    expect(a.choices).toEqual(b.choices)
    expect(a.usage).toEqual(b.usage)
  })

  it('streams the same answer, with usage at the end where wanted', async () => {
    const params = { seed: 5, temperature: 1, max_completion_tokens: 60 }
    const whole = await chat(params)
    const stream = await mini.client.chat.completions.create({
      model: 'mini',
      messages,
      ...params,
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks = await collect(stream)
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(whole.choices[0].message.content)
    expect(chunks[0].choices[0].delta.role).toBe('assistant')
    expect(chunks.at(-2)?.choices[0].finish_reason).toBe(whole.choices[0].finish_reason)
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage })
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
    const final = await mini.client.chat.completions
      .stream({ model: 'mini', messages, ...params })
      .finalChatCompletion()
    expect(final.choices[0].message.content).toBe(whole.choices[0].message.content)
  })

  it('gives log-probabilities for every token drawn, the most probable ones beside each', async () => {
    const { choices, usage } = await chat({ seed: 3, temperature: 0.7, logprobs: true, top_logprobs: 3 })
    const content = choices[0].logprobs!.content!
    expect(content).toHaveLength(usage!.completion_tokens)
    expect(content.map(({ token }) => token).join('')).toBe(`${choices[0].message.content}<|end|>`)
    for (const { token, bytes, logprob, top_logprobs } of content) {
      expect(Buffer.from(bytes!).toString()).toBe(token)
      const figures = top_logprobs.map((other) => other.logprob)
      expect(figures).toHaveLength(3)
      expect(figures).toEqual(figures.toSorted((a, b) => b - a))
      expect(logprob).toBeLessThanOrEqual(figures[0])
      const own = top_logprobs.find((other) => other.token === token)
      if (own) expect(own.logprob).toBe(logprob)
    }
    const bare = await chat({ seed: 3, temperature: 0.7, logprobs: true })
    expect(bare.choices[0].logprobs!.content!.every(({ top_logprobs }) => top_logprobs.length === 0)).toBe(true)
  })
})

describe('completions', () => {
  it('ends at the length asked for, and knows texts and token ids', async () => {
    const text = await nonsense({ max_tokens: 7 })
    expect(text).toMatchObject({ object: 'text_completion', choices: [{ finish_reason: 'length' }] })
    expect(text.usage).toEqual({ prompt_tokens: 2, completion_tokens: 7, total_tokens: 9 })
    const prompt = format.tokenizer.encode('go to drawer 1')
    expect((await nonsense({ prompt, max_tokens: 7 })).choices).toEqual(text.choices)
    const several = await nonsense({ prompt: [prompt, [1, 2, 3]], max_tokens: 7, n: 2 })
    expect(several.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3])
    expect(several.choices[0].text).toBe(text.choices[0].text)
    expect(several.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 28 })
    expect((await nonsense({ max_tokens: null })).usage!.completion_tokens).toBe(16)
  })

  it('gives n different answers; the first is that of n = 1, each is that of its seed again', async () => {
    const [one, four, again] = [await nonsense(), await nonsense({ n: 4 }), await nonsense({ n: 4 })]
    expect(new Set(four.choices.map(({ text }) => text)).size).toBe(4)
    expect(four.choices[0].text).toBe(one.choices[0].text)
    expect(again.choices).toEqual(four.choices)
    expect((await nonsense({ seed: 2 })).choices[0].text).not.toBe(one.choices[0].text)
    const unseeded = [await nonsense({ seed: undefined }), await nonsense({ seed: undefined })]
    expect(unseeded[0].choices[0].text).not.toBe(unseeded[1].choices[0].text)
  })

  it('ends before a stop string, one or several, streamed or not', async () => {
    const { text } = (await nonsense({ max_tokens: 200 })).choices[0]
    const words = text.slice(20)
    for (const stop of [words.slice(3, 8), ['not in it at all', words.slice(11, 13)]]) {
      const first = Math.min(
        ...[stop]
          .flat()
          .map((one) => text.indexOf(one))
          .filter((at) => at >= 0),
      )
      const answer = await nonsense({ max_tokens: 200, stop })
      expect(answer.choices[0]).toMatchObject({ text: text.slice(0, first), finish_reason: 'stop' })
      expect(answer.usage!.completion_tokens).toBeLessThan(200)
      const stream = await random.client.completions.create({
        model: 'nonsense',
        prompt: 'go to drawer 1',
        max_tokens: 200,
        seed: 1,
        stop,
        stream: true,
      })
      const chunks = await collect(stream)
      expect(chunks.map(({ choices }) => choices[0].text).join('')).toBe(text.slice(0, first))
    }
  })

  it('streams several answers side by side', async () => {
    const whole = await nonsense({ n: 3, prompt: ['look', 'go to '], echo: true })
    const stream = await random.client.completions.create({
      model: 'nonsense',
      prompt: ['look', 'go to '],
      max_tokens: 40,
      seed: 1,
      n: 3,
      echo: true,
      stream: true,
    })
    const texts = Array.from({ length: 6 }, () => '')
    for await (const { choices } of stream) texts[choices[0].index] += choices[0].text
    expect(texts).toEqual(whole.choices.map(({ text }) => text))
    expect(texts[0].startsWith('look')).toBe(true)
  })
})

describe('scoring of given text', () => {
  it('echoes a prompt with the log-probabilities that the engine gives', async () => {
    const text = 'go to drawer 1 é\nYou see a fridge 1.'
    const tokens = format.tokenizer.encode(text)
    const engine = await openLocalEngine(MINI, { threads: 1 })
    const [expected] = await engine.trainer().sampler().logprobs([tokens])
    await engine.close()
    for (const max_tokens of [0, 1]) {
      const params = { model: 'mini', prompt: text, echo: true, logprobs: 2, max_tokens, temperature: 0 }
      const { choices, usage } = await mini.client.completions.create(params)
      const { tokens: pieces, token_logprobs, top_logprobs, text_offset } = choices[0].logprobs!
      expect(choices[0].text.startsWith(text)).toBe(true)
      for (const column of [pieces, token_logprobs, top_logprobs, text_offset]) {
        expect(column).toHaveLength(tokens.length + max_tokens)
      }
      expect(usage).toMatchObject({ prompt_tokens: tokens.length, completion_tokens: max_tokens })
      expect([token_logprobs![0], top_logprobs![0]]).toEqual([null, null])
      expected.slice(1).forEach((logprob, i) => {
        expect(Math.abs(token_logprobs![i + 1] - logprob)).toBeLessThan(1e-4)
      })
      // Offsets count characters, and tokens are where they say.
      pieces!.forEach((piece, i) => {
        if (!piece.includes('\uFFFD'))
          expect([...choices[0].text].slice(text_offset![i]).join('').startsWith(piece) || piece === '<|end|>').toBe(
            true,
          )
      })
    }
  })

  it('says what evaluation harnesses read: likelihood of a continuation, and whether it is the greedy one', async () => {
    const context = format.tokenizer.encode('go to drawer 1')
    const greedy = await mini.client.completions.create({
      model: 'mini',
      prompt: context,
      max_tokens: 4,
      temperature: 0,
      logprobs: 0,
    })
    const continuation = greedy.choices[0].logprobs!.tokens!.flatMap((piece) => format.tokenizer.encode(piece))
    const other = continuation.map((token) => (token + 1) % 256)
    const prompt = [continuation, other].map((tokens) => [...context, ...tokens])
    const params = { model: 'mini', prompt, max_tokens: 1, temperature: 0, logprobs: 1, echo: true, seed: 1234 }
    const { choices } = await mini.client.completions.create(params)
    const judged = choices.map(({ logprobs }) => {
      const own = logprobs!.token_logprobs!.slice(context.length, -1)
      const top = logprobs!.top_logprobs!.slice(context.length, -1).map((listed) => Math.max(...Object.values(listed)))
      return {
        sum: own.reduce((a, b) => a + b, 0),
        greedy: own.every((value, i) => value === top[i]),
        count: own.length,
      }
    })
    expect(judged[0]).toMatchObject({ greedy: true, count: continuation.length })
    expect(judged[1]).toMatchObject({ greedy: false, count: other.length })
    expect(judged[0].sum).toBeGreaterThan(judged[1].sum)
  })
})

describe('many at once', () => {
  it('answers each as if it were alone', async () => {
    const requests = Array.from({ length: 24 }, (_, i) => ({
      prompt: i % 3 === 0 ? 'look' : `go to drawer ${i}`,
      seed: i,
      max_tokens: 5 + 3 * i,
      temperature: i % 4 === 0 ? 0.7 : 1,
      top_p: i % 5 === 0 ? 0.9 : 1,
      logprobs: i % 2,
      n: 1 + (i % 2),
    }))
    const together = await Promise.all(requests.map((request) => nonsense(request)))
    for (const [i, request] of requests.entries()) {
      const alone = await nonsense(request)
      expect(alone.choices.map(({ text }) => text)).toEqual(together[i].choices.map(({ text }) => text))
      expect(alone.usage).toEqual(together[i].usage)
      for (const [j, { logprobs }] of alone.choices.entries()) {
        logprobs!.token_logprobs!.forEach((logprob, t) => {
          expect(Math.abs(logprob - together[i].choices[j].logprobs!.token_logprobs![t])).toBeLessThan(1e-4)
        })
      }
    }
  })
})

it('listens on 127.0.0.1 alone', async () => {
  const { port } = new URL(mini.server.url)
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  const others = own.filter(({ family, address }) => family === 'IPv4' && address !== '127.0.0.1')
  for (const address of ['127.0.0.2', ...others.map(({ address }) => address)]) {
    const signal = AbortSignal.timeout(5000)
    await expect(fetch(`http://${address}:${port}/health`, { signal })).rejects.toThrow()
  }
  expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200)
})

describe('a client that goes away', () => {
  const long = { model: 'nonsense', prompt: 'look', max_tokens: 1000, n: 100, temperature: 1 }

  /** Waits until no answer is open: with a deadline, as otherwise the answers themselves would take long. */
  async function emptied(): Promise<void> {
    while (random.server.openAnswers() > 0) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  it('gets a stream before it is complete, and ends it by leaving', async () => {
    const stream = await random.client.completions.create({ ...long, stream: true })
    log.length = 0
    let read = 0
    for await (const { choices } of stream) {
      expect(random.server.openAnswers()).toBe(100)
      expect(choices[0].finish_reason).not.toBe('length')
      if (++read === 3) break
    }
    await emptied()
    while (log.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(log).toEqual([expect.stringContaining('broken off')])
  })

  it('ends its request by leaving', async () => {
    log.length = 0
    const leaving = new AbortController()
    const answer = random.client.completions.create(long, { signal: leaving.signal })
    const outcome = expect(answer).rejects.toThrow(OpenAI.APIUserAbortError)
    while (random.server.openAnswers() === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    leaving.abort()
    await outcome
    await emptied()
    expect(log.filter((line) => line.includes(' 200'))).toEqual([])
  })
})
