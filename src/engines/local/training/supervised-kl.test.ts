import { describe, expect, it } from 'vitest'
import type { Loss } from '../../engine.ts'
import { promptsWithAnswers } from '../testing/data.ts'
import { referenceLogprobs } from '../testing/reference.ts'
import { randomWeights, tinyConfig } from '../testing/weights.ts'
import { TrainerCore } from './trainer-core.ts'

describe('cross-entropy with a pull to a reference', () => {
  it.each(['k2', 'k3'] as const)('agrees with finite differences in double precision: %s', async (estimator) => {
    const config = tinyConfig()
    const core = TrainerCore.fresh(config, 6, { threads: 2 })
    core.weights.trained.flat.set(randomWeights(config, 6, 0.5))
    const other = randomWeights(config, 7, 0.5)
    const loss: Loss = { kind: 'cross_entropy', kl: { coefficient: 0.7, estimator } }
    const data = promptsWithAnswers(config.vocab_size, 3, 2, 5).map((datum) => ({
      ...datum,
      refLogprobs: referenceLogprobs(config, Float64Array.from(other), datum.tokens),
    }))
    const found = await core.forwardBackward(data, loss)
    const gradient = core.accumulatedGradient().flat
    const weights = Float64Array.from(core.weights.trained.flat)
    const norm = Math.sqrt(gradient.reduce((sum, g) => sum + g * g, 0))
    // Along the gradient itself.
    const lossAt = (distance: number) => {
      const moved = weights.map((weight, i) => weight + (distance * gradient[i]) / norm)
      return data.reduce((total, { tokens, weights: w, refLogprobs }) => {
        const terms = referenceLogprobs(config, moved, tokens).map((logprob, t) => {
          const delta = logprob - refLogprobs[t]
          const kl = estimator === 'k2' ? delta ** 2 / 2 : Math.exp(-delta) + delta - 1
          return w[t] * (0.7 * kl - logprob)
        })
        return total + terms.reduce((sum, term) => sum + term, 0)
      }, 0)
    }
    expect(found.loss / lossAt(0)).toBeCloseTo(1, 5)
    const h = 1e-5
    expect(Math.abs(norm / ((lossAt(h) - lossAt(-h)) / (2 * h)) - 1)).toBeLessThan(1e-5)
    await core.close()
  })
})
