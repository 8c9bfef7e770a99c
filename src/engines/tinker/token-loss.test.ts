import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Loss } from '../engine.ts'
import { tokenLoss } from './token-loss.ts'

const ppo: Loss = { kind: 'ppo', clipLow: 0.2, clipHigh: 0.28 }
const losses: Loss[] = [
  { kind: 'cross_entropy' },
  ppo,
  { ...ppo, dualClip: 3 },
  { ...ppo, kl: { coefficient: 0.3, estimator: 'k1' } },
  { ...ppo, kl: { coefficient: 0.3, estimator: 'k2' } },
  { kind: 'cross_entropy', kl: { coefficient: 0.3, estimator: 'k3' } },
]
const number = (min: number, max: number) => fc.double({ min, max, noNaN: true })

describe('tokenLoss', () => {
  it.each(losses.map((loss) => [JSON.stringify(loss), loss] as const))('has the slope of its value: %s', (_, loss) => {
    const inputs = fc.record({
      logprob: number(-5, 0),
      oldLogprob: number(-5, 0),
      refLogprob: number(-5, 0),
      advantage: number(-2, 2),
    })
    fc.assert(
      fc.property(inputs, (at) => {
        const step = 1e-6
        const ratio = Math.exp(at.logprob - at.oldLogprob)
        // Not differentiable there.
        fc.pre([0.8, 1.28, 3].every((corner) => Math.abs(ratio - corner) > 1e-4))
        const before = tokenLoss(loss, { ...at, logprob: at.logprob - step }).value
        const after = tokenLoss(loss, { ...at, logprob: at.logprob + step }).value
        const { slope } = tokenLoss(loss, at)
        expect((after - before) / (2 * step)).toBeCloseTo(slope, 3)
      }),
    )
  })

  it('keeps a far-off token from overflowing', () => {
    const far = { logprob: 0, oldLogprob: -900, refLogprob: 900, advantage: -1 }
    const { value, slope } = tokenLoss({ ...ppo, kl: { coefficient: 1, estimator: 'k3' } }, far)
    expect(Number.isFinite(value) && Number.isFinite(slope)).toBe(true)
  })
})
