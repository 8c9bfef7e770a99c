import type { Action } from './action.ts'
import type { Observation } from './observation.ts'
import type { Tool } from './task.ts'
import type { Trajectory } from './trajectory.ts'

/** A past step as shown in a history: what the model wrote, what it did, what it then saw. */
export interface PastTurn {
  reply: string
  action: Action | null
  observation: Observation
}

/** The triplet `⟨s_≤t, a_t, s_{t+1}⟩`: one example for the world model. */
export interface Transition {
  id: string
  taskId: string
  taskKind: string
  instruction: string
  tools?: Tool[]
  initial: Observation
  history: PastTurn[]
  action: Action
  /** What followed; or, where there is a `question`, the true answer to it. */
  next: Observation
  valid: boolean
  /** What is asked about it in place of what follows. */
  question?: string
  /** How its episode went on after it. Absent where that says nothing: the episode broke. */
  rest?: Rest
}

/** The rest of an episode. */
export interface Rest {
  /** Steps after this one. */
  steps: number
  /** It came to its end, and was not cut off. */
  done: boolean
  /** What the episode earned; absent where the environment has no task reward. */
  reward?: number
}

/** What a transition is known by: the step `turn` of an attempt at a task. */
export const transitionId = ({ task, sample }: Pick<Trajectory, 'task' | 'sample'>, turn: number): string =>
  `${task.id}#${sample}.${turn}`

/** Every step of a trajectory with a parsed action, in order. What an episode broke at is not what the action led to. */
export function transitionsOf(trajectory: Trajectory): Transition[] {
  const transitions: Transition[] = []
  const { turns, done, reward, failed } = trajectory
  for (const [index, turn] of turns.entries()) {
    const isBreak = failed !== undefined && index === turns.length - 1 && !turn.valid
    if (!turn.action || isBreak) continue
    transitions.push({
      id: transitionId(trajectory, index),
      taskId: trajectory.task.id,
      taskKind: trajectory.task.kind,
      instruction: trajectory.task.instruction,
      tools: trajectory.task.tools,
      initial: trajectory.initial,
      history: turns.slice(0, index).map(({ reply, action, observation }) => ({ reply, action, observation })),
      action: turn.action,
      next: turn.observation,
      valid: turn.valid,
      ...(failed === undefined && { rest: { steps: turns.length - index - 1, done, reward } }),
    })
  }
  return transitions
}
