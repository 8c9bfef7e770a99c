import {
  comparePaired,
  detectableMeanDifference,
  detectablePairedDifference,
  holmCorrection,
  type Interval,
  mean,
  type PairedComparison,
  type PairedOutcome,
  pairedTTest,
  spreadOf,
} from '../core/index.ts'
import type { RecordedArm } from './record.ts'
import type { Comparison } from './registered.ts'
import { bySeed, measuredArm, perTask, recordsOfArm, type StudyResults, success } from './results.ts'

/** What the records say of one of the registered questions. */
export interface Answer extends Comparison {
  comparison: PairedComparison
  /** Student's paired test over seeds; null for fewer than two. And the same corrected over all questions (Holm). */
  p: number | null
  corrected: number | null
  /** Smallest true difference that so many seeds would show, from these differences' own spread; null where that cannot be told. */
  detectable: number | null
}

export type Verdict = 'yes' | 'no, the reverse' | 'not shown'

export function verdictOf({ comparison, corrected }: Answer): Verdict {
  // Seeds that do not differ at all say nothing of how much others would.
  const interval = comparison.overSeeds?.interval
  if (!interval || interval.low === interval.high) return 'not shown'
  if (corrected === null || !(corrected < 0.05)) return 'not shown'
  return comparison.difference > 0 ? 'yes' : 'no, the reverse'
}

/**
 * Every registered question, of success on one split. Seeds are the unit: a task's success under one trained model says nothing of
 * another's. A question whose arms have no seed in common yet is null.
 */
export function answersOf(results: StudyResults, split: string): (Answer | null)[] {
  const found = results.study.compare.map((question) => answerOf(results, question, split))
  const tested = found.filter((one) => one !== null && one.p !== null)
  // Over all that were asked, not only those that can be answered by now: the first answer is held to the same measure as the last.
  const missing = results.study.compare.length - tested.length
  const corrected = holmCorrection([...tested.map((one) => one!.p!), ...Array<number>(missing).fill(1)])
  return found.map((one) => {
    const index = tested.indexOf(one)
    return one && index >= 0 ? { ...one, corrected: corrected[index] } : one
  })
}

function answerOf(results: StudyResults, question: Comparison, split: string): Answer | null {
  const outcomes = pairsOf(results, question, split)
  if (outcomes.length === 0) return null
  const comparison = comparePaired(outcomes, { seed: 1 })
  return {
    ...question,
    comparison,
    p: comparison.overSeeds?.tTest ?? null,
    corrected: null,
    detectable: detectableAfter(outcomes),
  }
}

/** From the spread of what was observed; of one seed, for its tasks alone. */
function detectableAfter(outcomes: readonly PairedOutcome[]): number | null {
  const differences = seedDifferences(outcomes)
  if (differences.length > 1) {
    const deviation = spreadOf(differences)
    return deviation > 0 ? detectableMeanDifference(deviation, differences.length) : null
  }
  // For outcomes between 0 and 1, the mean square is what the share of discordant pairs is for those that are 0 or 1.
  const discordant = mean(outcomes.map((one) => (one.second - one.first) ** 2))
  return detectablePairedDifference(discordant, outcomes.length)
}

/** Second minus first, of each seed that has both. */
export function differencesOf(results: StudyResults, question: Comparison, split: string): number[] {
  return seedDifferences(pairsOf(results, question, split))
}

function seedDifferences(outcomes: readonly PairedOutcome[]): number[] {
  const seeds = [...new Set(outcomes.map((one) => one.seed))]
  return seeds.map((seed) => {
    const own = outcomes.filter((one) => one.seed === seed)
    return mean(own.map((one) => one.second - one.first))
  })
}

/** Both arms' success on each task that both finished, where they played the same ones; else each seed's mean. */
function pairsOf(results: StudyResults, { first, second }: Comparison, split: string): PairedOutcome[] {
  const others = new Map(recordsOfArm(results, second).map((record) => [record.seed, record]))
  const both = recordsOfArm(results, first).flatMap((record) => {
    const other = others.get(record.seed)
    const [a, b] = [measuredArm(record, first), other ? measuredArm(other, second) : null]
    const [mine, theirs] = [a && perTask(a, split), b && perTask(b, split)]
    return a && b && mine && theirs ? [{ seed: record.seed, a, b, mine, theirs }] : []
  })
  const same = both.every(
    ({ a, b, mine, theirs }) => hashIn(a, split) === hashIn(b, split) && mine.length === theirs.length,
  )
  return both.flatMap(({ seed, a, b, mine, theirs }): PairedOutcome[] =>
    same
      ? mine.flatMap((value, task) => {
          const other = theirs[task]
          if (value === null || other === null) return []
          return [{ seed, task: `${hashIn(a, split)}/${task}`, first: value, second: other }]
        })
      : [{ seed, task: 'mean of all', first: success(split)(a)!, second: success(split)(b)! }],
  )
}

const hashIn = (arm: RecordedArm, split: string): string => arm.policy[split].tasks

/** A difference between two arms in any figure of theirs. */
export interface Difference {
  seeds: number
  first: number
  second: number
  /** Second minus first over the seeds that have both. */
  difference: number
  /** Student's, over seeds; null for one. */
  interval: Interval | null
  p: number | null
}

/** Two arms in another figure than the registered one: not corrected. Null where no seed has both. */
export function differenceIn(
  results: StudyResults,
  first: string,
  second: string,
  pick: (one: RecordedArm) => number | null | undefined,
): Difference | null {
  const theirs = new Map(bySeed(results, second, pick).map(({ seed, value }) => [seed, value]))
  const both = bySeed(results, first, pick).flatMap(({ seed, value }) => {
    const other = theirs.get(seed)
    return other === undefined ? [] : [{ first: value, second: other }]
  })
  return differenceOf(
    both.map((one) => one.first),
    both.map((one) => one.second),
  )
}

export function differenceOf(first: readonly number[], second: readonly number[]): Difference | null {
  if (first.length === 0) return null
  const tested = first.length > 1 ? pairedTTest(first, second) : null
  const [a, b] = [mean(first), mean(second)]
  return {
    seeds: first.length,
    first: a,
    second: b,
    difference: b - a,
    interval: tested?.interval ?? null,
    p: tested?.tTest ?? null,
  }
}
