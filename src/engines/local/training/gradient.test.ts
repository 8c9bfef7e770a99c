/** The whole model's gradient: at realistic size and with two threads, because races do not show in small graphs. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Random } from '../../../core/index.ts'
import { refereeAnswer, refereeHas } from '../../../core/testing/python.ts'
import type { Datum, Loss } from '../../engine.ts'
import { type ModelConfig, modelConfigSchema } from '../config.ts'
import type { ParameterSet } from '../parameters.ts'
import { promptsWithAnswers, randomTokens, relativeError } from '../testing/data.ts'
import { referenceLogprobs } from '../testing/reference.ts'
import { families, randomWeights, tinyConfig } from '../testing/weights.ts'
import { TrainerCore } from './trainer-core.ts'

/** 6.8 million parameters. */
const realistic = modelConfigSchema.parse({
  model_type: 'llama',
  vocab_size: 8000,
  hidden_size: 256,
  intermediate_size: 688,
  num_hidden_layers: 6,
  num_attention_heads: 4,
  num_key_value_heads: 4,
  max_position_embeddings: 512,
})

const crossEntropy: Loss = { kind: 'cross_entropy' }

function texts(config: ModelConfig, count: number, length: number, seed: number): Datum[] {
  const random = new Random('texts', seed)
  return Array.from({ length: count }, () => {
    const tokens = randomTokens(random, config.vocab_size, length)
    return { tokens, weights: tokens.map((_, t) => (t === 0 ? 0 : 1 / (count * length))) }
  })
}

const oneByOne = (data: Datum[]): Datum[][] => data.map((datum) => [datum])

/** The gradient of one call, which is then forgotten. */
async function gradientOf(core: TrainerCore, batches: Datum[][], loss: Loss): Promise<Float32Array> {
  for (const data of batches) await core.forwardBackward(data, loss)
  const gradient = core.accumulatedGradient().flat
  const copy = gradient.slice()
  gradient.fill(0)
  return copy
}

describe('gradient of 6.8 million parameters', () => {
  it('is the same bit for bit in 20 runs over 16 × 256 tokens, and the sum over single sequences', async () => {
    const core = TrainerCore.fresh(realistic, 1, { threads: 2, rowBudget: 4096 })
    const data = texts(realistic, 16, 257, 1)
    const first = await gradientOf(core, [data], crossEntropy)
    const digest = (x: Float32Array) => createHash('sha256').update(new Uint8Array(x.buffer)).digest('hex')
    const expected = digest(first)
    for (let run = 1; run < 20; run++) expect(digest(await gradientOf(core, [data], crossEntropy))).toBe(expected)
    const single = await gradientOf(core, oneByOne(data), crossEntropy)
    expect(relativeError(first, single)).toBeLessThan(1e-6)
    await core.close()
  })

  it('agrees with finite differences of an independent forward pass in double precision', async () => {
    const core = TrainerCore.fresh(realistic, 2, { threads: 2 })
    const data = texts(realistic, 2, 48, 2)
    const gradient = await gradientOf(core, [data], crossEntropy)
    // A direction in which every parameter tensor counts alike: along its own gradient, the slope from each being 1.
    const weights = Float64Array.from(core.weights.trained.flat)
    const direction = new Float64Array(weights.length)
    let at = 0
    for (const { shape } of core.weights.trained.specs) {
      const end = at + shape.reduce((a, b) => a * b, 1)
      let square = 0
      for (let i = at; i < end; i++) square += gradient[i] ** 2
      expect(square).toBeGreaterThan(0)
      for (; at < end; at++) direction[at] = gradient[at] / square
    }
    let slope = 0
    for (let i = 0; i < direction.length; i++) slope += direction[i] * gradient[i]
    const lossAt = (distance: number) => {
      const moved = weights.map((weight, i) => weight + distance * direction[i])
      return -data.reduce((total, { tokens, weights: w }) => {
        const logprobs = referenceLogprobs(realistic, moved, tokens)
        return total + logprobs.reduce((sum, logprob, t) => sum + w[t] * logprob, 0)
      }, 0)
    }
    const h = 1e-6
    const difference = (lossAt(h) - lossAt(-h)) / (2 * h)
    expect(Math.abs(slope / difference - 1)).toBeLessThan(1e-5)
    await core.close()
  })
})

/** Two layers of realistic width, 1.8 million parameters, of the families with tensors of their own. */
const wide: [string, ModelConfig][] = (
  [
    ['qwen2', { num_attention_heads: 4 }],
    ['qwen3', { num_attention_heads: 4, head_dim: 96 }],
  ] as const
).map(([model_type, changes]) => [
  model_type,
  modelConfigSchema.parse({
    ...realistic,
    head_dim: 64,
    vocab_size: 1000,
    num_hidden_layers: 2,
    num_key_value_heads: 2,
    model_type,
    ...changes,
  }),
])

describe.each(wide)('gradient of a %s model', (_, config) => {
  const open = () => {
    const core = TrainerCore.fresh(config, 1, { threads: 2, rowBudget: 4096 })
    core.weights.trained.flat.set(randomWeights(config, 1, 0.5))
    return core
  }

  it('is the same bit for bit in 10 runs with and without shared prefixes, and the sum over single sequences', async () => {
    const core = open()
    const data = [...texts(config, 8, 257, 1), ...promptsWithAnswers(config.vocab_size, 8, 8, 1)]
    const first = await gradientOf(core, [data], crossEntropy)
    for (let run = 1; run < 10; run++) {
      const again = await gradientOf(core, [data], crossEntropy)
      expect(Buffer.compare(Buffer.from(again.buffer), Buffer.from(first.buffer))).toBe(0)
    }
    const single = await gradientOf(core, oneByOne(data), crossEntropy)
    expect(relativeError(first, single)).toBeLessThan(1e-6)
    await core.close()
  })

  it('agrees for every tensor with finite differences of an independent forward pass in double precision', async () => {
    const core = open()
    const data = texts(config, 1, 28, 2)
    const gradient = await gradientOf(core, [data], crossEntropy)
    const weights = Float64Array.from(core.weights.trained.flat)
    const loss = () =>
      -data.reduce((total, { tokens, weights: w }) => {
        const logprobs = referenceLogprobs(config, weights, tokens)
        return total + logprobs.reduce((sum, logprob, t) => sum + w[t] * logprob, 0)
      }, 0)
    let at = 0
    for (const { name, shape } of core.weights.trained.specs) {
      const start = at
      at += shape.reduce((a, b) => a * b, 1)
      const part = gradient.subarray(start, at)
      const norm = Math.sqrt(part.reduce((sum, g) => sum + g * g, 0))
      const lossAt = (distance: number) => {
        part.forEach((g, i) => {
          weights[start + i] += (distance * g) / norm
        })
        const moved = loss()
        weights.set(core.weights.trained.flat.subarray(start, at), start)
        return moved
      }
      const h = 1e-4
      const difference = (lossAt(h) - lossAt(-h)) / (2 * h)
      expect(Math.abs(norm / difference - 1), name).toBeLessThan(2e-6)
    }
    await core.close()
  })
})

const policy: Loss = {
  kind: 'ppo',
  clipLow: 0.1,
  clipHigh: 0.2,
  dualClip: 3,
  kl: { coefficient: 0.1, estimator: 'k3' },
  entropy: 0.01,
  temperature: 0.8,
}

describe('shared prefixes', () => {
  const shapes: typeof families = [['llama', {}], ...families]
  it.each(shapes)('change neither gradient nor log-probabilities: %s', async (_, changes) => {
    const config = tinyConfig(changes)
    const core = TrainerCore.fresh(config, 3, { threads: 2 })
    core.weights.trained.flat.set(randomWeights(config, 3, 0.5))
    const data = promptsWithAnswers(config.vocab_size, 6, 5, 1)
    for (const loss of [crossEntropy, policy]) {
      const together = await core.forwardBackward(data, loss)
      const gradient = core.accumulatedGradient().flat.slice()
      core.accumulatedGradient().flat.fill(0)
      const results = []
      for (const datum of data) results.push(await core.forwardBackward([datum], loss))
      expect(relativeError(gradient, core.accumulatedGradient().flat)).toBeLessThan(1e-6)
      core.accumulatedGradient().flat.fill(0)
      const loss1 = results.reduce((sum, result) => sum + result.loss, 0)
      expect(Math.abs(together.loss / loss1 - 1)).toBeLessThan(1e-5)
      for (const [i, result] of results.entries()) {
        for (const [t, logprob] of result.logprobs[0].entries()) {
          expect(together.logprobs[i][t]).toBeCloseTo(logprob, 5)
        }
      }
    }
    await core.close()
  })

  it.each(shapes)('give the log-probabilities of an independent forward pass: %s', async (_, changes) => {
    const config = tinyConfig(changes)
    const core = TrainerCore.fresh(config, 4, { threads: 2 })
    core.weights.trained.flat.set(randomWeights(config, 4, 0.5))
    const data = promptsWithAnswers(config.vocab_size, 4, 3, 2)
    const sequences = data.map((datum) => datum.tokens)
    sequences.push([5], [], [...sequences[0]])
    const [logprobs, scored] = [await core.logprobs(sequences, 0.7), await core.score(sequences, 1)]
    const trained = await core.forwardBackward(data, crossEntropy)
    for (const [i, tokens] of sequences.entries()) {
      const close = (found: number[], expected: number[]) => {
        expect(found).toHaveLength(expected.length)
        for (const [t, logprob] of expected.entries()) expect(found[t]).toBeCloseTo(logprob, 5)
      }
      const expected = referenceLogprobs(config, core.weights.trained.flat, tokens)
      close(logprobs[i], referenceLogprobs(config, core.weights.trained.flat, tokens, 0.7))
      close(scored[i].logprobs, expected)
      if (i < data.length)
        close(
          trained.logprobs[i],
          expected.map((logprob, t) => (data[i].weights[t] ? logprob : 0)),
        )
    }
    await core.close()
  })
})

describe('sequences that attention cuts into blocks', () => {
  it('have the gradient and log-probabilities of an independent forward pass, with shared prefixes and without', async () => {
    const config = { ...tinyConfig({ num_attention_heads: 4, num_key_value_heads: 2 }), max_position_embeddings: 512 }
    const weights = randomWeights(config, 3, 0.5)
    const data = promptsWithAnswers(config.vocab_size, 2, 3, 1, 300)
    const gradients: Float32Array[] = []
    for (const [batches, activationBytes] of [[[data]], [oneByOne(data)], [[data], 1]] as const) {
      const core = TrainerCore.fresh(config, 3, { threads: 2, rowBudget: 4096, activationBytes })
      core.weights.trained.flat.set(weights)
      gradients.push(await gradientOf(core, batches as Datum[][], crossEntropy))
      const found = await core.logprobs(data.map(({ tokens }) => tokens))
      for (const [i, { tokens }] of data.entries()) {
        for (const [t, logprob] of referenceLogprobs(config, weights, tokens).entries()) {
          expect(found[i][t]).toBeCloseTo(logprob, 5)
        }
      }
      await core.close()
    }
    const [together, single, twice] = gradients
    expect(relativeError(together, single)).toBeLessThan(1e-6)
    expect(twice).toEqual(together)
    // Along the gradient itself.
    const norm = Math.sqrt(together.reduce((sum, g) => sum + g * g, 0))
    const lossAt = (distance: number) => {
      const moved = Float64Array.from(weights, (weight, i) => weight + (distance * together[i]) / norm)
      return -data.reduce((total, { tokens, weights: w }) => {
        const logprobs = referenceLogprobs(config, moved, tokens)
        return total + logprobs.reduce((sum, logprob, t) => sum + w[t] * logprob, 0)
      }, 0)
    }
    const h = 1e-5
    expect(Math.abs(norm / ((lossAt(h) - lossAt(-h)) / (2 * h)) - 1)).toBeLessThan(1e-5)
  })
})

describe('layers computed twice', () => {
  it.each(families)('have the same gradient bit for bit: %s', async (_, changes) => {
    const config = tinyConfig(changes)
    const data = promptsWithAnswers(config.vocab_size, 4, 3, 1)
    const gradients: Float32Array[] = []
    for (const activationBytes of [3e9, 1]) {
      const core = TrainerCore.fresh(config, 3, { threads: 2, rowBudget: 4096, activationBytes })
      core.weights.trained.flat.set(randomWeights(config, 3, 0.5))
      await core.forwardBackward(data, policy)
      gradients.push(core.accumulatedGradient().flat)
      await core.close()
    }
    expect(gradients[1]).toEqual(gradients[0])
  })
})

describe.skipIf(!refereeHas('torch', 'transformers'))('transformers as referee', () => {
  it('finds the same loss, and the same gradient of every parameter, of every family', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rwml-'))
    const models: [string, ModelConfig][] = [
      ['llama, wide', { ...realistic, tie_word_embeddings: false }],
      ...wide.map(([name, config]): [string, ModelConfig] => [`${name}, wide`, config]),
      ...families.map(([name, changes]): [string, ModelConfig] => [name, tinyConfig(changes)]),
    ]
    try {
      const ours: { name: string; loss: number; model: string; gradient: ParameterSet }[] = []
      for (const [name, config] of models) {
        const core = TrainerCore.fresh(config, 5, { threads: 2, rowBudget: 4096 })
        core.weights.trained.flat.set(randomWeights(config, 5, 0.5))
        const data = texts(config, 4, Math.min(257, config.max_position_embeddings), 3)
        const { loss } = await core.forwardBackward(data, crossEntropy)
        const model = join(folder, String(ours.length))
        await core.save(model)
        const order = core.weights.trained.specs.map((spec) => spec.name)
        writeFileSync(join(model, 'task.json'), JSON.stringify({ threads: 2, data, order }))
        ours.push({ name, loss, model, gradient: core.accumulatedGradient() })
        await core.close()
      }
      const losses = await refereeAnswer('gradients.py', JSON.stringify({ folders: ours.map(({ model }) => model) }))
      for (const [i, { name, loss, model, gradient }] of ours.entries()) {
        expect(Math.abs(loss / (losses as number[])[i] - 1), name).toBeLessThan(1e-6)
        const bytes = readFileSync(join(model, 'gradients.bin'))
        const expected = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
        let at = 0
        for (const [parameter, own] of gradient.entries()) {
          const error = relativeError(own, expected.subarray(at, at + own.length))
          expect(error, `${name}: ${parameter}`).toBeLessThan(1e-5)
          at += own.length
        }
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
