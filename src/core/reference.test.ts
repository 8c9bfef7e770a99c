/**
 * Our statistics against SciPy's, NumPy's and statsmodels': values they gave once (`testing/statistics.reference.json`,
 * made by `npm run referees -- --write`), and, where they are installed, values they give now on other cases.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { normalCdf, normalQuantile } from './normal.ts'
import { comparePaired, detectableMeanDifference, pairedBootstrapInterval, pairedTTest } from './paired.ts'
import {
  bootstrapInterval,
  detectableDifference,
  detectablePairedDifference,
  holmCorrection,
  mcNemarTest,
  mean,
  pairedPermutationTest,
  quantile,
  sd,
  wilsonInterval,
} from './statistics.ts'
import { studentCdf, studentQuantile, studentTwoSided } from './student.ts'
import { refereeAnswer, refereeHas } from './testing/python.ts'

interface Bounds {
  low: number
  high: number
}
interface Pair {
  first: number[]
  second: number[]
}

interface Reference {
  command: string
  versions: Record<string, string>
  cases: {
    descriptions: { values: number[]; q: number; mean: number; sd: number; quantile: number }[]
    normal: { z: number; cdf: number; p: number; quantile: number }[]
    student: { t: number; degrees: number; cdf: number; twoSided: number; p: number; quantile: number }[]
    wilson: (Bounds & { successes: number; trials: number; level: number })[]
    mcNemar: { onlyFirst: number; onlySecond: number; p: number }[]
    permutation: (Pair & { p: number })[]
    pairedT: (Pair & Bounds & { level: number; p: number })[]
    holm: { p: number[]; adjusted: number[] }[]
    detectable: { trials: number; base: number; discordant: number; independent: number; paired: number }[]
    detectableMean: { deviation: number; pairs: number; difference: number }[]
    bootstrap: (Bounds & { values: number[] })[]
    hierarchical: (Bounds & { shared: boolean; differences: number[][] })[]
  }
}

/** Relative where the expected value is large or small, absolute near 0. */
function near(actual: number | null, expected: number, tolerance = 1e-9): void {
  expect(actual, `${actual} for ${expected}`).not.toBeNull()
  expect(Math.abs((actual ?? 0) - expected), `${actual} for ${expected}`).toBeLessThanOrEqual(
    tolerance * Math.max(1, Math.abs(expected)),
  )
}

/** For probabilities, whose digits matter however small they are. */
const nearRelative = (actual: number, expected: number) =>
  expect(Math.abs(actual / expected - 1), `${actual} for ${expected}`).toBeLessThan(1e-9)

function agree({ cases }: Reference): void {
  for (const one of cases.descriptions) {
    near(mean(one.values), one.mean)
    near(sd(one.values), one.sd)
    near(quantile(one.values, one.q), one.quantile)
  }
  for (const { z, cdf, p, quantile } of cases.normal) {
    nearRelative(normalCdf(z), cdf)
    near(normalQuantile(p), quantile)
  }
  for (const { t, degrees, cdf, twoSided, p, quantile } of cases.student) {
    nearRelative(studentCdf(t, degrees), cdf)
    nearRelative(studentTwoSided(t, degrees), twoSided)
    near(studentQuantile(p, degrees), quantile)
  }
  for (const { successes, trials, level, low, high } of cases.wilson) {
    near(wilsonInterval(successes, trials, level).low, low)
    near(wilsonInterval(successes, trials, level).high, high)
  }
  for (const { onlyFirst, onlySecond, p } of cases.mcNemar) nearRelative(mcNemarTest(onlyFirst, onlySecond), p)
  for (const { first, second, p } of cases.permutation) near(pairedPermutationTest(first, second, { seed: 0 }), p)
  for (const { first, second, level, p, low, high } of cases.pairedT) {
    const { interval, tTest } = pairedTTest(first, second, level)
    nearRelative(tTest!, p)
    near(interval.low, low)
    near(interval.high, high)
  }
  for (const { p, adjusted } of cases.holm) {
    for (const [index, value] of holmCorrection(p).entries()) near(value, adjusted[index])
  }
  for (const { trials, base, discordant, independent, paired } of cases.detectable) {
    near(detectableDifference(base, trials), independent)
    near(detectablePairedDifference(discordant, trials), paired)
  }
  // Ours uses the central t distribution where the exact answer needs the other: see its docstring.
  for (const { deviation, pairs, difference } of cases.detectableMean) {
    const ratio = detectableMeanDifference(deviation, pairs) / difference
    expect(ratio, `${pairs} pairs`).toBeGreaterThan(pairs < 5 ? 0.93 : 0.98)
    expect(ratio, `${pairs} pairs`).toBeLessThan(1.001)
  }
  // Both sides are drawn at random: the ends agree to within their own Monte Carlo error, a small part of the width.
  for (const { values, low, high } of cases.bootstrap) {
    const interval = bootstrapInterval(values, { seed: 1, samples: 20_000 })
    expect(Math.abs(interval.low - low)).toBeLessThan(0.03 * (high - low))
    expect(Math.abs(interval.high - high)).toBeLessThan(0.03 * (high - low))
  }
  for (const { shared, differences, low, high } of cases.hierarchical) {
    const outcomes = differences.flatMap((tasks, seed) =>
      tasks.map((second, task) => ({ seed, task: shared ? `${task}` : `${seed} ${task}`, first: 0, second })),
    )
    const interval = pairedBootstrapInterval(outcomes, { seed: 1, samples: 20_000 })
    expect(Math.abs(interval.low - low)).toBeLessThan(0.03 * (high - low))
    expect(Math.abs(interval.high - high)).toBeLessThan(0.03 * (high - low))
    near(comparePaired(outcomes, { seed: 1, samples: 10 }).difference, mean(differences.map(mean)))
  }
}

const stored = JSON.parse(
  readFileSync(join(import.meta.dirname, 'testing', 'statistics.reference.json'), 'utf8'),
) as Reference

describe('reference values', () => {
  it(`of SciPy ${stored.versions.scipy}, statsmodels ${stored.versions.statsmodels} (${stored.command})`, () => {
    for (const list of Object.values(stored.cases)) expect(list.length).toBeGreaterThan(1)
    agree(stored)
  })
})

describe.skipIf(!refereeHas('numpy', 'scipy', 'statsmodels'))('the referee now', () => {
  it('agrees on other cases, too', async () => {
    agree((await refereeAnswer('statistical_tests.py', '7')) as Reference)
  })
})
