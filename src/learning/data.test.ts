import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_POLICY_DATA, type GroupMember, policyData, sftData, withReference } from './data.ts'

/** A prompt of two tokens and a sample of `length`. */
function member(reward: number, length = 2, sequences = 1): GroupMember {
  const mask = [0, 0, ...new Array<number>(length).fill(1)]
  const sequence = { tokens: mask.map((_, index) => index), mask, logprobs: mask.map((value) => -value) }
  return { reward, sequences: Array.from({ length: sequences }, () => sequence) }
}
const raw = { ...DEFAULT_POLICY_DATA, advantages: { scale: 'none', epsilon: 0, level: 'trajectory' } as const }

describe('policyData', () => {
  it('puts advantages on sampled tokens, and weights that sum to 1', () => {
    const { data, groups, meanReward } = policyData([[member(1), member(0)]], raw)
    expect(data).toHaveLength(2)
    expect(data[0]).toEqual({
      tokens: [0, 1, 2, 3],
      weights: [0, 0, 0.25, 0.25],
      advantages: [0, 0, 0.5, 0.5],
      oldLogprobs: [-0, -0, -1, -1],
    })
    expect(data[1].advantages).toEqual([0, 0, -0.5, -0.5])
    expect(groups).toEqual({ mixed: 1, allPass: 0, allFail: 0, allSame: 0 })
    expect(meanReward).toBe(0.5)
  })

  it('gives every sequence of an attempt the attempt’s advantage', () => {
    const { data } = policyData([[member(1, 2, 3), member(0)]], raw)
    expect(data.map((datum) => datum.advantages![2])).toEqual([0.5, 0.5, 0.5, -0.5])
    const step = policyData([[member(1, 2, 3), member(0)]], {
      ...raw,
      advantages: { ...raw.advantages, level: 'step' },
    })
    expect(step.data.map((datum) => datum.advantages![2])).toEqual([0.25, 0.25, 0.25, -0.75])
  })

  it('hands advantages out at random as a control: the same ones, to others, within the step', () => {
    const groups = [
      [member(1), member(0)],
      [member(1, 3, 2), member(0.5), member(0)],
      [member(0), member(0)],
    ]
    const valuesOf = (permute?: number) =>
      policyData(groups, { ...raw, permute }).data.map(({ advantages }) => advantages![2])
    // One a sample, whatever its number of sequences: the third and the fourth are one sample's.
    const own = valuesOf().toSpliced(3, 1)
    const all = [1, 2, 3, 4, 5].map((seed) => valuesOf(seed).toSpliced(3, 1))
    for (const values of all) expect([...values].sort()).toEqual([...own].sort())
    expect(valuesOf(1)[2]).toBe(valuesOf(1)[3])
    expect(valuesOf(1)).toEqual(valuesOf(1))
    expect(new Set([own, ...all].map(String)).size).toBeGreaterThan(4)
    // Weights and old log-probabilities stay where they are.
    const strip = (permute?: number) =>
      policyData(groups, { ...raw, permute }).data.map((datum) => ({ ...datum, advantages: [] }))
    expect(strip(1)).toEqual(strip())
    const skipped = policyData(groups, { ...raw, permute: 1, zeroVariance: 'skip' }).data
    expect(skipped.every(({ advantages }) => advantages![2] !== 0)).toBe(true)
  })

  it('never lets zero-variance groups change the weights of the others', () => {
    const group = fc.array(fc.tuple(fc.constantFrom(0, 0.5, 1), fc.integer({ min: 1, max: 4 })), {
      minLength: 1,
      maxLength: 4,
    })
    const kinds = fc.constantFrom(
      { kind: 'tokenMean' } as const,
      { kind: 'sequenceMean' } as const,
      { kind: 'fixedDenominator', tokens: 4 } as const,
    )
    fc.assert(
      fc.property(fc.array(group, { minLength: 1, maxLength: 4 }), kinds, (list, aggregation) => {
        const groups = list.map((members) => members.map(([reward, length]) => member(reward, length)))
        const kept = policyData(groups, { ...raw, aggregation })
        const skipped = policyData(groups, { ...raw, aggregation, zeroVariance: 'skip' })
        const mixed = list.map((members) => new Set(members.map(([reward]) => reward)).size > 1)
        const expected = kept.data.filter(
          (_, index) => list.flatMap((members, g) => members.map(() => mixed[g]))[index],
        )
        expect(skipped.data).toEqual(expected)
        expect(skipped.groups).toEqual(kept.groups)
      }),
    )
  })

  it('refuses masks that cannot be right, and names them', () => {
    const broken = (mask: number[]): GroupMember => ({
      reward: 1,
      sequences: [{ tokens: mask.map(() => 7), mask, logprobs: mask.map(() => 0) }],
    })
    expect(() => policyData([[member(0), broken([0, 0])]])).toThrow(/group 0, sample 1.*no token/)
    expect(() => policyData([[broken([1, 1])]])).toThrow(/every token/)
    expect(() => policyData([[broken([1, 0])]])).toThrow(/first token/)
    const short = { reward: 1, sequences: [{ tokens: [1, 2], mask: [0, 1], logprobs: [0] }] }
    expect(() => policyData([[short]])).toThrow(/differ in length/)
  })
})

describe('sftData', () => {
  it('weighs tokens by mask and aggregation', () => {
    const examples = [
      { tokens: [1, 2, 3], mask: [0, 1, 1] },
      { tokens: [1, 2], mask: [0, 2] },
    ]
    expect(sftData(examples).map((datum) => datum.weights)).toEqual([
      [0, 0.25, 0.25],
      [0, 0.5],
    ])
    expect(sftData(examples, { kind: 'sequenceMean' }).map((datum) => datum.weights)).toEqual([
      [0, 0.25, 0.25],
      [0, 0.5],
    ])
    expect(() => sftData([{ tokens: [1], mask: [0] }])).toThrow(/example 0/)
  })
})

describe('withReference', () => {
  it('adds log-probabilities without touching the rest', () => {
    const data = sftData([{ tokens: [1, 2], mask: [0, 1] }])
    expect(withReference(data, [[0, -2]])).toEqual([{ ...data[0], refLogprobs: [0, -2] }])
    expect(() => withReference(data, [])).toThrow(/reference/)
  })
})
