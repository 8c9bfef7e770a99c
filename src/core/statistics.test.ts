/**
 * Reference values are SciPy 1.17.1's: `binomtest(…).proportion_ci(method='wilson')`, `binomtest(b, b + c, 0.5)`,
 * `permutation_test(permutation_type='samples', n_resamples=inf)`, `bootstrap(method='percentile', n_resamples=200000)`,
 * `norm.cdf`, `norm.ppf`, and `optimize.brentq` on the usual sample-size formulas for two proportions and for McNemar's test.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalCdf, normalQuantile } from './normal.ts'
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

const values = [0.1, 0.4, 0.35, 0.8, 0.55, 0.2, 0.9, 0.6, 0.3, 0.45]

describe('descriptions', () => {
  it('match NumPy', () => {
    expect(mean(values)).toBeCloseTo(0.465, 12)
    expect(sd(values)).toBeCloseTo(0.2528174572031502, 12)
    expect(sd([3])).toBe(0)
    expect(mean([])).toBeNaN()
    for (const [q, value] of [
      [0.1, 0.19],
      [0.25, 0.3125],
      [0.9, 0.81],
    ])
      expect(quantile(values, q)).toBeCloseTo(value, 12)
  })
})

describe('normal distribution', () => {
  it.each([
    [-6, 9.865876450376946e-10],
    [-3, 0.0013498980316300933],
    [-1.96, 0.024997895148220435],
    [-0.5, 0.3085375387259869],
    [0, 0.5],
    [0.3, 0.6179114221889526],
    [2.9, 0.998134186699616],
    [3.1, 0.9990323967867817],
    [5, 0.9999997133484281],
  ])('cdf of %d', (z, p) => {
    expect(Math.abs(normalCdf(z) / p - 1)).toBeLessThan(1e-12)
  })

  it.each([
    [1e-8, -5.612001244174789],
    [0.001, -3.090232306167813],
    [0.025, -1.9599639845400545],
    [0.2, -0.8416212335729142],
    [0.5, 0],
    [0.8, 0.8416212335729143],
    [0.975, 1.959963984540054],
    [0.9999, 3.719016485455709],
  ])('quantile of %d', (p, z) => {
    expect(normalQuantile(p)).toBeCloseTo(z, 9)
  })

  it('are inverse to each other', () => {
    fc.assert(
      fc.property(fc.double({ min: -5, max: 5, noNaN: true }), (z) => {
        expect(normalQuantile(normalCdf(z))).toBeCloseTo(z, 8)
      }),
    )
    expect(() => normalQuantile(1)).toThrow(/between 0 and 1/)
  })
})

describe('wilsonInterval', () => {
  it.each([
    [0, 10, 0, 0.27753279986288926],
    [3, 20, 0.05236874589621662, 0.3604188647407569],
    [274, 274, 0.9861739178990807, 1],
    [62, 274, 0.18071680689288874, 0.2794069606806072],
  ])('%d of %d', (successes, trials, low, high) => {
    const interval = wilsonInterval(successes, trials)
    expect(interval.low).toBeCloseTo(low, 10)
    expect(interval.high).toBeCloseTo(high, 10)
  })

  it('refuses what is no proportion', () => {
    expect(() => wilsonInterval(0, 0)).toThrow(/no proportion/)
    expect(() => wilsonInterval(3, 2)).toThrow(/no proportion/)
  })
})

describe('bootstrapInterval', () => {
  it('comes near the reference, and is the same for the same seed', () => {
    const interval = bootstrapInterval(values, { seed: 1, samples: 4000 })
    expect(Math.abs(interval.low - 0.32)).toBeLessThan(0.015)
    expect(Math.abs(interval.high - 0.615)).toBeLessThan(0.015)
    expect(bootstrapInterval(values, { seed: 1, samples: 4000 })).toEqual(interval)
    expect(bootstrapInterval(values, { seed: 2, samples: 4000 })).not.toEqual(interval)
  })

  it('takes any statistic', () => {
    expect(bootstrapInterval([5, 5, 5], { seed: 0, samples: 50 })).toEqual({ low: 5, high: 5 })
    const highest = bootstrapInterval(values, { seed: 0, samples: 500, statistic: (list) => Math.max(...list) })
    expect(highest.high).toBe(0.9)
    expect(() => bootstrapInterval([], { seed: 0 })).toThrow(/at least one/)
  })
})

describe('mcNemarTest', () => {
  it.each([
    [0, 0, 1],
    [1, 5, 0.21875],
    [12, 3, 0.03515625],
    [400, 350, 0.07350777405843484],
  ])('%d against %d', (b, c, p) => {
    expect(mcNemarTest(b, c)).toBeCloseTo(p, 10)
    expect(mcNemarTest(c, b)).toBeCloseTo(p, 10)
  })

  it('does not underflow', () => {
    expect(mcNemarTest(2000, 2000)).toBe(1)
    expect(mcNemarTest(0, 5000)).toBe(0)
  })
})

describe('pairedPermutationTest', () => {
  const first = [0.31, 0.27, 0.44, 0.35, 0.52, 0.18, 0.39, 0.41]
  const second = [0.25, 0.29, 0.31, 0.33, 0.4, 0.2, 0.3, 0.28]

  it('is exact for few pairs', () => {
    expect(pairedPermutationTest(first, second, { seed: 0 })).toBeCloseTo(0.0546875, 12)
    expect(pairedPermutationTest(first, first, { seed: 0 })).toBe(1)
    expect(() => pairedPermutationTest([1], [], { seed: 0 })).toThrow(/cannot be paired/)
  })

  it('comes near McNemar for many binary pairs', () => {
    const wins = Array.from({ length: 100 }, (_, index) => (index < 25 ? 1 : 0))
    const losses = Array.from({ length: 100 }, (_, index) => (index >= 90 ? 1 : 0))
    const p = pairedPermutationTest(wins, losses, { seed: 3, permutations: 5000 })
    expect(Math.abs(p - mcNemarTest(25, 10))).toBeLessThan(0.006)
    expect(pairedPermutationTest(wins, losses, { seed: 3, permutations: 5000 })).toBe(p)
  })
})

describe('holmCorrection', () => {
  it('matches hand values', () => {
    const adjusted = holmCorrection([0.01, 0.04, 0.03, 0.005, 0.5])
    for (const [index, p] of [0.04, 0.09, 0.09, 0.025, 0.5].entries()) expect(adjusted[index]).toBeCloseTo(p, 12)
    expect(holmCorrection([])).toEqual([])
  })

  it('keeps the order, never lowers, never exceeds 1', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (pValues) => {
        const adjusted = holmCorrection(pValues)
        for (const [i, p] of pValues.entries()) {
          expect(adjusted[i]).toBeGreaterThanOrEqual(p)
          expect(adjusted[i]).toBeLessThanOrEqual(1)
          for (const [j, q] of pValues.entries()) if (p < q) expect(adjusted[i]).toBeLessThanOrEqual(adjusted[j])
        }
      }),
    )
  })
})

describe('smallest detectable difference', () => {
  it.each([
    [0.15, 274, 0.095094195034171],
    [0.226, 822, 0.06027747538358103],
    [0.5, 100, 0.1932251509298101],
  ])('from %d with %d a group', (base, trials, difference) => {
    expect(detectableDifference(base, trials)).toBeCloseTo(difference, 9)
  })

  it.each([
    [0.2, 274, 0.07536567247039098],
    [0.1, 822, 0.03085637492946278],
  ])('paired, %d discordant of %d', (discordant, pairs, difference) => {
    expect(detectablePairedDifference(discordant, pairs)).toBeCloseTo(difference, 9)
  })

  it('is null where there is too little to see anything', () => {
    expect(detectableDifference(0.5, 3)).toBeNull()
    expect(detectableDifference(1, 100)).toBeNull()
    expect(detectablePairedDifference(0.5, 5)).toBeNull()
    expect(detectablePairedDifference(0, 100)).toBeNull()
  })
})
