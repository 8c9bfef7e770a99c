import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { windowAgent } from '../agents/index.ts'
import type { Action, Task } from '../core/index.ts'
import type { Trainer } from '../engines/index.ts'
import { ScriptedSampler } from '../engines/testing/scripted-sampler.ts'
import type { Environment } from '../environments/index.ts'
import { miniPreset } from '../methods/index.ts'
import { makeFolder, RunFolder } from '../store/index.ts'
import { byteTokenizerFile, ChatFormat, ChatTemplate, Tokenizer } from '../tokens/index.ts'
import { CHATML, CHATML_SPECIAL } from '../tokens/testing/tokenizer.ts'
import { resolveConfig } from './config.ts'
import type { StageContext } from './context.ts'
import { policyStage } from './policy-rl.ts'
import type { Artifacts } from './stage.ts'

const tokenizer = new Tokenizer(byteTokenizerFile(CHATML_SPECIAL), { eos_token: '<|endoftext|>' })
const format = new ChatFormat(tokenizer, new ChatTemplate(CHATML))

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rwml-policy-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const tasks = Array.from({ length: 24 }, (_, i): Task => ({ id: `${i}`, split: 'train', kind: 'k', instruction: 'do' }))

/** One step, solved by those whose answer holds an "a"; answers say "a" where `solves` says so. */
function contextOf(solves: (call: number, sample: number) => boolean) {
  const environment: Environment = {
    name: 'invented',
    splits: () => ['train'],
    tasks: () => tasks,
    open: () => ({
      initial: { from: 'environment', text: 'start' },
      step: (action: Action) => ({
        observation: { from: 'environment', text: 'end' },
        done: true,
        truncated: false,
        valid: true,
        reward: action.kind === 'text' && action.text.includes('a') ? 1 : 0,
      }),
    }),
  }
  let row = 0
  const sampler = new ScriptedSampler((_prompt, call) => format.replyTokens(solves(call, row++ % 8) ? 'a' : 'b'))
  const warnings: string[] = []
  const updates: number[] = []
  const trainer = {
    sampler: () => sampler,
    async loadWeights() {},
    async forwardBackward(data) {
      updates.push(data.length)
      return { loss: 0, metrics: {}, tokens: { trained: 1, total: 1 }, logprobs: [] }
    },
    optimStep: async () => ({ gradientNorm: 1 }),
    save: async (path) => makeFolder(path),
  } as Partial<Trainer> as Trainer
  const { config } = resolveConfig(miniPreset, {
    'policy.steps': 3,
    'policy.tasks': 2,
    'policy.groupSize': 8,
    'policy.maxSteps': 1,
    'policy.invalidPenalty': 0,
    'collect.tasks': 24,
  })
  const context = {
    run: RunFolder.create(folder),
    config,
    environment,
    agent: windowAgent({ historyTurns: 4, showActions: false }),
    format,
    trainer,
    tokens: { sampled: 0 },
    signal: new AbortController().signal,
    progress: { start() {}, update() {}, finish() {} },
    log() {},
    rewind() {},
    warn: (line: string) => warnings.push(line),
  } as unknown as StageContext
  return { context, warnings, updates }
}

const artifacts = (): Artifacts => ({ models: new Map([['base', 'base']]), arms: [] })

it('where no reward varies within any group, says so and hands on what it started from', async () => {
  const { context, warnings, updates } = contextOf(() => false)
  const handed = artifacts()
  const { notes } = await policyStage({ curve: [1, 2] }).run(context, handed)
  expect(notes[1]).toMatch(/nothing was trained/)
  expect(notes[0]).toMatch(/^left out: within none of 6 groups did the reward vary/)
  expect(warnings[0]).toMatch(/take easier tasks, larger groups/)
  expect(updates).toEqual([])
  expect(handed.arms).toEqual([{ arm: 'after policy RL', path: 'base' }])
  expect(handed.models.get('policy-rl')).toBe('base')
  // A stage that starts from it finds it, and a control stays one.
  await policyStage({ name: 'next', arm: 'next', from: 'policy-rl', teaches: 'permuted advantages' }).run(
    context,
    handed,
  )
  expect(handed.arms.at(-1)).toEqual({ arm: 'next', path: 'base', control: 'permuted advantages' })
  expect(readdirSync(join(folder, 'rollouts')).filter((file) => file.startsWith('policy'))).toEqual([
    'policy-rl-0000.jsonl',
    'policy-rl-before-0001.jsonl',
    'policy-rl-before-0002.jsonl',
  ])
})

it('says within how many groups the reward varied before it, and trains on the episodes that showed it', async () => {
  // Within the first group alone.
  const { context, warnings, updates } = contextOf((call, sample) => call === 0 && sample === 0)
  const { notes } = await policyStage().run(context, artifacts())
  expect(notes).toEqual(['3 steps; before them the reward varied within 2 of 2 groups'])
  expect(warnings).toEqual([])
  expect(updates).toEqual([16])
  expect(readdirSync(join(folder, 'rollouts'))).toHaveLength(3)
})
