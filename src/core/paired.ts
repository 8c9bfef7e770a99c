/** Comparing two methods on the same seeds and tasks. Pure functions; whatever is random takes a seed. */
import { hash32, uniform } from './random.ts'
import {
  type BootstrapOptions,
  type Interval,
  mean,
  type PowerOptions,
  pairedPermutationTest,
  quantile,
  sd,
} from './statistics.ts'
import { studentQuantile, studentTwoSided } from './student.ts'

/** What both methods made of one task, trained from one seed: success, a share of runs, an accuracy. */
export interface PairedOutcome {
  seed: number
  task: string
  first: number
  second: number
}

export interface PairedComparison {
  seeds: number
  /** Pairs of outcomes over all seeds. */
  pairs: number
  /** Over seeds, of the means over tasks. `sd` is 0 for one seed. */
  first: { mean: number; sd: number }
  second: { mean: number; sd: number }
  /** Second minus first: mean over seeds of the mean over tasks. */
  difference: number
  /** Hierarchical bootstrap over seeds and tasks: what other tasks, and as far as there were several other seeds, would give. */
  interval: Interval
  /** The seeds' differences alone; null for one seed, which says nothing about another. */
  overSeeds: {
    /** Student's interval and test of the paired differences; the test is null where they do not vary. */
    interval: Interval
    tTest: number | null
    /** Exact for up to 14 seeds. Of n seeds it can never fall below 2 / 2^n: four or five cannot reach 0.05. */
    signFlips: number
  } | null
}

/** Everything a comparison of two methods reports. @throws Error where there is no pair. */
export function comparePaired(
  outcomes: readonly PairedOutcome[],
  options: Pick<BootstrapOptions, 'seed' | 'samples' | 'level'>,
): PairedComparison {
  const bySeed = groupBySeed(outcomes)
  const means = (pick: (one: PairedOutcome) => number) => [...bySeed.values()].map((group) => mean(group.map(pick)))
  const [first, second] = [means((one) => one.first), means((one) => one.second)]
  const describe = (values: number[]) => ({ mean: mean(values), sd: sd(values) })
  return {
    seeds: bySeed.size,
    pairs: outcomes.length,
    first: describe(first),
    second: describe(second),
    difference: mean(second) - mean(first),
    interval: pairedBootstrapInterval(outcomes, options),
    overSeeds:
      bySeed.size < 2
        ? null
        : {
            ...pairedTTest(first, second, options.level),
            signFlips: pairedPermutationTest(first, second, { seed: options.seed }),
          },
  }
}

/**
 * Percentile interval of the mean difference by a hierarchical bootstrap: seeds are drawn with replacement, then tasks
 * within each drawn seed. Where all seeds have the same tasks, those are drawn once for all of them: what makes a task hard
 * is common to the seeds. Of few seeds it is too narrow (five: by about a tenth), which `pairedTTest` over seeds is not.
 */
export function pairedBootstrapInterval(
  outcomes: readonly PairedOutcome[],
  { seed, samples = 2000, level = 0.95 }: Pick<BootstrapOptions, 'seed' | 'samples' | 'level'>,
): Interval {
  const groups = [...groupBySeed(outcomes).values()].map((group) =>
    group.toSorted((a, b) => (a.task < b.task ? -1 : a.task > b.task ? 1 : 0)),
  )
  const differences = groups.map((group) => group.map((one) => one.second - one.first))
  const names = groups.map((group) => JSON.stringify(group.map((one) => one.task)))
  const shared = names.every((list) => list === names[0])
  const estimates: number[] = []
  for (let sample = 0; sample < samples; sample++) {
    const base = hash32(seed, 'paired bootstrap', sample)
    let sum = 0
    for (let draw = 0; draw < differences.length; draw++) {
      const group = differences[Math.floor(uniform(base, draw) * differences.length)]
      const tasks = hash32(base, 'tasks', shared ? 0 : draw)
      let total = 0
      for (let i = 0; i < group.length; i++) total += group[Math.floor(uniform(tasks, i) * group.length)]
      sum += total / group.length
    }
    estimates.push(sum / differences.length)
  }
  return { low: quantile(estimates, (1 - level) / 2), high: quantile(estimates, (1 + level) / 2) }
}

/** Standard deviation, where it is more than what rounding leaves of equal numbers; else 0. */
export function spreadOf(values: readonly number[]): number {
  const deviation = sd(values)
  return deviation > 1e-12 * Math.max(1, Math.abs(mean(values))) ? deviation : 0
}

/**
 * Student's paired test of second − first: interval of the mean difference, and two-sided p-value. Needs two pairs. Differences that
 * are all equal show no spread to test against: the interval is a point, and p is null.
 */
export function pairedTTest(
  first: readonly number[],
  second: readonly number[],
  level = 0.95,
): { interval: Interval; tTest: number | null } {
  if (first.length !== second.length) throw new Error(`${first.length} and ${second.length} values cannot be paired`)
  if (first.length < 2) throw new Error('a paired t-test needs at least two pairs')
  const differences = second.map((value, index) => value - first[index])
  const [centre, error, degrees] = [
    mean(differences),
    spreadOf(differences) / Math.sqrt(first.length),
    first.length - 1,
  ]
  const reach = studentQuantile((1 + level) / 2, degrees) * error
  const tTest = error > 0 ? studentTwoSided(centre / error, degrees) : null
  return { interval: { low: centre - reach, high: centre + reach }, tTest }
}

/**
 * Smallest mean difference that a paired t-test over so many pairs (seeds, say) would detect, given the standard deviation
 * of the differences. By central t quantiles: 2 % too small for five pairs, 6 % for three, exact for many.
 */
export function detectableMeanDifference(
  deviation: number,
  pairs: number,
  { alpha = 0.05, power = 0.8 }: PowerOptions = {},
): number {
  if (!(pairs >= 2)) throw new Error('a paired t-test needs at least two pairs')
  const quantiles = studentQuantile(1 - alpha / 2, pairs - 1) + studentQuantile(power, pairs - 1)
  return (quantiles * deviation) / Math.sqrt(pairs)
}

function groupBySeed(outcomes: readonly PairedOutcome[]): Map<number, PairedOutcome[]> {
  if (outcomes.length === 0) throw new Error('a paired comparison needs at least one pair of outcomes')
  const groups = new Map<number, PairedOutcome[]>()
  for (const one of outcomes) {
    const group = groups.get(one.seed)
    if (group) group.push(one)
    else groups.set(one.seed, [one])
  }
  return groups
}
