import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { windowAgent } from '../agents/index.ts'
import type { Transition } from '../core/index.ts'
import { exactReward } from '../rewards/index.ts'
import { modelThatSays } from '../services/testing/model.ts'
import { RunFolder } from '../store/index.ts'
import { byteTokenizerFile, ChatFormat, ChatTemplate, Tokenizer } from '../tokens/index.ts'
import { CHATML, CHATML_SPECIAL } from '../tokens/testing/tokenizer.ts'
import type { StageContext } from './context.ts'
import type { Artifacts } from './stage.ts'
import { reasoningTraces, type TraceOptions } from './traces.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rwml-traces-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const format = new ChatFormat(
  new Tokenizer(byteTokenizerFile(CHATML_SPECIAL), { eos_token: '<|endoftext|>' }),
  new ChatTemplate(CHATML),
)
const transition: Transition = {
  id: 't#0.0',
  taskId: 't',
  taskKind: 'k',
  instruction: 'open it',
  initial: { from: 'environment', text: 'A door.' },
  history: [],
  action: { kind: 'text', text: 'open door' },
  next: { from: 'environment', text: 'It opens.' },
  valid: true,
}

const none = (): Artifacts => ({ models: new Map(), arms: [] })

function traces(from: TraceOptions['from'], contextLength = 8192, artifacts = none()) {
  const context = {
    run: RunFolder.create(folder),
    agent: windowAgent({ historyTurns: 2, showActions: false }),
    format,
    trainer: { sampler: () => ({ contextLength }) },
    config: { seed: 0, worldModel: { maxTokens: 64 } },
    progress: { start() {}, update() {}, finish() {} },
    signal: new AbortController().signal,
  } as unknown as StageContext
  const what = { stage: 'sft', transitions: [transition], reward: exactReward(), traces: { from, draws: 3 } }
  return reasoningTraces(context, artifacts, what)
}

const says = (thinking: string, nextState: string) => ({
  text: `<thinking>${thinking}</thinking><next_state>${nextState}</next_state>`,
})

it('keeps the reasoning of the first prediction that earns the reward, and asks no more than it takes', async () => {
  const model = modelThatSays(
    says('It is locked.', 'It is locked.'),
    says('', 'It opens.'),
    says('No lock.', 'It opens.'),
  )
  expect(await traces(model)).toEqual(new Map([['t#0.0', 'No lock.']]))
  expect(model.asked).toHaveLength(3)
  expect(model.asked[0][0][0].content).toContain('First think briefly')
  expect(new Set(model.asked.map(([, { seed }]) => seed)).size).toBe(3)
  // It stands in the run folder: nobody is asked again.
  expect(await traces(model)).toEqual(new Map([['t#0.0', 'No lock.']]))
  expect(model.asked).toHaveLength(3)
})

it('notes the stage that it learns from, also where the traces are there already', async () => {
  await traces(modelThatSays(says('No lock.', 'It opens.')))
  const artifacts = { ...none(), models: new Map([['world-model-rl', 'checkpoints/rl']]) }
  await traces('world-model-rl', 8192, artifacts)
  expect(artifacts).toMatchObject({ teachers: new Map([['sft', 'world-model-rl']]) })
})

it('takes thoughts that a service keeps apart', async () => {
  const model = modelThatSays({ text: '<next_state>It opens.</next_state>', reasoning: 'Doors open.' })
  expect(await traces(model)).toEqual(new Map([['t#0.0', 'Doors open.']]))
})

it('leaves out what is wrong, what cannot be read back and what is too long, and says where nothing is left', async () => {
  const nothing = /none of 1 transitions was predicted with reasoning and earned the reward/
  await expect(traces(modelThatSays(says('It is locked.', 'It is locked.')))).rejects.toThrow(nothing)
  rmSync(join(folder, 'stages'), { recursive: true })
  const tagged = { text: '<next_state>It opens.</next_state>', reasoning: 'I write </thinking> first.' }
  await expect(traces(modelThatSays(tagged))).rejects.toThrow(nothing)
  rmSync(join(folder, 'stages'), { recursive: true })
  await expect(traces(modelThatSays(says('long '.repeat(200), 'It opens.')), 1500)).rejects.toThrow(nothing)
})
