import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { windowAgent } from '../agents/index.ts'
import type { Trajectory } from '../core/index.ts'
import type { Environment } from '../environments/index.ts'
import { miniPreset } from '../methods/index.ts'
import { RunFolder } from '../store/index.ts'
import { byteTokenizerFile, ChatFormat, ChatTemplate, Tokenizer } from '../tokens/index.ts'
import { CHATML, CHATML_SPECIAL } from '../tokens/testing/tokenizer.ts'
import { collect } from './collect.ts'
import { resolveConfig } from './config.ts'
import type { StageContext } from './context.ts'

const tokenizer = new Tokenizer(byteTokenizerFile(CHATML_SPECIAL), { eos_token: '<|endoftext|>' })

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rwml-collect-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** So many tasks with twenty steps each, all valid or none. */
function contextOf(tasks: number, valid: boolean, overrides: Record<string, unknown>): StageContext {
  const say = (text: string) => ({ from: 'environment' as const, text })
  const trajectories = Array.from({ length: tasks }, (_, id): Trajectory => {
    const turns = Array.from({ length: 20 }, (_, step) => ({
      reply: `go ${step}`,
      action: { kind: 'text' as const, text: `go ${step}` },
      observation: say(`room ${step}`),
      valid,
      tokens: [],
      logprobs: [],
    }))
    const task = { id: `${id}`, split: 'train', kind: 'walk', instruction: 'walk' }
    return { task, sample: 0, seed: 1, initial: say('room'), turns, done: false, truncated: true, sequences: [] }
  })
  const environment: Environment = {
    name: 'rooms',
    splits: () => ['train'],
    tasks: () => trajectories.map(({ task }) => task),
    recorded: () => trajectories,
    open() {
      throw new Error('recorded')
    },
  }
  return {
    run: RunFolder.create(mkdtempSync(join(folder, 'run-'))),
    config: resolveConfig(miniPreset, overrides).config,
    environment,
    agent: windowAgent({ historyTurns: 4, showActions: false }),
    format: new ChatFormat(tokenizer, new ChatTemplate(CHATML)),
    trainer: { sampler: () => ({ contextLength: 8192 }) },
    warn() {},
  } as unknown as StageContext
}

it('sets apart for the filter model at least one task, never all, and steps where there is a single task', async () => {
  for (const [tasks, filterShare, filter] of [
    [10, 0.1, 20],
    [10, 0.01, 20],
    [3, 0.1, 20],
    [2, 0.9, 20],
    [5, 0, 0],
  ]) {
    const collected = await collect(contextOf(tasks, true, { 'collect.filterShare': filterShare }))
    expect([collected.filter.length, collected.train.length]).toEqual([filter, tasks * 20 - filter])
  }
  const single = await collect(contextOf(1, true, { 'collect.filterShare': 0.2 }))
  expect(single.filter.length).toBeGreaterThan(0)
  expect(single.train.length).toBeGreaterThan(single.filter.length)
  expect(single.train.length + single.filter.length).toBe(20)
})

it('says that there is nothing to learn from where no step was valid', async () => {
  await expect(collect(contextOf(3, false, { 'collect.invalidShare': 0 }))).rejects.toThrow(
    /of 60 steps 0 were valid, and collect\.invalidShare = 0 keeps none of the others.*collect-0000\.jsonl/,
  )
})
