/** The training half of the engines' contract: see `engineContract`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AdamParams, Datum, Loss, Trainer } from '../engine.ts'
import { largestDifference, sampling } from './contract-sampling.ts'

const adam: AdamParams = {
  learningRate: 3e-3,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0,
  clipNorm: 1,
}
const crossEntropy: Loss = { kind: 'cross_entropy' }
const ppo: Loss = { kind: 'ppo', clipLow: 0.2, clipHigh: 0.2 }

/** Every token but the first is trained on. */
function text(tokens: number[]): Datum {
  return { tokens, weights: tokens.map((_, t) => (t === 0 ? 0 : 1)) }
}

export function trainingContract(name: string, start: () => Promise<Trainer>): void {
  describe(`${name}: training`, () => {
    const texts = [text([1, 2, 3, 4, 5, 6]), text([1, 7, 8, 9]), text([2, 10, 11, 12, 13])]

    it('learns a tiny text by cross-entropy, and samples it back', async () => {
      const trainer = await start()
      const losses: number[] = []
      for (let step = 0; step < 60; step++) {
        const result = await trainer.forwardBackward(texts, crossEntropy)
        expect(result.tokens).toMatchObject({ trained: 12, total: 15 })
        losses.push(result.loss)
        expect((await trainer.optimStep(adam)).gradientNorm).toBeGreaterThan(0)
      }
      expect(losses[59]).toBeLessThan(losses[0] / 4)
      const [[sample]] = await trainer.sampler().sample([[2]], { ...sampling, temperature: 0, maxTokens: 4 })
      expect(sample.tokens).toEqual([10, 11, 12, 13])
    })

    it('sums weight × −log-probability', async () => {
      const trainer = await start()
      const datum: Datum = { tokens: [1, 2, 3, 4], weights: [0, 0.5, 0, 2] }
      const [logprobs] = await trainer.sampler().logprobs([datum.tokens])
      const { loss, logprobs: own } = await trainer.forwardBackward([datum], crossEntropy)
      expect(loss).toBeCloseTo(-0.5 * logprobs[1] - 2 * logprobs[3], 3)
      expect(own[0][3]).toBeCloseTo(logprobs[3], 4)
    })

    it('accumulates: several calls give the gradient of one', async () => {
      const [together, apart] = [await start(), await start()]
      await together.forwardBackward(texts, crossEntropy)
      for (const datum of texts) await apart.forwardBackward([datum], crossEntropy)
      const norms = [(await together.optimStep(adam)).gradientNorm, (await apart.optimStep(adam)).gradientNorm]
      expect(Math.abs(norms[0] / norms[1] - 1)).toBeLessThan(1e-4)
      const sequences = texts.map((datum) => datum.tokens)
      const [a, b] = [await together.sampler().logprobs(sequences), await apart.sampler().logprobs(sequences)]
      expect(largestDifference(a, b)).toBeLessThan(1e-3)
    })

    it('is not affected by tokens of weight zero beyond their being context', async () => {
      const norms: number[] = []
      for (const end of [[], [30, 31], [5, 6]]) {
        const trainer = await start()
        const tokens = [1, 2, 3, ...end]
        const weights = tokens.map((_, t) => (t === 1 || t === 2 ? 1 : 0))
        await trainer.forwardBackward([{ tokens, weights }], crossEntropy)
        norms.push((await trainer.optimStep(adam)).gradientNorm)
      }
      expect(Math.abs(norms[1] / norms[0] - 1)).toBeLessThan(1e-4)
      expect(Math.abs(norms[2] / norms[0] - 1)).toBeLessThan(1e-4)
    })

    it('makes a rewarded token more probable and a punished one less', async () => {
      for (const advantage of [1, -1]) {
        const trainer = await start()
        const tokens = [1, 2, 3, 4]
        const before = (await trainer.sampler().logprobs([tokens]))[0]
        const datum: Datum = { tokens, weights: [0, 0, 0, 1], advantages: [0, 0, 0, advantage], oldLogprobs: before }
        const result = await trainer.forwardBackward([datum], ppo)
        expect(result.loss).toBeCloseTo(-advantage, 3)
        expect(result.metrics.ratio).toBeCloseTo(1, 3)
        await trainer.optimStep(adam)
        const after = (await trainer.sampler().logprobs([tokens]))[0]
        expect((after[3] - before[3]) * advantage).toBeGreaterThan(1e-3)
      }
    })

    it('with ratio 1 has the gradient of weighted cross-entropy', async () => {
      const [policy, plain] = [await start(), await start()]
      const tokens = [1, 2, 3, 4]
      const [logprobs] = await policy.sampler().logprobs([tokens])
      const datum: Datum = { tokens, weights: [0, 1, 1, 1], advantages: [0, 2, -1, 0.5], oldLogprobs: logprobs }
      await policy.forwardBackward([datum], ppo)
      await plain.forwardBackward([{ tokens, weights: [0, 2, -1, 0.5] }], crossEntropy)
      const norms = [(await policy.optimStep(adam)).gradientNorm, (await plain.optimStep(adam)).gradientNorm]
      expect(Math.abs(norms[0] / norms[1] - 1)).toBeLessThan(1e-3)
    })

    it('has no gradient where the ratio is clipped', async () => {
      const trainer = await start()
      const tokens = [1, 2, 3]
      const [logprobs] = await trainer.sampler().logprobs([tokens])
      const oldLogprobs = logprobs.map((value) => value - 1)
      const datum: Datum = { tokens, weights: [0, 1, 1], advantages: [0, 1, 1], oldLogprobs }
      const { metrics } = await trainer.forwardBackward([datum], ppo)
      expect(metrics.clipShare).toBe(1)
      expect((await trainer.optimStep(adam)).gradientNorm).toBeLessThan(1e-6)
    })

    it('keeps a frozen copy as it was', async () => {
      const trainer = await start()
      const frozen = await trainer.freeze()
      const before = await frozen.logprobs([[1, 2, 3, 4]])
      expect(largestDifference(await trainer.sampler().logprobs([[1, 2, 3, 4]]), before)).toBe(0)
      await trainer.forwardBackward(texts, crossEntropy)
      await trainer.optimStep(adam)
      expect(await frozen.logprobs([[1, 2, 3, 4]])).toEqual(before)
      expect(largestDifference(await trainer.sampler().logprobs([[1, 2, 3, 4]]), before)).toBeGreaterThan(1e-3)
      const [[sample]] = await frozen.sample([[1, 2]], sampling)
      expect(sample.tokens).toHaveLength(8)
      await frozen.close()
    })

    it('is pulled back to the reference by the KL term', async () => {
      const trainer = await start()
      const reference = await trainer.freeze()
      const tokens = [1, 2, 3, 4, 5, 6]
      const [refLogprobs] = await reference.logprobs([tokens])
      for (let step = 0; step < 6; step++) {
        await trainer.forwardBackward([text(tokens)], crossEntropy)
        await trainer.optimStep(adam)
      }
      const loss: Loss = { ...ppo, kl: { coefficient: 1, estimator: 'k3' } }
      const kl: number[] = []
      for (let step = 0; step < 20; step++) {
        const [oldLogprobs] = await trainer.sampler().logprobs([tokens])
        const datum: Datum = { ...text(tokens), advantages: tokens.map(() => 0), oldLogprobs, refLogprobs }
        kl.push((await trainer.forwardBackward([datum], loss)).metrics.kl)
        await trainer.optimStep(adam)
      }
      expect(kl[0]).toBeGreaterThan(0)
      expect(kl[19]).toBeLessThan(kl[0] / 2)
    })

    it('refuses a loss that is not finite and stays as it was', async () => {
      const trainer = await start()
      const tokens = [1, 2, 3]
      const before = await trainer.sampler().logprobs([tokens])
      const datum: Datum = { ...text(tokens), advantages: [0, 1, 1], oldLogprobs: [0, Number.NaN, -1] }
      await expect(trainer.forwardBackward([datum], ppo)).rejects.toThrow(/finite/)
      expect(await trainer.sampler().logprobs([tokens])).toEqual(before)
    })

    it('continues after load exactly as without the interruption', async () => {
      const directory = mkdtempSync(join(tmpdir(), 'engine-contract-'))
      try {
        const first = await start()
        const step = async (trainer: Trainer) => {
          const { loss } = await trainer.forwardBackward(texts, crossEntropy)
          return [loss, (await trainer.optimStep(adam)).gradientNorm]
        }
        await step(first)
        await step(first)
        await first.save(join(directory, 'state'))
        const second = await start()
        await second.load(join(directory, 'state'))
        for (let i = 0; i < 3; i++) expect(await step(second)).toEqual(await step(first))
        const sequences = [[1, 2, 3, 4]]
        expect(await second.sampler().logprobs(sequences)).toEqual(await first.sampler().logprobs(sequences))
        expect(await second.sampler().sample(sequences, sampling)).toEqual(
          await first.sampler().sample(sequences, sampling),
        )

        const third = await start()
        await third.loadWeights(join(directory, 'state'))
        const fourth = await start()
        await fourth.load(join(directory, 'state'))
        expect(await third.sampler().logprobs(sequences)).toEqual(await fourth.sampler().logprobs(sequences))
      } finally {
        rmSync(directory, { recursive: true, force: true })
      }
    })
  })
}
