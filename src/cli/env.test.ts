import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { alfworldEnvironment, expertPlan } from '../environments/alfworld/index.ts'
import { envCommand, generateFolder } from './env.ts'

const testing = join(import.meta.dirname, '../environments/alfworld/testing')
const traces = join(testing, 'tiny-traces.jsonl')

/** Run `rwml env …` and return the last line that it printed. */
async function run(...words: string[]): Promise<string> {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  await envCommand().parseAsync(words, { from: 'user' })
  return String(log.mock.lastCall?.[0])
}

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

it('generates a folder that the loader reads, split eight to one to one', () => {
  const out = mkdtempSync(join(tmpdir(), 'rwml-'))
  expect(generateFolder({ count: 20, out, seed: 1, size: 'small' }).counts).toEqual({ train: 16, seen: 2, unseen: 2 })
  const environment = alfworldEnvironment({ data: out, warn: () => expect.fail('nothing to warn of') })
  for (const split of ['train', 'seen', 'unseen']) {
    for (const task of environment.tasks(split)) {
      const episode = environment.open(task, { seed: 0 })
      expect(expertPlan(episode.play.world)).toEqual(environment.game(task).walkthrough)
    }
  }
  expect(environment.tasks('train').length).toBe(16)
})

it('prints the result of a check as one JSON object with the documented keys', async () => {
  const printed = await run('check', 'alfworld', '--data', join(testing, 'tiny-2.1.2'), '--traces', traces, '--json')
  const keys = ['episodes', 'steps', 'skipped', 'differences', 'stepsPerSecond', 'first']
  expect(Object.keys(JSON.parse(printed))).toEqual(keys)
  expect(JSON.parse(printed)).toMatchObject({ episodes: 1, skipped: 1, differences: 0, first: null })
})

it('lists ALFWorld with and without data', async () => {
  const found = JSON.parse(await run('list', '--data', join(testing, 'tiny-2.1.2'), '--json'))
  expect(found.environments[0]).toMatchObject({ name: 'alfworld', splits: { seen: 1 } })
  vi.stubEnv('ALFWORLD_DATA', join(testing, 'nowhere'))
  vi.stubEnv('HOME', testing)
  const missing = JSON.parse(await run('list', '--json'))
  expect(missing.environments[0]).toMatchObject({ data: null, splits: {} })
})

it('refuses a data folder that is named and holds no games', async () => {
  await expect(run('list', '--data', testing)).rejects.toThrow(/none of .*testing, .* has a folder/)
  await expect(run('list', '--data', '/nonexistent')).rejects.toThrow(/\/nonexistent is no folder; pass --data/)
})
