import { describe, expect, it } from 'vitest'
import { actionText, type Task } from '../core/index.ts'
import type { Environment, StepResult } from '../environments/index.ts'
import { checkEnvironment } from './check-environment.ts'

const task = (id: string, split: string): Task => ({ id, split, kind: 'count', instruction: `count to ${id}` })
const commands = () => ['up', 'down']

/** Counts up and down; every field can be replaced by a wrong one. */
function counter(wrong: { step?: (before: StepResult) => unknown; shared?: boolean } & Partial<Environment> = {}) {
  const { step, shared, ...environment } = wrong
  let common = 0
  return {
    name: 'counter',
    splits: () => ['train', 'unseen'],
    tasks: (split: string) => [task(`${split}-3`, split), task(`${split}-4`, split)],
    open() {
      let own = 0
      return {
        initial: { from: 'environment', text: '0' },
        step(action) {
          const change = { up: 1, down: -1 }[actionText(action)] ?? 0
          own += change
          common += change
          const count = shared ? common : own
          const result: StepResult = {
            observation: { from: 'environment', text: String(count) },
            done: count >= 3,
            truncated: false,
            valid: change !== 0,
            reward: count >= 3 ? 1 : 0,
          }
          return (step?.(result) ?? result) as StepResult
        },
      }
    },
    ...environment,
  } satisfies Environment as Environment
}

describe('checkEnvironment', () => {
  it('plays an environment that keeps its word, and says what it saw', async () => {
    const found = await checkEnvironment(counter(), { commands })
    expect(found).toMatchObject({ splits: { train: 2, unseen: 2 }, episodes: 4, rewarded: true, notes: [] })
    expect(found.valid).toBeGreaterThan(0)
    expect(found.steps).toBeGreaterThan(found.valid)
  })

  it('notes what is allowed and may not be meant', async () => {
    const bare = counter({ splits: () => ['train', 'test'], step: ({ reward: _, ...rest }) => rest })
    const found = await checkEnvironment(bare)
    expect(found.rewarded).toBe(false)
    expect(found.notes).toEqual([
      expect.stringContaining('no split "unseen"'),
      expect.stringContaining('its split "test" is not used'),
      expect.stringContaining('no action was valid'),
    ])
  })

  const faults: [string, Parameters<typeof counter>[0], RegExp][] = [
    ['no training split', { splits: () => ['test'] }, /names test; training needs one called "train"/],
    ['an empty split', { tasks: () => [] }, /tasks\("train"\) is empty/],
    ['a task in two splits', { tasks: (split) => [task('same', split)] }, /task same is in "train" and in "unseen"/],
    ['a task twice', { tasks: (split) => [task('a', split), task('a', split)] }, /twice in "train"/],
    [
      'an incomplete task',
      { tasks: () => [{ id: 'a' } as Task] },
      /tasks\("train"\) is not as it should be: \[0\]\.split is missing/,
    ],
    [
      'a changing list',
      { tasks: (split) => [task(`${split}${Math.random()}`, split)] },
      /another list at the second call/,
    ],
    [
      'a wrong flag',
      { step: (one) => ({ ...one, valid: 'yes' }) },
      /step 1 \(""\): the environment's answer .*: valid must be true or false, not text/,
    ],
    ['no observation', { step: () => ({ done: false }) }, /: observation is missing/],
    [
      'a reward that is no number',
      { step: (one) => ({ ...one, reward: Number.NaN }) },
      /: reward must be a number, not NaN/,
    ],
    ['both ends at once', { step: (one) => ({ ...one, done: true, truncated: true }) }, /never both true/],
    ['shared state', { shared: true }, /share nothing between episodes/],
    [
      'chance of its own',
      { step: (one) => ({ ...one, observation: { from: 'environment', text: String(Math.random()) } }) },
      /take chance from the seed alone/,
    ],
    ['a throwing step', { step: () => { throw new Error('server is down') } }, /task train-\d, step 1 \(""\): .*server is down/], // biome-ignore format: one line a case
    ['a kind that is none', { transitionKind: () => '' }, /transitionKind\(\) of "" is not as it should be/],
  ]
  for (const [name, wrong, message] of faults) {
    it(`finds ${name}`, async () => {
      await expect(checkEnvironment(counter(wrong), { commands })).rejects.toThrow(message)
    })
  }

  it('does not wait forever', async () => {
    const silent = counter({ open: () => new Promise<never>(() => {}) })
    await expect(checkEnvironment(silent, { deadline: 20 })).rejects.toThrow(/no answer within/)
  })
})
