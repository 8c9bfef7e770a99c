import type { Action } from './action.ts'
import type { Observation } from './observation.ts'
import type { Task } from './task.ts'

/** One step of an episode: what the model was shown, what it wrote, what happened. */
export interface Turn {
  /** The model's reply, verbatim (thinking included), decoded from `tokens`. */
  reply: string
  /** The parsed action; null when the reply held none. */
  action: Action | null
  observation: Observation
  /** Admissible to the environment; a reply without an action is invalid. */
  valid: boolean
  /** Sampled token ids, never re-encoded, and their log-probabilities at sampling. */
  tokens: number[]
  logprobs: number[]
}

/** `s_0, a_0, s_1, …, s_T` of one attempt at a task. `reward` is absent where the environment has none. */
export interface Trajectory {
  task: Task
  /** Which attempt at this task (0-based). */
  sample: number
  seed: number
  initial: Observation
  turns: Turn[]
  reward?: number
  done: boolean
  truncated: boolean
  /** Prompt tokens and, per token, who wrote it: the whole conversation as the model saw it (token-in, token-out). */
  sequence: { tokens: number[] /** 1 where the model sampled the token. */; mask: number[]; logprobs: number[] }
}
