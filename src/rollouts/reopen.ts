import { isDeepStrictEqual } from 'node:util'
import type { Observation, Trajectory } from '../core/index.ts'
import type { Environment } from '../environments/index.ts'
import { GuardedEpisode } from './guarded-episode.ts'
import { asStored } from './replay.ts'

export interface ReopenOptions {
  /** Its actions that are done again. */
  steps: number
  signal?: AbortSignal
  /** In each of its states before an action is done, and in the last. */
  visit?(episode: GuardedEpisode): void
}

/**
 * A stored episode once more, up to a step: a fresh one from the same seed, in which the same was done. Null where the environment
 * does not answer as it did then, so that it is another state. Whoever gets one closes it.
 */
export async function reopen(
  environment: Environment,
  { task, seed, initial, turns }: Trajectory,
  { steps, signal, visit }: ReopenOptions,
): Promise<GuardedEpisode | null> {
  const options = { seed, maxSteps: turns.length + 1 }
  const episode = await GuardedEpisode.open(environment, task, options, { signal })
  let isThere = false
  try {
    if (!isAsBefore(episode.initial, initial)) return null
    visit?.(episode)
    for (const { action, observation } of turns.slice(0, steps)) {
      const result = await episode.step(action ?? { kind: 'text', text: '' })
      if (!isAsBefore(result.observation, observation)) return null
      visit?.(episode)
    }
    isThere = true
    return episode
  } finally {
    if (!isThere) await episode.close()
  }
}

const isAsBefore = (now: Observation, then: Observation): boolean => isDeepStrictEqual(asStored(now), asStored(then))
