import type { Action, HiddenCall } from './action.ts'
import type { Observation } from './observation.ts'
import type { Task } from './task.ts'

/** One step of an episode: what the model was shown, what it wrote, what happened. */
export interface Turn {
  /** The model's reply, verbatim (thinking included), decoded from `tokens`. */
  reply: string
  /** The parsed action; null when the reply held none. */
  action: Action | null
  observation: Observation
  /** What another party did with its own tools between the action and the observation. Absent: nothing. */
  hidden?: HiddenCall[]
  /** Admissible to the environment; a reply without an action is invalid. */
  valid: boolean
  /** Sampled token ids, never re-encoded, and their log-probabilities at sampling. */
  tokens: number[]
  logprobs: number[]
}

/** Tokens with who wrote them. All three arrays run along `tokens`. */
export interface TokenSequence {
  tokens: number[]
  /** 1 where the model sampled the token (or a labelled reply stands for it), 0 where the prompt brought it. */
  mask: number[]
  /** Log-probability at sampling where `mask` is 1, else 0. */
  logprobs: number[]
}

/** What there is to know of a finished episode beside its reward: who played the user, why it ended, what it was judged by. */
export type EpisodeFacts = Record<string, string | number | boolean>

/** `s_0, a_0, s_1, …, s_T` of one attempt at a task. `reward` is absent where the environment has none. */
export interface Trajectory {
  task: Task
  /** Which attempt at this task (0-based). */
  sample: number
  seed: number
  initial: Observation
  /** What another party did with its own tools before the initial observation. Absent: nothing. */
  hidden?: HiddenCall[]
  turns: Turn[]
  reward?: number
  done: boolean
  truncated: boolean
  /** Why it is no result: something that is not the agent failed. Left out of measures, and counted. Absent: it is one. */
  failed?: string
  facts?: EpisodeFacts
  /** Prompts whose oldest turns were left out because they did not fit the model's context. Absent: none. */
  shortened?: number
  /** It was truncated because not even the current observation fits the context. Absent: no. */
  outgrown?: boolean
  /**
   * The conversation as the model saw it, tokens in and tokens out: one sequence, or several where a prompt did not extend
   * the tokens before it.
   */
  sequences: TokenSequence[]
}
