import {
  comparePaired,
  detectableMeanDifference,
  holmCorrection,
  type Interval,
  mean,
  type PairedComparison,
  type PairedOutcome,
  pairedTTest,
  sd,
} from '../../src/core/index.ts'
import { ARMS, type Curve } from './arms.ts'
import type { ArmRecord, SeedRecord } from './record.ts'

/** Success of one arm on one split: one value a seed. */
export function successOf(records: readonly SeedRecord[], evaluated: string, split: string): number[] {
  return records.map((record) => mean(perTask(record, evaluated, split)))
}

/** Share of evaluation runs that solved each task, in the order of tasks. */
function perTask(record: SeedRecord, evaluated: string, split: string): number[] {
  const solved = record.arms.find(({ arm }) => arm === evaluated)?.policy[split]?.solved
  if (!solved) throw new Error(`seed ${record.seed} has no evaluation of "${evaluated}" on ${split}`)
  return Array.from(solved[0], (_, task) => mean(solved.map((run) => Number(run[task]))))
}

const evaluatedOf = (arm: string): string => ARMS.find((one) => one.arm === arm)?.evaluated ?? arm

/** One question of the study: is the second arm better than the first? */
export interface Question {
  first: string
  second: string
  asks: string
}

/** Fixed before any evaluation; Holm's correction runs over all of them. */
export const QUESTIONS: readonly Question[] = [
  { first: 'policy RL', second: 'RWML → policy RL', asks: 'Does RWML help policy RL, at equal policy steps?' },
  { first: 'policy RL, equal compute', second: 'RWML → policy RL', asks: 'And at equal compute?' },
  { first: 'mismatched → policy RL', second: 'RWML → policy RL', asks: 'Is it the world that is learned?' },
  { first: 'WM SFT → policy RL', second: 'RWML → policy RL', asks: 'Is it the reinforcement?' },
  { first: 'policy RL', second: 'interleaved', asks: 'Does interleaving help, at equal policy steps?' },
  { first: 'policy RL, equal compute', second: 'interleaved', asks: 'And at equal compute?' },
  { first: 'interleaved, mismatched', second: 'interleaved', asks: 'Is it the world that is learned, interleaved?' },
  { first: 'base', second: 'RWML', asks: 'Does RWML alone help?' },
]

export interface Answer extends Question {
  comparison: PairedComparison
  /** Student's paired test over seeds, and the same corrected over all questions. */
  p: number
  corrected: number
  /** Smallest true difference that so many seeds would show with 80 % power, from these differences' own spread. */
  detectable: number
}

/** Every question on one split. Seeds are the unit: a task's success under one trained model says nothing of another's. */
export function answers(records: readonly SeedRecord[], split: string): Answer[] {
  const found = QUESTIONS.map((question) => {
    const outcomes = records.flatMap((record): PairedOutcome[] => {
      const second = perTask(record, evaluatedOf(question.second), split)
      return perTask(record, evaluatedOf(question.first), split).map((first, task) => ({
        seed: record.seed,
        // ALFWorld's games are the same for every seed; generated households are each seed's own.
        task: split === 'unseen' ? `${record.seed}/${task}` : `${task}`,
        first,
        second: second[task],
      }))
    })
    const comparison = comparePaired(outcomes, { seed: 1 })
    const differences = records.map((_, i) => {
      const own = outcomes.filter((one) => one.seed === records[i].seed)
      return mean(own.map((one) => one.second - one.first))
    })
    return {
      ...question,
      comparison,
      p: comparison.overSeeds?.tTest ?? 1,
      detectable: records.length > 1 ? detectableMeanDifference(sd(differences), records.length) : Number.NaN,
    }
  })
  const corrected = holmCorrection(found.map(({ p }) => p))
  return found.map((one, i) => ({ ...one, corrected: corrected[i] }))
}

export interface Measured {
  question: Question
  first: number
  second: number
  /** Second minus first over seeds: mean, Student's interval and p-value. */
  difference: number
  interval: Interval
  p: number
}

/** The same questions asked of another figure of each seed's arms on unseen layouts; secondary, so not corrected. */
export function measured(records: readonly SeedRecord[], pick: (arm: ArmRecord) => number): Measured[] {
  const values = (arm: string) => {
    const name = evaluatedOf(arm)
    return records.map((record) => pick(record.arms.find((one) => one.arm === name)!))
  }
  return QUESTIONS.map((question) => {
    const [first, second] = [values(question.first), values(question.second)]
    const { interval, tTest } = pairedTTest(first, second)
    const [a, b] = [mean(first), mean(second)]
    return { question, first: a, second: b, difference: b - a, interval, p: tTest }
  })
}

/** Success along policy steps, one list of points a seed. */
export function curveOf(
  records: readonly SeedRecord[],
  curve: Curve,
  split: string,
): [steps: number, success: number][][] {
  return records.map((record) =>
    curve.points.map(({ steps, evaluated }): [number, number] => [steps, mean(perTask(record, evaluated, split))]),
  )
}

/** Policy steps until success first reaches a level, between points in a straight line; null where it never does. */
export function stepsToReach(points: readonly (readonly [number, number])[], level: number): number | null {
  for (const [i, [steps, success]] of points.entries()) {
    if (success < level) continue
    if (i === 0) return steps
    const [before, lower] = points[i - 1]
    return before + ((level - lower) / (success - lower)) * (steps - before)
  }
  return null
}

/** What an arm cost: all stages that it needs, as if it had been run alone. Means over seeds. */
export function costOf(records: readonly SeedRecord[], paysFor: readonly string[], share = 1) {
  const sum = (pick: 'seconds' | 'tokensSampled' | 'tokensTrained') =>
    mean(
      records.map((record) =>
        record.stages.filter(({ name }) => paysFor.includes(name)).reduce((total, stage) => total + stage[pick], 0),
      ),
    ) * share
  return { sampled: sum('tokensSampled'), trained: sum('tokensTrained'), seconds: sum('seconds') }
}
