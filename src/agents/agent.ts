import {
  type Action,
  type Observation,
  type PastTurn,
  type Tool,
  type Trajectory,
  type Transition,
  transitionsOf,
} from '../core/index.ts'
import type { Message } from '../tokens/index.ts'
import type { PredictionAnswer } from './answers.ts'

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
  /** What is asked for in place of what followed, e.g. the shape of a tool's result. Histories show it as it was. */
  target?(next: Observation): Observation
  /**
   * Ask what follows the transition's action; `reasoning: false` forbids thinking (WM SFT, the filter model). `omitted` turns
   * before those of the transition do not fit the context (default 0).
   */
  predictMessages(transition: Transition, options: { reasoning: boolean; omitted?: number }): Message[]
  parsePrediction(reply: string): PredictionAnswer
  /** The supervised label: the true next state without reasoning. */
  predictionLabel(transition: Transition): string
}

/** The steps of a trajectory as this agent is asked about them: `next` is what it has to predict. */
export function askedTransitions(agent: Pick<Agent, 'target'>, trajectory: Trajectory): Transition[] {
  const transitions = transitionsOf(trajectory)
  return agent.target ? transitions.map((one) => ({ ...one, next: agent.target!(one.next) })) : transitions
}
