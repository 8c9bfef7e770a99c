import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Benchmark, forgettingSchema, RIGHT } from '../benchmarks/index.ts'
import type { Trainer } from '../engines/index.ts'
import { ScriptedSampler } from '../engines/testing/scripted-sampler.ts'
import { RunFolder, readJson } from '../store/index.ts'
import { loadChatFormat } from '../tokens/index.ts'
import type { StageContext } from './context.ts'
import { forgettingStage } from './forgetting.ts'
import type { Artifacts } from './stage.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rwml-forgetting-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const format = loadChatFormat('models/mini')
const benchmark: Benchmark = {
  name: 'test',
  title: 'Test',
  questions: Array.from({ length: 20 }, (_, index) => ({
    id: `${index}`,
    kind: 'reply',
    messages: [{ role: 'user', content: `${index}` }],
    judge: (reply) => ({ answer: reply, scores: { right: [reply === 'yes' ? 1 : 0, 1] } }),
  })),
  measures: [RIGHT],
  temperature: 0,
  maxTokens: 8,
  notes: ['invented'],
}
const artifacts = (): Artifacts => ({
  models: new Map(),
  arms: [
    { arm: 'base', path: join(folder, 'base') },
    { arm: 'after RL', path: join(folder, 'after') },
  ],
})

/** A trainer whose base says yes, and whose trained model has forgotten how. */
function contextOf(signal = new AbortController().signal, onProgress: () => void = () => {}) {
  const loaded: string[] = []
  const sampler = new ScriptedSampler(() => format.replyTokens(loaded.at(-1)?.endsWith('base') ? 'yes' : 'no'))
  const trainer = { loadWeights: async (path: string) => void loaded.push(path), sampler: () => sampler }
  const context = {
    run: RunFolder.create(folder),
    trainer: trainer as unknown as Trainer,
    format,
    config: { seed: 0 },
    progress: { start() {}, update: onProgress, finish() {} },
    signal,
  } as unknown as StageContext
  return { context, sampler }
}

it('asks every arm, keeps the answers, and says what was forgotten', async () => {
  const stage = forgettingStage({ benchmarks: [benchmark] })
  const { notes } = await stage.run(contextOf().context, artifacts())
  expect(notes).toEqual(['base to after RL: Test −100.0 points'])
  const { arms } = readJson(join(folder, 'stages', 'forgetting', 'forgetting.json'), forgettingSchema)
  expect(arms.map(({ arm, checkpoint, results }) => [arm, checkpoint, results[0].measures[0].value])).toEqual([
    ['base', 'base', 1],
    ['after RL', 'after', 0],
  ])
  expect(readFileSync(join(folder, 'stages', 'forgetting', 'after-RL-test.jsonl'), 'utf8').split('\n')).toHaveLength(21)
  const again = contextOf()
  expect((await stage.run(again.context, artifacts())).notes).toEqual(notes)
  expect(again.sampler.calls).toEqual([])
})

it('goes on where it was stopped', async () => {
  const stage = forgettingStage({ benchmarks: [benchmark] })
  const stop = new AbortController()
  let updates = 0
  // The base is done (three reports of 0, 16 and 20), and of the other arm nothing yet.
  const first = contextOf(stop.signal, () => ++updates === 4 && stop.abort(new Error('stopped')))
  await expect(stage.run(first.context, artifacts())).rejects.toThrow('stopped')
  const second = contextOf()
  await stage.run(second.context, artifacts())
  expect([first.sampler.calls.length, second.sampler.calls.length]).toEqual([2, 2])
})

it('measures the shipped miniature where nothing else is said', () => {
  expect((forgettingStage().options.benchmarks as string[]).map((one) => one.split(':')[0])).toEqual([
    'mini-text',
    'mini-replies',
    'mini-predictions',
  ])
  expect(() => forgettingStage({ benchmarks: [benchmark, benchmark] })).toThrow(/two benchmarks called test/)
})
