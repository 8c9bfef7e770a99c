import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { AdamParams, Datum, ForwardBackwardResult, Loss, Trainer } from '../engine.ts'
import { LORA_CHOICES, openLocalEngine } from '../local/index.ts'
import { promptsWithAnswers } from '../local/testing/data.ts'
import { largestDifference } from '../testing/contract-sampling.ts'
import { writeBase } from './testing/base.ts'
import { FakeTinker } from './testing/fake-server.ts'
import { openFake } from './testing/open.ts'

const folder = mkdtempSync(join(tmpdir(), 'tinker-'))
const base = await writeBase(folder)
const fakes = [await FakeTinker.start({ base, reduction: 'sum' }), await FakeTinker.start({ base, reduction: 'mean' })]
const lora = { rank: 16, alpha: 64, targets: LORA_CHOICES['all-linear'] }
const local = (await openLocalEngine(base, { threads: 1, lora })).trainer()
const remote = await Promise.all(fakes.map(async (fake) => (await openFake(fake, base)).trainer()))
afterAll(async () => {
  for (const trainer of [local, ...remote]) await trainer.close()
  for (const fake of fakes) await fake.close()
  rmSync(folder, { recursive: true })
})

const adam: AdamParams = { learningRate: 1e-3, beta1: 0.9, beta2: 0.95, epsilon: 1e-4, weightDecay: 0, clipNorm: 0 }
const ppo: Loss = { kind: 'ppo', clipLow: 0.2, clipHigh: 0.28 }
const losses: Loss[] = [
  { kind: 'cross_entropy' },
  ppo,
  { kind: 'ppo', clipLow: 1, clipHigh: Number.POSITIVE_INFINITY },
  { ...ppo, dualClip: 3 },
  { ...ppo, kl: { coefficient: 0.5, estimator: 'k1' } },
  { ...ppo, kl: { coefficient: 0.5, estimator: 'k2' } },
  { kind: 'cross_entropy', kl: { coefficient: 0.5, estimator: 'k3' } },
]
// Weights that differ, sequences that differ in length.
const data = promptsWithAnswers(61, 2, 2, 5)
const sequences = data.map(({ tokens }) => tokens)

/** Two steps of one call, or of two unequal ones. */
async function steps(trainer: Trainer, loss: Loss, parts: Datum[][]) {
  await trainer.loadWeights(base)
  const results: ForwardBackwardResult[] = []
  const norms: number[] = []
  for (let step = 0; step < 2; step++) {
    for (const part of parts) results.push(await trainer.forwardBackward(part, loss))
    norms.push((await trainer.optimStep(adam)).gradientNorm)
  }
  return { results, norms, after: await trainer.sampler().logprobs(sequences) }
}

/** Relative to the larger, where that is above 1. */
function apart(a: number, b: number): number {
  return Math.abs(a - b) / Math.max(1, Math.abs(a), Math.abs(b))
}

describe('one config', () => {
  it.each(losses.map((loss) => [JSON.stringify(loss), loss] as const))(
    'means one gradient everywhere: %s',
    async (_, loss) => {
      for (const parts of [[data], [data.slice(0, 1), data.slice(1)]]) {
        const expected = await steps(local, loss, parts)
        for (const trainer of remote) {
          const found = await steps(trainer, loss, parts)
          found.results.forEach(({ loss: value, logprobs, metrics }, i) => {
            const other = expected.results[i]
            expect(apart(value, other.loss)).toBeLessThan(1e-3)
            expect(largestDifference(logprobs, other.logprobs)).toBeLessThan(1e-3)
            for (const [name, mean] of Object.entries(metrics))
              expect(apart(mean, other.metrics[name])).toBeLessThan(1e-3)
          })
          found.norms.forEach((norm, i) => {
            expect(Math.abs(norm / expected.norms[i] - 1)).toBeLessThan(1e-3)
          })
          expect(largestDifference(found.after, expected.after)).toBeLessThan(2e-3)
        }
      }
    },
  )

  it('refuses steps that an averaging server would weigh unlike', async () => {
    const [, averaging] = remote
    const loss: Loss = { kind: 'cross_entropy' }
    await steps(averaging, loss, [data])
    await averaging.forwardBackward(data.slice(0, 1), loss)
    await averaging.forwardBackward(data.slice(1), loss)
    await expect(averaging.optimStep(adam)).rejects.toThrow(/all of a step's data in one call/)
  })
})
