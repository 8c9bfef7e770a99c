import { actionText, observationText, type Trajectory, transitionsOf } from '../../core/index.ts'
import { answerKind } from './environment.ts'

/** What trajectories from logs hold. */
export interface LogSummary {
  conversations: number
  tasks: number
  /** The assistant's actions with what followed. */
  transitions: number
  /** Of those, actions that a tool answered with an error. */
  invalid: number
  /** `user`, and `tool:` with the tools that answered; most frequent first. */
  kinds: { kind: string; transitions: number; invalid: number; distinct: number }[]
  /** Conversations with a reward, and those with one above 0. */
  rewarded: number
  solved: number
}

/** Counts of trajectories. `distinct`: next states that differ as texts, of that kind. */
export function summariseLogs(trajectories: readonly Trajectory[]): LogSummary {
  const transitions = trajectories.flatMap(transitionsOf)
  const kinds = new Map<string, { transitions: number; invalid: number; texts: Set<string> }>()
  for (const { next, valid } of transitions) {
    const kind = kinds.get(answerKind(next)) ?? { transitions: 0, invalid: 0, texts: new Set() }
    kind.transitions++
    if (!valid) kind.invalid++
    kind.texts.add(observationText(next))
    kinds.set(answerKind(next), kind)
  }
  return {
    conversations: trajectories.length,
    tasks: new Set(trajectories.map(({ task }) => task.id)).size,
    transitions: transitions.length,
    invalid: transitions.filter((one) => !one.valid).length,
    kinds: [...kinds]
      .map(([kind, { texts, ...counts }]) => ({ kind, ...counts, distinct: texts.size }))
      .sort((a, b) => b.transitions - a.transitions),
    rewarded: trajectories.filter(({ reward }) => reward !== undefined).length,
    solved: trajectories.filter(({ reward }) => (reward ?? 0) > 0).length,
  }
}

/** Everything that is said in a conversation, as one text: what a model has to read. */
export function conversationText({ task, initial, turns }: Trajectory): string {
  const said = turns.flatMap(({ action, observation }) => [
    ...(action ? [actionText(action)] : []),
    observationText(observation),
  ])
  return [task.instruction, observationText(initial), ...said].join('\n')
}
