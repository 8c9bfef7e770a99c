import { describe, expect, it, vi } from 'vitest'
import { loadRuntime, Random } from '../../../core/index.ts'
import type { SamplingParams } from '../../engine.ts'
import type { ModelConfig } from '../config.ts'
import { logSoftmax, referenceLogits, referenceLogprobs } from '../testing/reference.ts'
import { families, randomWeights, tinyConfig } from '../testing/weights.ts'
import { TrainerCore } from '../training/trainer-core.ts'
import { SamplerCore, type SamplerOptions } from './core.ts'
import { DecoderRunner } from './runner.ts'

const ort = await loadRuntime()
const params: SamplingParams = { n: 1, maxTokens: 20, temperature: 1, stop: [], seed: 7 }

function open(config: ModelConfig, options: Partial<SamplerOptions> = {}) {
  const weights = randomWeights(config, 1)
  return { weights, sampler: new SamplerCore(ort, config, () => weights, { threads: 2, ...options }) }
}

function randomPrompts(config: ModelConfig, count: number, longest: number, seed = 1): number[][] {
  const random = new Random('prompts', seed)
  return Array.from({ length: count }, () =>
    Array.from({ length: random.integer(1, longest) }, () => random.integer(0, config.vocab_size - 1)),
  )
}

/** Largest difference between the sampler's log-probabilities and the reference's. */
function worstDifference(
  config: ModelConfig,
  weights: Float32Array,
  prompts: number[][],
  samples: { tokens: number[]; logprobs: number[] }[][],
  temperature = 1,
): number {
  let worst = 0
  prompts.forEach((prompt, i) => {
    for (const { tokens, logprobs } of samples[i]) {
      const expected = referenceLogprobs(config, weights, [...prompt, ...tokens], temperature).slice(prompt.length)
      logprobs.forEach((value, t) => {
        worst = Math.max(worst, Math.abs(value - expected[t]))
      })
    }
  })
  return worst
}

describe('SamplerCore', () => {
  const variants: [string, Partial<ModelConfig>][] = [
    ['multi-head, tied', {}],
    ['one key/value head, one layer', { num_key_value_heads: 1, num_hidden_layers: 1 }],
    ...families,
  ]
  for (const [name, changes] of variants) {
    it(`agrees with the reference on ragged batches: ${name}`, async () => {
      const config = tinyConfig(changes)
      const { weights, sampler } = open(config)
      const prompts = randomPrompts(config, 9, 70)
      for (const maxTokens of [4, 24]) {
        const samples = await sampler.sample(prompts, { ...params, n: 2, maxTokens, temperature: 0.7 })
        expect(samples.flat().every((sample) => sample.tokens.length === maxTokens)).toBe(true)
        expect(worstDifference(config, weights, prompts, samples, 0.7)).toBeLessThan(1e-4)
      }
      await sampler.close()
    })
  }

  it('agrees with the reference when prompts extend earlier samples', async () => {
    const config = tinyConfig()
    const { weights, sampler } = open(config)
    const random = new Random('turns')
    let prompts = randomPrompts(config, 11, 12)
    for (let turn = 0; turn < 4; turn++) {
      const samples = await sampler.sample(prompts, { ...params, maxTokens: 13, stop: [[3], [5]], seed: turn })
      expect(worstDifference(config, weights, prompts, samples)).toBeLessThan(1e-4)
      prompts = prompts.map((prompt, i) => [
        ...prompt,
        ...samples[i][0].tokens,
        ...Array.from({ length: random.integer(1, 9) }, () => random.integer(0, 60)),
      ])
    }
    await sampler.close()
  })

  it('goes on where the rotary tables grow', async () => {
    const config = tinyConfig({ max_position_embeddings: 131072 })
    const { weights, sampler } = open(config)
    const prompts = [Array.from({ length: 250 }, (_, i) => (7 * i) % 61), [1, 2, 3]]
    const samples = await sampler.sample(prompts, { ...params, n: 2, maxTokens: 280 })
    expect(worstDifference(config, weights, prompts, samples)).toBeLessThan(1e-4)
    await sampler.close()
  })

  it('agrees with the reference, and with what training computes, thousands of tokens on', async () => {
    const config = tinyConfig({
      num_hidden_layers: 1,
      num_attention_heads: 2,
      num_key_value_heads: 1,
      max_position_embeddings: 4096,
    })
    const { weights, sampler } = open(config)
    const random = new Random('long')
    const prompts = [2100, 2090].map((length) => Array.from({ length }, () => random.integer(0, 60)))
    const samples = await sampler.sample(prompts, { ...params, maxTokens: 24 })
    expect(worstDifference(config, weights, prompts.slice(0, 1), samples)).toBeLessThan(1e-4)
    await sampler.close()
    const core = TrainerCore.fresh(config, 1, { threads: 2 })
    core.weights.base.flat.set(weights)
    const data = samples.flat().map((sample, i) => ({
      tokens: [...prompts[i], ...sample.tokens],
      weights: [...prompts[i].map(() => 0), ...sample.tokens.map(() => 1)],
    }))
    const { logprobs } = await core.forwardBackward(data, { kind: 'cross_entropy' })
    const sampled = samples.flat().flatMap((sample) => sample.logprobs)
    const trained = logprobs.flatMap((row) => row.slice(-24))
    expect(Math.max(...trained.map((value, i) => Math.abs(value - sampled[i])))).toBeLessThan(1e-4)
    await core.close()
  })

  it('computes on beside a sequence that has ended with its slot full', async () => {
    const config = tinyConfig({ max_position_embeddings: 1024 })
    const { weights, sampler } = open(config)
    const full = Array.from({ length: 255 }, (_, i) => (7 * i) % 61)
    const greedy = { ...params, temperature: 0 }
    const [[{ tokens: stop }]] = await sampler.sample([full], { ...greedy, maxTokens: 2 })
    // So many others that it is not moved out of the batch at once.
    const prompts = [full, ...randomPrompts(config, 20, 30)]
    const samples = await sampler.sample(prompts, { ...greedy, maxTokens: 6, stop: [stop] })
    expect(samples[0][0].tokens).toHaveLength(2)
    expect(samples.filter(([{ stopReason }]) => stopReason === 'length').length).toBeGreaterThan(16)
    expect(worstDifference(config, weights, prompts, samples)).toBeLessThan(1e-4)
    await sampler.close()
  })

  it('keeps to a small cache and batch: eviction, refilling, growth', async () => {
    const config = tinyConfig()
    // Room for about five sequences of 96 tokens.
    const { weights, sampler } = open(config, { batch: 6, cacheBytes: 5 * 96 * 2 * 3 * 32 * 4 })
    const prompts = randomPrompts(config, 40, 60)
    for (let call = 0; call < 2; call++) {
      const samples = await sampler.sample(prompts, { ...params, n: 2, maxTokens: 30, stop: [[1], [2], [9, 9]] })
      expect(worstDifference(config, weights, prompts, samples)).toBeLessThan(1e-4)
    }
    await sampler.close()
  })

  it('keeps to a cache that has grown for longer sequences than the present ones', async () => {
    const config = tinyConfig({ max_position_embeddings: 1024 })
    const cacheBytes = 6 * 300 * 2 * 3 * 32 * 4
    for (const longer of [280, 600]) {
      const { weights, sampler } = open(config, { batch: 16, cacheBytes })
      for (const length of [longer, 160]) {
        const prompts = randomPrompts(config, 20, length)
        const samples = await sampler.sample(prompts, { ...params, maxTokens: 8, stop: [] })
        expect(worstDifference(config, weights, prompts.slice(0, 4), samples.slice(0, 4))).toBeLessThan(1e-4)
      }
      await sampler.close()
    }
  })

  it('gives the same bits for the same call after a reset, and stops where asked', async () => {
    const config = tinyConfig()
    const { sampler } = open(config)
    const prompts = randomPrompts(config, 7, 40)
    const first = await sampler.sample(prompts, { ...params, n: 3, stop: [[4]] })
    sampler.reset()
    const second = await sampler.sample(prompts, { ...params, n: 3, stop: [[4]] })
    expect(second).toEqual(first)
    for (const { tokens, stopReason } of first.flat()) {
      expect(tokens.indexOf(4)).toBe(stopReason === 'stop' ? tokens.length - 1 : -1)
    }
    expect(first.flat().some((sample) => sample.stopReason === 'stop')).toBe(true)
  })

  it('is the same to the bit at sizes where threads share the work', async () => {
    const config = tinyConfig({ hidden_size: 128, intermediate_size: 344, vocab_size: 500, num_hidden_layers: 2 })
    const { sampler } = open(config)
    const prompts = randomPrompts(config, 60, 80)
    const first = await sampler.sample(prompts, { ...params, n: 2, stop: [[4]] })
    for (let i = 0; i < 3; i++) {
      sampler.reset()
      expect(await sampler.sample(prompts, { ...params, n: 2, stop: [[4]] })).toEqual(first)
    }
  })

  it('draws the same tokens alone as in company', async () => {
    const config = tinyConfig()
    const { sampler } = open(config)
    const prompts = randomPrompts(config, 8, 40)
    const seeds = prompts.map((_, i) => 100 + i)
    const together = await sampler.sample(prompts, { ...params, seed: seeds })
    sampler.reset()
    for (let i = 0; i < prompts.length; i++) {
      const alone = await sampler.sample([prompts[i]], { ...params, seed: [seeds[i]] })
      expect(alone[0][0].tokens).toEqual(together[i][0].tokens)
    }
  })

  it('ends at the context length and refuses what cannot be sampled', async () => {
    const config = tinyConfig()
    const { sampler } = open(config)
    const long = Array.from({ length: 120 }, (_, i) => i % 61)
    const [[sample]] = await sampler.sample([long], { ...params, maxTokens: 50 })
    expect(sample.tokens.length).toBe(8)
    expect(sample.stopReason).toBe('length')
    await expect(sampler.sample([[]], params)).rejects.toThrow('prompt 0 is empty')
    await expect(sampler.sample([[61]], params)).rejects.toThrow('holds token 61')
    await expect(sampler.sample([[1]], { ...params, seed: [] })).rejects.toThrow('0 seeds for 1 prompts')
    await expect(sampler.sample([Array(128).fill(1)], params)).rejects.toThrow('leaves no room')
  })

  it('computes shared beginnings once, and of an extended sequence only the new tokens', async () => {
    const extend = vi.spyOn(DecoderRunner.prototype, 'extend')
    const computed = () => {
      const tokens = extend.mock.calls.flatMap(([, , chunks]) => chunks.map((chunk) => chunk.length))
      extend.mockClear()
      return tokens.reduce((a, b) => a + b, 0)
    }
    const { sampler } = open(tinyConfig())
    const shared = Array.from({ length: 30 }, (_, i) => i)
    const prompts = [
      [...shared, 40, 41, 42],
      [...shared, 50, 51],
      [...shared, 40, 41, 42],
      [7, 8, 9],
    ]
    const samples = await sampler.sample(prompts, { ...params, n: 4, maxTokens: 5 })
    // The last token of a prompt is computed by the step that draws: 29 + 3, 2 more, none, 2.
    expect(computed()).toBe(32 + 1 + 2)
    const longer = prompts.map((prompt, i) => [...prompt, ...samples[i][2].tokens, 3, 3, 3])
    await sampler.sample(longer, { ...params, maxTokens: 5 })
    // The last sampled token and three observed ones, less the last.
    expect(computed()).toBe(4 * 3)
    sampler.reset()
    await sampler.sample([longer[0]], { ...params, maxTokens: 5 })
    expect(computed()).toBe(longer[0].length - 1)
    extend.mockRestore()
  })

  it('draws from the softmax of the logits (chi-square)', async () => {
    const config = tinyConfig()
    const { weights, sampler } = open(config)
    const prompt = [3, 1, 4, 1, 5]
    const draws = 20_000
    const [samples] = await sampler.sample([prompt], { ...params, n: draws, maxTokens: 1, temperature: 0.8 })
    const probabilities = logSoftmax(referenceLogits(config, weights, prompt)[prompt.length - 1], 0.8).map(Math.exp)
    const counts = new Array<number>(config.vocab_size).fill(0)
    for (const sample of samples) counts[sample.tokens[0]]++
    const classes = Array.from(probabilities, (p, token) => ({ expected: p * draws, count: counts[token] }))
    const frequent = classes.filter(({ expected }) => expected >= 5)
    expect(frequent.length).toBeGreaterThan(20)
    const statistic = frequent.reduce((sum, { expected, count }) => sum + (count - expected) ** 2 / expected, 0)
    expect(statistic).toBeLessThan(frequent.length + 4.5 * Math.sqrt(2 * frequent.length))
    // Far from uniform, or it would show little.
    expect(Math.max(...probabilities)).toBeGreaterThan(5 / config.vocab_size)
  })

  it('recovers from weights that have diverged', async () => {
    const config = tinyConfig()
    const { weights, sampler } = open(config)
    const good = weights.slice()
    weights.fill(Number.NaN)
    await expect(sampler.sample([[1, 2, 3]], params)).rejects.toThrow('not finite')
    weights.set(good)
    await sampler.weightsChanged()
    const samples = await sampler.sample([[1, 2, 3]], params)
    expect(worstDifference(config, weights, [[1, 2, 3]], samples)).toBeLessThan(1e-4)
  })
})
