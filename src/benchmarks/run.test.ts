import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { heldOutText } from '../../scripts/mini/held-out.ts'
import { corpusKnowledge } from '../../scripts/mini/knowledge.ts'
import { type Engine, openLocalEngine } from '../engines/index.ts'
import { ScriptedSampler } from '../engines/testing/scripted-sampler.ts'
import { type ChatFormat, loadChatFormat, renderConversation } from '../tokens/index.ts'
import { type Benchmark, limited, type Question, RIGHT } from './benchmark.ts'
import { changeOf } from './result.ts'
import { retentionSuite } from './retention.ts'
import { runBenchmark } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'rwml-benchmark-'))
afterAll(() => rmSync(folder, { recursive: true }))
const format: ChatFormat = loadChatFormat('models/mini')

const echo = (id: string, content = id): Question => ({
  id,
  kind: 'reply',
  messages: [{ role: 'user', content }],
  judge: (reply) => ({ answer: reply, scores: { right: [reply === 'yes' ? 1 : 0, 1] } }),
})
const benchmark = (questions: Question[]): Benchmark => ({
  name: 'test',
  title: 'Test',
  questions,
  measures: [RIGHT],
  temperature: 0,
  maxTokens: 8,
  notes: [],
})
const saying = (text: (call: number) => string, context?: number) =>
  new ScriptedSampler((_, call) => format.replyTokens(text(call)), context)

describe('a benchmark', () => {
  it('judges replies without what was thought before them', async () => {
    const questions = [echo('a')]
    const right = async (text: string) =>
      (await runBenchmark(benchmark(questions), { sampler: saying(() => text), format })).measures[0].value
    expect([await right('yes'), await right('<think>no</think>\n\nyes'), await right('<think>yes')]).toEqual([1, 1, 0])
  })

  it('goes on behind the waves that are stored, and asks none of them again', async () => {
    const questions = Array.from({ length: 40 }, (_, index) => echo(`q${index}`))
    const path = join(folder, 'waves.jsonl')
    const stop = new AbortController()
    const first = saying(() => 'yes')
    const onProgress = (done: number) => {
      if (done >= 16) stop.abort(new Error('stopped'))
    }
    const begun = runBenchmark(benchmark(questions), { sampler: first, format, path, signal: stop.signal, onProgress })
    await expect(begun).rejects.toThrow('stopped')
    // As a process that is killed while it writes leaves it.
    writeFileSync(path, `${readFileSync(path, 'utf8')}{"id": "q16", "as`)
    const second = saying(() => 'no')
    const { measures, questions: answered } = await runBenchmark(benchmark(questions), {
      sampler: second,
      format,
      path,
    })
    expect([first.calls.length, second.calls.length]).toEqual([1, 2])
    expect([answered, measures[0].value]).toEqual([40, 16 / 40])
    await expect(runBenchmark(benchmark([echo('q0', 'another')]), { sampler: second, format, path })).rejects.toThrow(
      /is of other questions/,
    )
    truncateSync(path, 0)
    await runBenchmark(benchmark([echo('q0', 'another')]), { sampler: second, format, path })
  })

  it('leaves out what does not fit the context, and says so', async () => {
    const long = echo('long', 'go to drawer 1 '.repeat(50))
    const result = await runBenchmark(benchmark([echo('short'), long]), { sampler: saying(() => 'yes', 64), format })
    expect(result).toMatchObject({ questions: 1, leftOut: 1, measures: [{ value: 1 }] })
    const none = await runBenchmark(benchmark([long]), { sampler: saying(() => 'yes', 64), format })
    expect(none).toMatchObject({ questions: 0, leftOut: 1, measures: [{ value: null, interval: null }] })
    expect(changeOf(none, result)).toBe(null)
  })

  it('compares two models question by question', async () => {
    const questions = Array.from({ length: 48 }, (_, index) => echo(`q${index}`))
    const run = (text: (call: number) => string) =>
      runBenchmark(benchmark(questions), { sampler: saying(text), format })
    const [before, after] = [await run(() => 'yes'), await run((call) => (call === 0 ? 'no' : 'yes'))]
    const change = changeOf(before, after)
    expect(change).toMatchObject({ difference: expect.closeTo(-1 / 3, 9), questions: 48 })
    expect(change?.interval.high).toBeLessThan(0)
    expect(changeOf(before, before)?.interval).toEqual({ low: 0, high: 0 })
  })
})

describe('the miniature', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await openLocalEngine('models/mini', { threads: 1, frozen: true })
  })
  afterAll(() => engine.close())
  const sampler = () => engine.trainer().sampler()

  it('is measured on text that nothing else uses, as its corpus is made', () => {
    const [text] = retentionSuite()
    expect(text.questions.map(({ messages }) => messages)).toEqual(heldOutText(corpusKnowledge()))
  })

  it('predicts that text, and writes what can be read', async () => {
    const results = []
    for (const one of retentionSuite())
      results.push(await runBenchmark(limited(one, 12), { sampler: sampler(), format }))
    const [loss, replies, predictions] = results.map(({ measures }) => measures[0].value ?? 0)
    expect(loss).toBeGreaterThan(0.2)
    expect(loss).toBeLessThan(0.5)
    expect(replies).toBeGreaterThan(0.9)
    expect(predictions).toBeGreaterThan(0.9)
  })

  it('has the loss and the choice that its log-probabilities say', async () => {
    const [text] = retentionSuite()
    const [play] = text.questions
    const [{ tokens, mask }] = renderConversation(format, play.messages)
    const [logprobs] = await sampler().logprobs([tokens])
    const own = logprobs.filter((_, index) => mask[index] === 1)
    const loss = await runBenchmark({ ...text, questions: [play] }, { sampler: sampler(), format })
    expect(loss.measures[0].value).toBeCloseTo(-own.reduce((sum, one) => sum + one, 0) / own.length, 5)
    const options = ['<thinking>need apple</thinking>go to fridge 1', 'zebra']
    const choice: Question = {
      id: 'c',
      kind: 'choice',
      messages: play.messages.slice(0, 1),
      options,
      right: 0,
      perCharacter: true,
    }
    expect(await runBenchmark(benchmark([choice]), { sampler: sampler(), format })).toMatchObject({
      measures: [{ value: 1 }],
    })
  })
})
