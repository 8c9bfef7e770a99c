import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { type Player, windowAgent } from '../agents/index.ts'
import { actionText, type Task } from '../core/index.ts'
import type { Environment } from '../environments/index.ts'
import { miniPreset } from '../methods/index.ts'
import { RunFolder } from '../store/index.ts'
import { byteTokenizerFile, ChatFormat, ChatTemplate, Tokenizer } from '../tokens/index.ts'
import { CHATML, CHATML_SPECIAL } from '../tokens/testing/tokenizer.ts'
import { collectByStage } from './collect-by.ts'
import { resolveConfig } from './config.ts'
import type { StageContext } from './context.ts'
import type { Expected, Rehearsal } from './plan.ts'
import type { Artifacts } from './stage.ts'

const root = mkdtempSync(join(tmpdir(), 'rwml-collect-by-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let played: string[] = []
beforeEach(() => {
  played = []
})

/** Says one word again and again. */
const player =
  (word: string) =>
  (task: Task): Player => ({
    name: word,
    act({ history }) {
      if (history.length === 0) played.push(`${word} ${task.id}`)
      return { kind: 'text', text: word }
    },
  })

/** Echoes; `yes` solves it at the third step. */
const environment: Environment = {
  name: 'echo',
  splits: () => ['train'],
  tasks: () => ['a', 'b', 'c'].map((id) => ({ id, split: 'train', kind: 'echo', instruction: 'say yes' })),
  open() {
    let steps = 0
    return {
      initial: { from: 'environment', text: 'Well?' },
      step(action) {
        const text = actionText(action)
        const done = text === 'yes' && ++steps === 3
        return { observation: { from: 'user', text }, valid: true, done, truncated: false, reward: done ? 1 : 0 }
      },
    }
  },
}

const tokenizer = new Tokenizer(byteTokenizerFile(CHATML_SPECIAL), { eos_token: '<|endoftext|>' })

async function collectIn(folder: string): Promise<{ artifacts: Artifacts; notes: string[] }> {
  const context = {
    run: RunFolder.create(folder),
    config: resolveConfig(miniPreset, { 'collect.tasks': 3, 'collect.rollouts': 3, 'collect.maxSteps': 4 }).config,
    environment,
    agent: windowAgent({ historyTurns: 4, showActions: false }),
    format: new ChatFormat(tokenizer, new ChatTemplate(CHATML)),
    trainer: { sampler: () => ({ contextLength: 8192 }) },
    progress: { start() {}, update() {}, finish() {} },
    signal: new AbortController().signal,
    warn() {},
  } as unknown as StageContext
  const artifacts = { models: new Map(), arms: [] } as unknown as Artifacts
  const stage = collectByStage({ players: { good: player('yes'), bad: player('no') }, concurrency: 2 })
  expect(stage.title).toBe('Collect the play of others (good, bad)')
  return { artifacts, notes: (await stage.run(context, artifacts)).notes }
}

it('lets others play in turn, keeps what is finished, and goes on with the rest', async () => {
  const folder = join(root, 'run')
  const { artifacts, notes } = await collectIn(folder)
  // Of three attempts at each task the first and the third are the first player's.
  expect(played.filter((one) => one.startsWith('yes'))).toHaveLength(6)
  expect(played.filter((one) => one.startsWith('no'))).toHaveLength(3)
  expect(notes[0]).toBe('9 episodes, 6 solved; 30 transitions, 30 of them valid')
  expect(artifacts.kept).toBe(artifacts.collected?.train)

  const rollouts = join(folder, 'rollouts')
  expect(readdirSync(rollouts).sort()).toEqual(['collect-bad.jsonl', 'collect-good.jsonl'])
  const file = join(rollouts, 'collect-good.jsonl')
  const lines = readFileSync(file, 'utf8').split('\n')
  // Killed after four conversations, in the middle of writing the fifth.
  writeFileSync(file, `${lines.slice(0, 4).join('\n')}\n${lines[4].slice(0, 30)}`)
  played = []
  const again = await collectIn(folder)
  expect(played).toHaveLength(2)
  expect(again.artifacts.collected).toEqual(artifacts.collected)
})

it('costs the model no time, and is planned to leave transitions', () => {
  const { config } = resolveConfig(miniPreset, { 'collect.tasks': 3, 'collect.rollouts': 2 })
  const expected: Expected = { tasks: 3, heldOut: {}, train: 0, filter: 0, arms: 0 }
  const unit = { sampled: 9, trained: 9, sampleSeconds: 9, trainSeconds: 9, referenceSeconds: 9 }
  const rehearsal = { episodes: 1, recorded: false, turns: 4, valid: 1, episode: unit } as unknown as Rehearsal
  expect(collectByStage({ players: { good: player('yes') } }).plan?.(config, rehearsal, expected)).toMatchObject({
    episodes: 6,
    sampled: 0,
    seconds: 0,
  })
  expect(expected.train + expected.filter).toBe(24)
})
