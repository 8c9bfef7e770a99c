import { actionText, actionVerb, observationText, Random, type Transition } from '../core/index.ts'
import type { Environment } from '../environments/index.ts'

/** Pairs of one sort at most. There are a dozen sorts: together enough for figures good to a few points, soon embedded. */
const PAIRS_OF_A_SORT = 40

/** The sort of pair that every reward gets right; the others of the same state ask whether it sees more than words. */
export const WORD_FOR_WORD = 'word for word'

/** Two texts of which it is known whether they tell the same state: a question with an answer for a reward. */
export interface StatePair {
  /** How the second text was made from the first: `one object missing`. */
  sort: string
  same: boolean
  /** What really followed a transition. */
  actual: string
  other: string
  from: Transition['next']['from']
}

/**
 * Labelled pairs around collected next states, up to as many of each sort. The environment makes most of them
 * (`Environment.variants`); what can be asked of any environment is added: the text itself, another result of the very same
 * action, another result of the same verb, and, where there is nothing better, the text in other case and spacing, or the
 * result of another verb.
 */
export function statePairs(
  environment: Pick<Environment, 'variants'>,
  transitions: readonly Transition[],
  seed: number,
): StatePair[] {
  const random = new Random('pairs', seed)
  const bySort = new Map<string, StatePair[]>()
  const byAction = grouped(transitions, (one) => actionText(one.action))
  const byVerb = grouped(transitions, (one) => actionVerb(one.action))
  for (const one of random.shuffle(transitions)) {
    const actual = observationText(one.next)
    const add = (sort: string, same: boolean, other: string) => {
      const known = bySort.get(sort) ?? []
      if (known.length < PAIRS_OF_A_SORT) known.push({ sort, same, actual, other, from: one.next.from })
      bySort.set(sort, known)
    }
    add(WORD_FOR_WORD, true, actual)
    const made = environment.variants?.(one, random) ?? { same: [], different: [] }
    for (const { sort, text } of made.same) add(sort, true, text)
    for (const { sort, text } of made.different) add(sort, false, text)
    if (!environment.variants) add('other case and spacing', true, recased(actual))
    const sameAction = elsewhere(byAction.get(actionText(one.action))!, actual, random)
    if (sameAction !== null) add('the same action elsewhere', false, sameAction)
    const sameVerb = elsewhere(byVerb.get(actionVerb(one.action))!, actual, random)
    if (sameVerb !== null) add('the same verb elsewhere', false, sameVerb)
  }
  if (![...bySort.values()].some(([pair]) => !pair.same)) {
    const all = transitions.map((one) => observationText(one.next))
    const found = random.shuffle(transitions).flatMap((one): StatePair[] => {
      const actual = observationText(one.next)
      const other = elsewhere(all, actual, random)
      return other === null ? [] : [{ sort: 'another verb', same: false, actual, other, from: one.next.from }]
    })
    if (found.length > 0) bySort.set('another verb', found.slice(0, PAIRS_OF_A_SORT))
  }
  return [...bySort.values()].flat().sort((a, b) => Number(b.same) - Number(a.same))
}

function grouped(transitions: readonly Transition[], key: (one: Transition) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const one of transitions) {
    const group = groups.get(key(one))
    if (group) group.push(observationText(one.next))
    else groups.set(key(one), [observationText(one.next)])
  }
  return groups
}

/** Tries at another result, where most results are alike. */
const TRIES = 8

function elsewhere(results: readonly string[], actual: string, random: Random): string | null {
  for (let round = 0; round < TRIES; round++) {
    const other = random.pick(results)
    if (normal(other) !== normal(actual)) return other
  }
  return null
}

/** Case and white space never make another state. */
const normal = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').trim()

function recased(text: string): string {
  const told = normal(text)
  return told === text ? ` ${text.toUpperCase()}` : told
}
