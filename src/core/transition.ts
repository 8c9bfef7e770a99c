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
  next: Observation
  valid: boolean
}

/** Every step of a trajectory with a parsed action, in order. */
export function transitionsOf(trajectory: Trajectory): Transition[] {
  const transitions: Transition[] = []
  for (const [index, turn] of trajectory.turns.entries()) {
    if (!turn.action) continue
    transitions.push({
      id: `${trajectory.task.id}#${trajectory.sample}.${index}`,
      taskId: trajectory.task.id,
      taskKind: trajectory.task.kind,
      instruction: trajectory.task.instruction,
      tools: trajectory.task.tools,
      initial: trajectory.initial,
      history: trajectory.turns
        .slice(0, index)
        .map(({ reply, action, observation }) => ({ reply, action, observation })),
      action: turn.action,
      next: turn.observation,
      valid: turn.valid,
    })
  }
  return transitions
}
