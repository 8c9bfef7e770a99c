import { isDeepStrictEqual } from 'node:util'
import { actionText, someAtOnce, type Trajectory, UserError } from '../core/index.ts'
import type { Environment } from '../environments/index.ts'
import { GuardedEpisode, type Wait } from './guarded-episode.ts'

export interface ReplayOptions {
  /** The episodes' limit of steps when they were played. */
  maxSteps: number
  signal?: AbortSignal
  /** Where it is said that an environment does not repeat itself. */
  warn(message: string): void
}

/**
 * Plays the actions of stored episodes once more: a run that goes on with another environment than it was begun with would
 * mix what it learned of the one with what the other does. An environment that does not even answer alike twice cannot be
 * checked like this; that is said, and the run goes on.
 * @throws UserError where the environment answers otherwise now: the task, the step, and both answers.
 */
export async function checkReplay(
  environment: Environment,
  trajectories: readonly Trajectory[],
  { maxSteps, signal, warn }: ReplayOptions,
): Promise<void> {
  const { concurrent = trajectories.length } = environment
  const replay = async () => {
    const found = new Array<Difference | null>(trajectories.length)
    await someAtOnce(trajectories, concurrent, signal, async (one, at) => {
      found[at] = await replayed(environment, one, maxSteps, { signal })
    })
    return found
  }
  const differences = await replay()
  const at = differences.findIndex((one) => one !== null)
  const difference = differences[at]
  if (!difference) return
  const { task } = trajectories[at]
  const where = difference.step === 0 ? 'the first observation' : `step ${difference.step} ("${difference.action}")`
  if (!isDeepStrictEqual(await replay(), differences)) {
    warn(
      `${environment.name} does not repeat itself from the same seed and actions (task ${task.id}, ${where}): whether it is the one that this run was begun with cannot be checked`,
    )
    return
  }
  throw new UserError(
    `the environment ${environment.name} changed since this run was begun: task ${task.id}, ${where}, was ${shown(difference.was)} and is now ${shown(difference.now)}; go on with the environment of then, or begin a new run`,
  )
}

interface Difference {
  /** 0: the first observation. */
  step: number
  action: string
  was: unknown
  now: unknown
}

/** Where an episode first goes another way than the stored one did; null where it does not. */
async function replayed(
  environment: Environment,
  stored: Trajectory,
  maxSteps: number,
  wait: Wait,
): Promise<Difference | null> {
  const { task, seed } = stored
  const episode = await GuardedEpisode.open(environment, task, { seed, maxSteps }, wait)
  try {
    return await difference(episode, stored)
  } finally {
    await episode.close()
  }
}

async function difference(
  episode: GuardedEpisode,
  { initial, turns, done, reward: earned }: Trajectory,
): Promise<Difference | null> {
  const now = asStored(episode.initial)
  if (!isDeepStrictEqual(now, initial)) return { step: 0, action: '', was: initial, now }
  let reward: number | undefined
  for (const [index, { action, observation, valid }] of turns.entries()) {
    const result = await episode.step(action ?? { kind: 'text', text: '' })
    reward = result.reward ?? reward
    const was = { observation, valid }
    // A reply without an action is invalid whatever the environment says of it.
    const now = asStored({ observation: result.observation, valid: action !== null && result.valid })
    const at = { step: index + 1, action: action === null ? '' : actionText(action) }
    if (!isDeepStrictEqual(now, was)) return { ...at, was, now }
    if (index < turns.length - 1) continue
    const [ended, end] = [{ done, reward: earned }, asStored({ done: result.done, reward })]
    if (!isDeepStrictEqual(end, asStored(ended))) return { ...at, was: ended, now: end }
  }
  return null
}

/** As a file holds it: without members that are undefined. */
export const asStored = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const LONGEST = 200

function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
