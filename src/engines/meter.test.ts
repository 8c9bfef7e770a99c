import { expect, it } from 'vitest'
import type { Datum, ForwardBackwardResult, SamplingParams, Trainer } from './engine.ts'
import { modelFlops } from './flops.ts'
import { modelConfigSchema, parameterCount } from './local/index.ts'
import { MeteredTrainer } from './meter.ts'
import { ScriptedSampler } from './testing/scripted-sampler.ts'

const shape = {
  model_type: 'llama',
  vocab_size: 100,
  hidden_size: 8,
  intermediate_size: 16,
  num_hidden_layers: 3,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  head_dim: 6,
  max_position_embeddings: 64,
} as const
const config = modelConfigSchema.parse(shape)
const N = parameterCount(config)
/** Scores and their weighted sum, in three layers of two heads of six. */
const attention = 4 * 3 * 12

function metered(recomputed = 0): MeteredTrainer {
  const inner: Partial<Trainer> = {
    sampler: () => new ScriptedSampler(() => [7, 8]),
    forwardBackward: async (data): Promise<ForwardBackwardResult> => {
      const total = data.reduce((sum, { tokens }) => sum + tokens.length, 0)
      return { loss: 0, metrics: {}, tokens: { trained: 1, total, recomputed }, logprobs: [] }
    },
  }
  return new MeteredTrainer(inner as Trainer, modelFlops(config))
}
const params: SamplingParams = { n: 2, maxTokens: 2, temperature: 1, stop: [], seed: 0 }

it('reads a prompt once for all its samples, and goes on from what it holds', async () => {
  const trainer = metered()
  const sampler = trainer.sampler()
  await sampler.sample([[1, 2, 3]], params)
  expect(trainer.counts).toMatchObject({ sampled: 4, read: 3, trained: 0 })
  // The first three attend to 1 + 2 + 3 positions, the two of each sample to 4 + 5.
  expect(trainer.counts.flops).toBe(2 * N * 7 + attention * (6 + 2 * 9))
  await sampler.sample([[1, 2, 3, 7, 8, 4]], params)
  expect(trainer.counts).toMatchObject({ sampled: 8, read: 4 })
  await sampler.sample([[5, 6], [5, 6]], params) // biome-ignore format: short
  expect(trainer.counts).toMatchObject({ sampled: 16, read: 6 })
  await sampler.reset()
  await sampler.sample([[1, 2, 3]], params)
  expect(trainer.counts.read).toBe(9)
})

it('counts log-probabilities and training without what neighbours share', async () => {
  const trainer = metered(5)
  await trainer.sampler().logprobs([[1, 2, 3], [1, 2, 4, 5]]) // biome-ignore format: short
  expect(trainer.counts).toMatchObject({ read: 5, flops: 2 * N * 5 + attention * (6 + 3 + 4) })
  const before = trainer.counts.flops
  const data = [{ tokens: [1, 2, 3], weights: [0, 0, 1] }, { tokens: [1, 2, 4, 5], weights: [0, 0, 1, 1] }] // biome-ignore format: short
  await trainer.forwardBackward(data as Datum[], { kind: 'cross_entropy' })
  expect(trainer.counts.trained).toBe(7)
  // Six a weight, and two more because everything went forward twice.
  expect(trainer.counts.flops - before).toBeCloseTo(8 * N * 5 + 4 * attention * 13, 6)
})

it('knows heads of their own, and that frozen weights have no gradient', () => {
  const untied = modelConfigSchema.parse({ ...shape, tie_word_embeddings: false })
  expect(parameterCount(untied)).toBe(N + 800)
  expect(modelFlops(untied).forward(1, 0)).toBe(2 * N)
  const lora = { rank: 2, alpha: 4, targets: ['q_proj' as const] }
  const adapter = 3 * 2 * (8 + 12)
  expect(modelFlops(config, lora).training(1, 1)).toBe(4 * N + 6 * adapter + 3 * attention)
})
