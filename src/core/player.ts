import type { Action } from './action.ts'
import type { Observation } from './observation.ts'
import type { Tool } from './task.ts'
import type { PastTurn } from './transition.ts'

/** What an agent sees when it has to act: the task and everything so far, as far as it fits the model's context. */
export interface View {
  instruction: string
  tools?: Tool[]
  initial: Observation
  /** The last turn is always there: its observation is the current one. */
  history: PastTurn[]
  /** Turns before `history` that do not fit. Default 0. */
  omitted?: number
  /** Admissible commands, where the environment lists them and the agent is shown them. */
  actions?: string[]
}

/** Plays an episode by itself: a service, a script, a planner. Models that are trained play through an `Agent` instead. */
export interface Player {
  readonly name: string
  /** What it does now; null where it has nothing to do or say. */
  act(view: View): Action | null | Promise<Action | null>
}
