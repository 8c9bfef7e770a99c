import { actionText, observationText, type Transition } from '../../core/index.ts'

/** The most common next states whose share is reported together. */
const TOP = 10
const EXAMPLES = 3

export interface Duplicates {
  transitions: number
  /** Share of transitions that repeat an earlier one: same history, same action, same next state. */
  repeated: number
  /** Different next states, and the share of transitions that the ten most common ones make up. */
  nextStates: number
  topTen: number
  mostCommon: { text: string; share: number }[]
}

/** How often the same transition, or the same next state, was collected. */
export function duplicates(transitions: readonly Transition[]): Duplicates {
  const whole = new Set<string>()
  const counts = new Map<string, number>()
  for (const one of transitions) {
    const next = observationText(one.next)
    whole.add(JSON.stringify([pastOf(one), actionText(one.action), next]))
    counts.set(next, (counts.get(next) ?? 0) + 1)
  }
  const share = (count: number) => (transitions.length === 0 ? 0 : count / transitions.length)
  const common = [...counts].sort((a, b) => b[1] - a[1])
  return {
    transitions: transitions.length,
    repeated: share(transitions.length - whole.size),
    nextStates: counts.size,
    topTen: share(common.slice(0, TOP).reduce((sum, [, count]) => sum + count, 0)),
    mostCommon: common.slice(0, EXAMPLES).map(([text, count]) => ({ text, share: share(count) })),
  }
}

function pastOf({ instruction, initial, history }: Transition): string[] {
  const turns = history.flatMap((turn) => [
    turn.action ? actionText(turn.action) : '',
    observationText(turn.observation),
  ])
  return [instruction, observationText(initial), ...turns]
}
