import { describe, expect, it, vi } from 'vitest'
import { type Task, UserError } from '../core/index.ts'
import type { Environment, Episode, StepResult } from '../environments/index.ts'
import { ServiceError } from '../services/index.ts'
import { GuardedEpisode } from './guarded-episode.ts'

const task: Task = { id: 'kitchen/3', split: 'train', kind: 'k', instruction: 'i' }
const good: StepResult = {
  observation: { from: 'environment', text: 'ok' },
  done: false,
  truncated: false,
  valid: true,
  reward: 0.5,
}
const act = { kind: 'text', text: 'look' } as const

/** An environment whose episodes are as given: anything at all. */
function opening(open: () => unknown): Environment {
  return { name: 'strange', splits: () => [], tasks: () => [], open: open as Environment['open'] }
}
const episodeOf = (more: object = {}): unknown => ({
  initial: { from: 'environment', text: 'start' },
  step: () => good,
  ...more,
})
const open = (make: () => unknown, some: unknown = task) =>
  GuardedEpisode.open(opening(make), some as Task, { seed: 1 }, { deadline: 60_000 })

async function refused(promise: Promise<unknown>, message: RegExp): Promise<void> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(UserError)
  expect((error as Error).message).toMatch(message)
  expect((error as Error).message).toMatch(/; mend the environment$/)
}

describe('an episode of anybody’s environment', () => {
  it('is played where it keeps its word, synchronously or not', async () => {
    const episode = await open(async () => episodeOf({ step: async () => good, actions: () => ['look'] }))
    expect(episode.initial).toEqual({ from: 'environment', text: 'start' })
    expect(await episode.step(act)).toEqual(good)
    expect(episode.actions()).toEqual(['look'])
    expect((await open(() => episodeOf())).actions()).toBeUndefined()
    const tool = { from: 'tool', results: [{ id: '1', name: 'f', content: '{}' }] } as const
    const answered = await open(() => episodeOf({ step: () => ({ ...good, observation: tool, reward: undefined }) }))
    expect((await answered.step(act)).observation).toEqual(tool)
  })

  const openings: [string, () => unknown, RegExp][] = [
    ['throws', () => { throw new Error('no key') }, /task kitchen\/3: opening it failed: no key;/], // biome-ignore format: one a line
    ['rejects', () => Promise.reject(new Error('no key')), /opening it failed: no key/],
    ['gives nothing', () => undefined, /its episode is not as it should be: it must be an object with `initial`/],
    ['gives no step', () => ({ initial: good.observation }), /its episode is not as it should be/],
    ['lacks an observation', () => episodeOf({ initial: null }), /its initial observation is not as it should be/],
    ['has no text', () => episodeOf({ initial: { from: 'environment' } }), /initial observation.*: text is missing/],
  ]
  it.each(openings)('names the task where opening %s', (_, make, message) => refused(open(make), message))

  it('lets a service that it asks speak for itself', async () => {
    const error = new ServiceError('m at u', { kind: 'key', what: 'wants a key (401)', advice: 'name one' })
    const reject = () => Promise.reject(error)
    await expect(open(reject)).rejects.toBe(error)
    await expect((await open(() => episodeOf({ step: reject }))).step(act)).rejects.toBe(error)
  })

  it('refuses a task that is none', () =>
    refused(
      open(() => episodeOf(), { id: 'x', split: 'train', kind: 'k' }),
      /a task of the environment strange.*: instruction is missing/,
    ))

  const steps: [string, () => unknown, RegExp][] = [
    ['throws', () => { throw new Error('lost') }, /task kitchen\/3, step 2 \("look"\): the environment failed: lost;/], // biome-ignore format: one a line
    ['throws what is no error', () => { throw 'lost' }, /step 2 \("look"\): the environment failed: lost;/], // biome-ignore format: one a line
    ['rejects', () => Promise.reject(new Error('lost')), /step 2 \("look"\): the environment failed: lost/],
    [
      'gives text',
      () => 'You see nothing.',
      /step 2 \("look"\): the environment's answer is not as it should be: it must be an object, not text/,
    ],
    ['gives null', () => null, /answer is not as it should be: it must be an object, not null/],
    ['lacks an observation', () => ({ ...good, observation: undefined }), /: observation is missing/],
    [
      'has an unknown source',
      () => ({ ...good, observation: { from: 'god', text: '' } }),
      /: observation\.from must be one of/,
    ],
    ['rewards with NaN', () => ({ ...good, reward: Number.NaN }), /: reward must be a number, not NaN/],
    [
      'rewards with infinity',
      () => ({ ...good, reward: Number.POSITIVE_INFINITY }),
      /: reward must be a number, not Infinity/,
    ],
    ['rewards with text', () => ({ ...good, reward: '1' }), /: reward must be a number, not text/],
    ['is done with 1', () => ({ ...good, done: 1 }), /: done must be true or false, not a number/],
    ['lacks validity', () => ({ ...good, valid: undefined }), /: valid is missing/],
    [
      'gives the wrong thing later',
      async () => ({ ...good, truncated: 'no' }),
      /: truncated must be true or false, not text/,
    ],
  ]
  it.each(steps)('names task and step where it %s', async (_, second, message) => {
    let count = 0
    const episode = await open(() =>
      episodeOf({ step: () => (++count === 2 ? second() : good) } satisfies Partial<Record<keyof Episode, unknown>>),
    )
    await episode.step(act)
    await refused(episode.step(act), message)
  })

  it('says where in the user’s own code it failed, and at which action', async () => {
    const lost = Object.assign(new Error('lost'), {
      stack: `Error: lost\n    at step (${process.cwd()}/my-room.ts:12:9)`,
    })
    const episode = await open(() => episodeOf({ step: () => Promise.reject(lost) }))
    const long = { kind: 'text', text: `go ${'north '.repeat(20)}` } as const
    await refused(
      episode.step(long),
      /step 1 \("go (north )+nor…"\): .*: lost \(my-room\.ts, line 12; --debug shows the rest\)/,
    )
  })

  it('keeps where the environment failed as the cause', async () => {
    const failure = new Error('lost')
    const episode = await open(() => episodeOf({ step: () => Promise.reject(failure) }))
    await expect(episode.step(act)).rejects.toHaveProperty('cause', failure)
  })

  it('names the step whose actions it cannot list', async () => {
    const message = /task kitchen\/3, step 1: the environment's list of actions/
    for (const actions of [
      () => 'look',
      () => [1],
      () => {
        throw new Error('no')
      },
    ]) {
      // biome-ignore format: one a line
      const episode = await open(() => episodeOf({ actions }))
      await refused(
        Promise.resolve().then(() => episode.actions()),
        message,
      )
    }
  })

  it('waits only so long for an answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const episode = await open(() => episodeOf({ step: () => new Promise(() => {}) }))
      const waiting = refused(
        episode.step(act),
        /kitchen\/3, step 1 \("look"\): the environment failed: no answer within 60 s/,
      )
      vi.advanceTimersByTime(60_000)
      await waiting
      const opened = refused(
        open(() => new Promise(() => {})),
        /task kitchen\/3: opening it failed: no answer within 60 s/,
      )
      vi.advanceTimersByTime(60_000)
      await opened
    } finally {
      vi.useRealTimers()
    }
  })
})
