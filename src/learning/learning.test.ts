import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countOutcomes, DEFAULT_ADVANTAGES, groupAdvantages, groupOutcome } from './advantages.ts'
import { type Aggregation, aggregationWeights } from './aggregation.ts'
import { klEstimate } from './kl.ts'
import { learningRateAt } from './schedule.ts'

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)
const rewardList = fc.array(fc.constantFrom(0, 0.2, 0.4, 0.6, 0.8, 1, -0.1), { minLength: 1, maxLength: 16 })

describe('groupAdvantages', () => {
  it('matches hand values', () => {
    // Mean 1/4, squared deviations 9/16 + 3·1/16 = 3/4, over n − 1 = 3: standard deviation 1/2.
    const options = { ...DEFAULT_ADVANTAGES, epsilon: 0 }
    expect(groupAdvantages([1, 0, 0, 0], options)).toEqual([1.5, -0.5, -0.5, -0.5])
    expect(groupAdvantages([1, 0, 0, 0], { ...options, scale: 'none' })).toEqual([0.75, -0.25, -0.25, -0.25])
    expect(groupAdvantages([1, 0], { ...options, epsilon: 0.5 })[0]).toBeCloseTo(0.5 / (Math.SQRT1_2 + 0.5), 12)
  })

  it('weighs attempts by their steps only at step level', () => {
    const options = { scale: 'std', epsilon: 0, level: 'step' } as const
    // Step samples 1, 0, 0, 0: as above.
    expect(groupAdvantages([1, 0], options, [1, 3])).toEqual([1.5, -0.5])
    expect(groupAdvantages([1, 0], { ...options, level: 'trajectory' }, [1, 3])).toEqual(
      groupAdvantages([1, 0], { ...options, level: 'trajectory' }),
    )
  })

  it('is exactly 0 without variance, and in a group of one', () => {
    expect(groupAdvantages([0.1, 0.1, 0.1])).toEqual([0, 0, 0])
    expect(groupAdvantages([1])).toEqual([0])
    expect(groupAdvantages([])).toEqual([])
    expect(() => groupAdvantages([1, Number.NaN])).toThrow(/not a number/)
  })

  it('sums to 0, keeps the order of rewards, and has unit variance', () => {
    fc.assert(
      fc.property(rewardList, (rewards) => {
        const advantages = groupAdvantages(rewards, { ...DEFAULT_ADVANTAGES, epsilon: 0 })
        expect(sum(advantages)).toBeCloseTo(0, 9)
        for (const [i, a] of rewards.entries()) {
          for (const [j, b] of rewards.entries()) if (a > b) expect(advantages[i]).toBeGreaterThan(advantages[j])
        }
        const square = sum(advantages.map((value) => value ** 2))
        expect(square).toBeCloseTo(groupOutcome(rewards) === 'mixed' ? rewards.length - 1 : 0, 9)
      }),
    )
  })
})

describe('groupOutcome', () => {
  it('tells groups without variance apart, exactly', () => {
    expect(groupOutcome([0, 0])).toBe('allFail')
    expect(groupOutcome([-0.1, -0.1])).toBe('allFail')
    expect(groupOutcome([1, 1])).toBe('allPass')
    expect(groupOutcome([0.4, 0.4])).toBe('allSame')
    expect(groupOutcome([0.3, 0.1 + 0.2])).toBe('mixed')
    expect(countOutcomes([[0, 0], [1], [0, 1], [1, 0]])).toEqual({ mixed: 2, allPass: 1, allFail: 1, allSame: 0 })
  })
})

describe('aggregationWeights', () => {
  const masks = [
    [0, 1, 1, 1],
    [0, 0, 1],
    [0, 0],
  ]

  it('matches hand values', () => {
    expect(aggregationWeights(masks, { kind: 'tokenMean' })).toEqual([
      [0, 0.25, 0.25, 0.25],
      [0, 0, 0.25],
      [0, 0],
    ])
    expect(aggregationWeights(masks, { kind: 'sequenceMean' })).toEqual([
      [0, 1 / 6, 1 / 6, 1 / 6],
      [0, 0, 0.5],
      [0, 0],
    ])
    expect(aggregationWeights(masks, { kind: 'fixedDenominator', tokens: 5 })).toEqual([
      [0, 0.1, 0.1, 0.1],
      [0, 0, 0.1],
      [0, 0],
    ])
    expect(aggregationWeights([[0, 2, 1, 1]], { kind: 'tokenMean' })).toEqual([[0, 0.5, 0.25, 0.25]])
  })

  it('sums to 1 for both means', () => {
    const mask = fc.array(fc.constantFrom(0, 1), { maxLength: 10 })
    const kind = fc.constantFrom<Aggregation>({ kind: 'tokenMean' }, { kind: 'sequenceMean' })
    fc.assert(
      fc.property(fc.array(mask, { maxLength: 6 }), kind, (list, aggregation) => {
        const weights = aggregationWeights(list, aggregation)
        const any = list.some((one) => one.includes(1))
        expect(sum(weights.flat())).toBeCloseTo(any ? 1 : 0, 12)
        expect(weights.flat().every(Number.isFinite)).toBe(true)
      }),
    )
  })

  it('refuses what is not a mask', () => {
    expect(() => aggregationWeights([[0, -1]], { kind: 'tokenMean' })).toThrow(/positive/)
    expect(() => aggregationWeights([[0, 1]], { kind: 'fixedDenominator', tokens: 0 })).toThrow(
      /positive number of tokens/,
    )
  })
})

describe('klEstimate', () => {
  it('matches hand values', () => {
    const [logprob, reference] = [Math.log(0.5), Math.log(0.25)]
    expect(klEstimate('k1', logprob, reference)).toBeCloseTo(Math.LN2, 12)
    expect(klEstimate('k2', logprob, reference)).toBeCloseTo(Math.LN2 ** 2 / 2, 12)
    expect(klEstimate('k3', logprob, reference)).toBeCloseTo(0.5 + Math.LN2 - 1, 12)
  })

  it('is 0 for equal policies, and k2 and k3 are never negative', () => {
    const logprob = fc.double({ min: -60, max: 0, noNaN: true })
    fc.assert(
      fc.property(logprob, logprob, (a, b) => {
        for (const estimator of ['k1', 'k2', 'k3'] as const) expect(klEstimate(estimator, a, a)).toBe(0)
        expect(klEstimate('k2', a, b)).toBeGreaterThanOrEqual(0)
        expect(Number.isFinite(klEstimate('k3', a, b))).toBe(true)
        if (b - a <= 20) expect(klEstimate('k3', a, b)).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  it('k1 and k3 are unbiased: their mean under the policy is the divergence', () => {
    const policy = [0.5, 0.3, 0.2]
    const reference = [0.2, 0.2, 0.6]
    const divergence = sum(policy.map((p, i) => p * Math.log(p / reference[i])))
    for (const estimator of ['k1', 'k3'] as const) {
      const mean = sum(policy.map((p, i) => p * klEstimate(estimator, Math.log(p), Math.log(reference[i]))))
      expect(mean).toBeCloseTo(divergence, 12)
    }
  })
})

describe('learningRateAt', () => {
  it('warms up, then stays', () => {
    const schedule = { kind: 'constant', peak: 1, warmupSteps: 4 } as const
    expect([0, 1, 3, 4, 100].map((step) => learningRateAt(schedule, step))).toEqual([0.25, 0.5, 1, 1, 1])
    expect(learningRateAt({ ...schedule, warmupSteps: 0 }, 0)).toBe(1)
  })

  it('falls in a line or half a cosine', () => {
    const linear = { kind: 'linear', peak: 1, warmupSteps: 2, totalSteps: 6, floor: 0.2 } as const
    const rates = [1, 2, 4, 6, 9].map((step) => learningRateAt(linear, step))
    for (const [index, rate] of [1, 1, 0.6, 0.2, 0.2].entries()) expect(rates[index]).toBeCloseTo(rate, 12)
    const cosine = { kind: 'cosine', peak: 2, warmupSteps: 0, totalSteps: 4 } as const
    expect(learningRateAt(cosine, 0)).toBe(2)
    expect(learningRateAt(cosine, 1)).toBeCloseTo(1 + Math.SQRT1_2, 12)
    expect(learningRateAt(cosine, 2)).toBeCloseTo(1, 12)
    expect(learningRateAt(cosine, 4)).toBeCloseTo(0, 12)
    expect(() => learningRateAt({ kind: 'linear', peak: 1, warmupSteps: 3 }, 3)).toThrow(/more steps/)
  })
})
