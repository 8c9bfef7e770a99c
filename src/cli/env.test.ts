import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { alfworldEnvironment, expertPlan } from '../environments/alfworld/index.ts'
import { envCommand, generateFolder } from './env.ts'
import { runCommandLine } from './program.ts'

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

it('compares τ²-bench with recordings, and says what differs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rwml-check-'))
  const data = join(import.meta.dirname, '../environments/tau2/testing/tiny')
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), JSON.stringify([{ expression: '2+2', content, error: false }]))
    return join(folder, name)
  }
  const check = (path: string) => run('check', 'tau2', '--data', data, '--vectors', path, '--json')
  const printed = JSON.parse(await check(file('same.json', '4.0')))
  expect(Object.keys(printed)).toEqual(
    'tasks sequences transcripts calls skipped differences callsPerSecond first'.split(' '),
  )
  expect(printed).toMatchObject({ tasks: 0, calls: 1, differences: 0, first: null })
  await expect(check(file('other.json', '4'))).rejects.toThrow(
    /1 differences, the first in case 1 of .*other\.json: content/,
  )
})

const shared = process.env.RWML_SHARED ?? '../shared'
const oracle = join(shared, 'oracle', 'tau2')

it.skipIf(!existsSync(oracle))(
  'finds no difference from τ²-bench in all that was recorded',
  { timeout: 180_000 },
  async () => {
    const files = readdirSync(oracle).map((name) => join(oracle, name))
    const data = join(shared, 'data', 'tau2')
    const found = JSON.parse(await run('check', 'tau2', '--data', data, '--json', '--vectors', ...files))
    expect(found).toMatchObject({
      tasks: 550,
      sequences: 125,
      transcripts: 82,
      skipped: 0,
      differences: 0,
      first: null,
    })
  },
)

it.skipIf(!existsSync(oracle))('says what τ²-bench’s recordings hold of other versions of their tasks', async () => {
  const file = join(oracle, 'traj_airline.json')
  const printed = await run('check', 'tau2', '--data', join(shared, 'data', 'tau2'), '--vectors', file)
  expect(printed).toContain('14 evaluations of other task versions not compared')
})

describe('a check of one’s own environment', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rwml-check-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const write = (name: string, step: string, more = '') => {
    const text = `import { actionText, defineConfig } from 'rwml'; export default defineConfig({ environment: {
  name: 'echo',
  splits: () => ['train', 'test'],
  tasks: (split) => [1, 2].map((n) => ({ id: split + n, split, kind: 'k', instruction: 'i' })),
  open: () => ({ initial: { from: 'environment', text: 'Go.' }, step(action) {
    const text = actionText(action)
    ${step}
  } }),
} })${more}`
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const ANSWER =
    "return { observation: { from: 'environment', text }, valid: text === 'go north', done: false, truncated: false }"

  it('plays it with the commands that are given, and says what it saw', async () => {
    const file = write('echo.ts', ANSWER)
    const printed = await run('check', file, '--commands', 'go north', 'look')
    expect(printed).toMatch(
      /^echo keeps its word in 4 episodes, each played twice: 80 steps, [1-9]\d* of them valid\. No task/,
    )
    expect(printed).toMatch(/train +2 +training\ntest +2 +not used/)
    expect(printed).toMatch(/Note: its split "test" is not used/)
    const found = JSON.parse(await run('check', file, '--json'))
    expect(found).toMatchObject({
      environment: 'echo',
      splits: { train: 2, test: 2 },
      episodes: 4,
      valid: 0,
      rewarded: false,
    })
    expect(found.notes.join()).toContain('--commands')
  })

  it('is one line where it is broken, with task, action and place', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    vi.spyOn(console, 'log').mockImplementation(() => {})
    const end = async (...words: string[]) => {
      await runCommandLine(['env', 'check', ...words])
      const { exitCode } = process
      process.exitCode = undefined
      return [exitCode, String(said.mock.lastCall?.[0])]
    }
    const file = write('broken.ts', `if (text === 'go north') throw new Error('no map')\n    ${ANSWER}`)
    expect(await end(file, '--commands', 'go north')).toEqual([
      1,
      expect.stringMatching(
        /^rwml: task t\w+\d, step 4 \("go north"\): the environment failed: no map \(.*broken\.ts, line 7; --debug .*\); mend the environment$/,
      ),
    ])
    writeFileSync(join(folder, 'none.ts'), 'export default {}')
    expect(await end(join(folder, 'none.ts'))).toEqual([2, expect.stringContaining('no environment of its own')])
    expect(await end()).toEqual([2, expect.stringContaining('name an experiment file, or alfworld')])
  })
})

it('lists ALFWorld with and without data', async () => {
  const found = JSON.parse(await run('list', '--data', join(testing, 'tiny-2.1.2'), '--json'))
  expect(found.environments[0]).toMatchObject({ name: 'alfworld', splits: { seen: 1 } })
  vi.stubEnv('ALFWORLD_DATA', join(testing, 'nowhere'))
  vi.stubEnv('HOME', testing)
  const missing = JSON.parse(await run('list', '--json'))
  expect(missing.environments[0]).toMatchObject({ data: null, splits: {} })
})

it('lists τ²-bench without data', async () => {
  vi.stubEnv('ALFWORLD_DATA', join(testing, 'tiny-2.1.2'))
  vi.stubEnv('TAU2_DATA_DIR', '')
  const listed = async () => JSON.parse(await run('list', '--json')).environments[1]
  expect(await listed()).toMatchObject({ name: 'tau2', data: null, note: expect.stringContaining('TAU2_DATA_DIR') })
  vi.stubEnv('TAU2_DATA_DIR', testing)
  expect(await listed()).toMatchObject({ data: null, note: expect.stringContaining("no folder 'domains'") })
})

const tau2 = join(shared, 'data', 'tau2')

it.skipIf(!existsSync(tau2))('lists τ²-bench’s tasks', async () => {
  vi.stubEnv('ALFWORLD_DATA', join(testing, 'tiny-2.1.2'))
  vi.stubEnv('TAU2_DATA_DIR', tau2)
  const { environments } = JSON.parse(await run('list', '--json'))
  expect(environments[1]).toMatchObject({
    data: expect.stringContaining(tau2),
    splits: { train: 178, unseen: 100 },
  })
})

it('refuses a data folder that is named and holds no games', async () => {
  await expect(run('list', '--data', testing)).rejects.toThrow(/none of .*testing, .* has a folder/)
  await expect(run('list', '--data', '/nonexistent')).rejects.toThrow(/\/nonexistent is no folder; pass --data/)
})
