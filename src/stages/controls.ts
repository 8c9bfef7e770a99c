import { actionVerb, hash32, observationText, Random, type Transition, uniform } from '../core/index.ts'
import type { ScoredPrediction } from '../evaluation/index.ts'

/**
 * Controls that a gain of world-model RL has to be held against: the same prompts, samples and steps, with what is learned
 * taken away. What a control gains too is not due to knowing the world.
 */

/** Advantages are handed out at random among the samples of a step: sizes and signs as always, and nothing to tell (`policyData`). */
export const PERMUTED = 'permuted advantages'

/** Transitions with the next states of others, and how many could not be given another text. */
export interface Mismatched {
  transitions: Transition[]
  unchanged: number
}

/**
 * Mismatched targets: next states are exchanged between transitions of one kind and one verb, so that each target stays a
 * likely answer to such an action and is the wrong one here. Exchanged over everything, the targets would only teach the
 * most common text. Every transition gets another *text* where its group allows it (no text fills more than half of it).
 */
export function mismatchTargets(
  transitions: readonly Transition[],
  kindOf: (one: Transition) => string,
  seed: number,
): Mismatched {
  const groups = new Map<string, number[]>()
  for (const [index, one] of transitions.entries()) {
    const key = `${kindOf(one)}\n${actionVerb(one.action)}`
    groups.set(key, [...(groups.get(key) ?? []), index])
  }
  const result = [...transitions]
  let unchanged = 0
  for (const [key, members] of groups) {
    // Equal texts side by side, in random order of texts; moved on by the largest class, none meets its own.
    const random = new Random('mismatch', seed, key)
    const classes = new Map<string, number[]>()
    for (const index of random.shuffle(members)) {
      const text = observationText(transitions[index].next)
      classes.set(text, [...(classes.get(text) ?? []), index])
    }
    const order = random.shuffle([...classes.values()]).flat()
    const shift = Math.max(...[...classes.values()].map((one) => one.length))
    for (const [at, index] of order.entries()) {
      const { next } = transitions[order[(at + shift) % order.length]]
      if (observationText(next) === observationText(transitions[index].next)) unchanged++
      result[index] = { ...transitions[index], next }
    }
  }
  return { transitions: result, unchanged }
}

/** Coin-flip reward: 1 with probability 0.5, whatever was predicted. */
export function coinFlips(groups: ScoredPrediction[][], seed: number): ScoredPrediction[][] {
  return groups.map((group, i) =>
    group.map((answer, j) => ({ ...answer, reward: uniform(hash32('coin', seed), i, j) < 0.5 ? 1 : 0 })),
  )
}
