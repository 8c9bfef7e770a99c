import {
  type Action,
  type Observation,
  type Trajectory,
  type Transition,
  transitionsOf,
  type View,
} from '../core/index.ts'
import type { Message } from '../tokens/index.ts'
import type { PredictionAnswer } from './answers.ts'

export type { View }

export interface ParsedAction {
  action: Action | null
  thinking: string | null
  /** The reply followed the answer format. */
  wellFormed: boolean
}

/** The only home of prompts and parsers: how a model plays an environment, and how it is asked as a world model. */
export interface Agent {
  readonly name: string
  /** Whether `View.actions` is part of its prompt. */
  readonly showsActions: boolean
  playMessages(view: View): Message[]
  /** What the model's template is given to show as tools, in OpenAI's form. Absent: the messages say all. */
  playTools?(view: View): readonly object[]
  parseAction(reply: string): ParsedAction
  /**
   * A reply that does this, as the model would write it: `parseAction` reads the same action from it. What imitation learns;
   * without `thinking` as little of it as the format allows. See `replyFor`.
   */
  actionLabel?(action: Action, thinking?: string): string
  /** What is asked for in place of what followed, e.g. the shape of a tool's result. Histories show it as it was. */
  target?(next: Observation): Observation
  /**
   * Ask what follows the transition's action, or its `question`; `reasoning: false` forbids thinking (WM SFT, the filter model). `omitted` turns
   * before those of the transition do not fit the context (default 0).
   */
  predictMessages(transition: Transition, options: { reasoning: boolean; omitted?: number }): Message[]
  parsePrediction(reply: string): PredictionAnswer
  /** The supervised label: the true next state, after `thinking` where there is some (default none). */
  predictionLabel(transition: Transition, thinking?: string): string
}

/** The steps of a trajectory as this agent is asked about them: `next` is what it has to predict. */
export function askedTransitions(agent: Pick<Agent, 'target'>, trajectory: Trajectory): Transition[] {
  const transitions = transitionsOf(trajectory)
  return agent.target ? transitions.map((one) => ({ ...one, next: agent.target!(one.next) })) : transitions
}
