import { describe, expect, it } from 'vitest'
import type { Datum, Loss, Sampler, Trainer } from '../engines/index.ts'
import { DEFAULT_POLICY_DATA, type GroupMember } from './data.ts'
import { environmentData } from './environment-tokens.ts'
import { type PolicyUpdateOptions, policyUpdate, sftUpdate } from './update.ts'

/** Two tokens of prompt, two sampled, two of the environment's, one sampled. */
const mask = [0, 0, 1, 1, 0, 0, 1]
const tokens = mask.map((_, index) => index)
const observed = [0, 0, 0, 0, 1, 1, 0]
const member = (reward: number, marks = [observed]): GroupMember => ({
  reward,
  observed: marks,
  sequences: [{ tokens, mask, logprobs: mask.map((value) => -value) }],
})

/** Keeps what it is given; the loss of a call is its sum of weights. */
function recorder() {
  const calls: { data: Datum[]; loss: Loss }[] = []
  let steps = 0
  const trainer = {
    async forwardBackward(data: Datum[], loss: Loss) {
      calls.push({ data, loss })
      const sum = data.flatMap(({ weights }) => weights).reduce((a, b) => a + b, 0)
      return { loss: sum, metrics: { kl: 0.25 }, tokens: { trained: data.length, total: 9 }, logprobs: [] }
    },
    async optimStep() {
      steps++
      return { gradientNorm: 1 }
    },
  } as Partial<Trainer> as Trainer
  return { trainer, calls, steps: () => steps }
}

const adam = { learningRate: 1, beta1: 0, beta2: 0, epsilon: 1, weightDecay: 0, clipNorm: 0 }
const options: PolicyUpdateOptions = {
  ...DEFAULT_POLICY_DATA,
  clipLow: 0.2,
  clipHigh: 0.2,
  kl: { coefficient: 0, estimator: 'k3' },
  entropy: 0,
  temperature: 1,
  adam,
}

describe('the environment’s tokens in a policy update', () => {
  it('are learned by cross-entropy in the same step, α times their mean', async () => {
    const { trainer, calls, steps } = recorder()
    const groups = [
      [member(1), member(0)],
      [member(0), member(0, [])],
    ]
    const update = await policyUpdate(trainer, null, groups, { ...options, environmentTokens: 0.1 })
    expect(calls.map(({ loss }) => loss.kind)).toEqual(['ppo', 'cross_entropy'])
    expect(steps()).toBe(1)
    // Of every episode that marks some, also where no reward varies; six tokens share the weight.
    expect(calls[1].data).toHaveLength(3)
    for (const { weights } of calls[1].data) {
      expect(weights.map((weight) => Number(weight.toFixed(6)))).toEqual([0, 0, 0, 0, 0.016667, 0.016667, 0])
    }
    expect(update.metrics.environmentLoss).toBeCloseTo(1, 12)
    expect(update.metrics.environmentTokens).toBe(3)
  })

  it('are learned where nothing else teaches, and left alone by default', async () => {
    const { trainer, calls } = recorder()
    const same = [[member(0), member(0)]]
    await policyUpdate(trainer, null, same, { ...options, environmentTokens: 1 })
    expect(calls.map(({ loss }) => loss.kind)).toEqual(['cross_entropy'])
    const update = await policyUpdate(trainer, null, same, options)
    expect(calls).toHaveLength(1)
    expect(update.metrics).toEqual({})
    expect(environmentData([[member(0, [])]], 1)).toEqual([])
  })
})

describe('supervision with a pull to a reference', () => {
  it('asks the reference about the labels, and hands the term on', async () => {
    const { trainer, calls } = recorder()
    const reference = {
      logprobs: async (some: number[][]) => some.map((one) => one.map((t) => -t)),
    } as unknown as Sampler
    const term = { coefficient: 0.5, estimator: 'k3' } as const
    const update = await sftUpdate(trainer, [{ tokens, mask }], adam, { term, reference })
    expect(calls[0].loss).toEqual({ kind: 'cross_entropy', kl: term })
    expect(calls[0].data[0].refLogprobs).toEqual(tokens.map((t) => -t))
    expect(update.kl).toBe(0.25)
    expect((await sftUpdate(trainer, [{ tokens, mask }], adam)).kl).toBeUndefined()
    expect(calls[1].data[0].refLogprobs).toBeUndefined()
  })
})
