import type { Trajectory } from '../core/index.ts'
import type { StepResult } from '../environments/index.ts'

/** What an environment has said of an episode so far, and whether it is over. */
export type Standing = Pick<Trajectory, 'reward' | 'done' | 'truncated' | 'failed' | 'facts'>

export const BEGUN: Standing = { done: false, truncated: false }

/** How an episode stands after its step number `steps`. */
export function standingAfter(before: Standing, result: StepResult, steps: number, maxSteps: number): Standing {
  const { reward = before.reward, done, failed, facts } = result
  // The limit holds whether or not the environment counts its steps.
  return { reward, done, truncated: result.truncated || (!done && steps >= maxSteps), failed, facts }
}
