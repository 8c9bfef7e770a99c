import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readSafetensors, writeSafetensors } from '../../store/index.ts'
import type { AdamParams, Loss } from '../engine.ts'
import { engineContract } from '../testing/contract.ts'
import { type ModelConfig, parameterSpecs } from './config.ts'
import { openLocalEngine } from './engine.ts'
import { LORA_TARGETS, type Lora } from './lora.ts'
import { openModelWeights } from './model-folder.ts'
import { promptsWithAnswers, relativeError } from './testing/data.ts'
import { referenceLogprobs } from './testing/reference.ts'
import { families, randomWeights, tinyConfig } from './testing/weights.ts'
import { TrainerCore } from './training/trainer-core.ts'

const folder = mkdtempSync(join(tmpdir(), 'lora-'))
afterAll(() => rmSync(folder, { recursive: true }))

const lora: Lora = { rank: 4, alpha: 8, targets: [...LORA_TARGETS] }
const adam: AdamParams = { learningRate: 1e-2, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, clipNorm: 1 }
const loss: Loss = { kind: 'ppo', clipLow: 0.2, clipHigh: 0.28, kl: { coefficient: 0.1, estimator: 'k3' } }

let models = 0
/** A model folder with random weights. */
async function base(changes: Partial<ModelConfig> = { num_key_value_heads: 2 }, scale = 0.5): Promise<string> {
  const config = tinyConfig(changes)
  const core = TrainerCore.fresh(config, 1, { threads: 2 })
  core.weights.base.flat.set(randomWeights(config, 3, scale))
  const path = join(folder, `base-${models++}`)
  await core.save(path)
  await core.close()
  return path
}

/** An engine that trains an adapter of a model, a few steps on. */
async function trained(path: string, settings = lora, steps = 3): Promise<TrainerCore> {
  const core = TrainerCore.open(path, { threads: 2, lora: settings })
  for (let step = 0; step < steps; step++) {
    await core.forwardBackward(promptsWithAnswers(core.config.vocab_size, 2, 3, step), loss)
    core.optimStep(adam)
  }
  return core
}

// Embeddings stand still: they must be large enough for a distribution that is far from uniform.
engineContract('local engine, adapter', async () =>
  (await openLocalEngine(await base(undefined, 2), { threads: 2, lora: { ...lora, rank: 16, alpha: 64 } })).trainer(),
)

describe('an adapter', () => {
  it('changes nothing before it is trained, and leaves the base alone when it is', async () => {
    const path = await base()
    const [whole, core] = [TrainerCore.open(path, { threads: 2 }), TrainerCore.open(path, { threads: 2, lora })]
    const tokens = [3, 1, 4, 1, 5, 9, 2, 6]
    expect(await core.logprobs([tokens])).toEqual(await whole.logprobs([tokens]))
    expect(core.weights.flat()).toEqual(whole.weights.flat())
    await core.forwardBackward(promptsWithAnswers(61, 2, 3, 1), loss)
    core.optimStep(adam)
    expect(core.weights.base.flat).toEqual(whole.weights.base.flat)
    expect(core.weights.flat()).not.toEqual(whole.weights.flat())
    await whole.close()
    await core.close()
  })

  it.each(families)(
    'has the gradient of finite differences, and the merged weights its log-probabilities: %s',
    async (_, changes) => {
      const core = await trained(await base(changes))
      const { config, weights } = core
      const data = promptsWithAnswers(config.vocab_size, 2, 3, 9)
      const scored = await core.logprobs(data.map(({ tokens }) => tokens))
      data.forEach(({ tokens }, i) => {
        const expected = referenceLogprobs(config, weights.flat(), tokens)
        for (const [t, value] of scored[i].entries()) expect(Math.abs(value - expected[t])).toBeLessThan(1e-4)
      })
      await core.forwardBackward(data, { kind: 'cross_entropy' })
      const gradient = core.accumulatedGradient().flat.slice()
      const value = () =>
        data.reduce((sum, { tokens, weights: shares }) => {
          const logprobs = referenceLogprobs(config, Float64Array.from(weights.flat()), tokens)
          return sum - logprobs.reduce((total, one, t) => total + shares[t] * one, 0)
        }, 0)
      // Along the gradient's own direction: the slope is its length.
      const length = Math.hypot(...gradient)
      const step = 2e-3
      const start = weights.trained.flat.slice()
      const [above, below] = [1, -1].map((sign) => {
        for (let i = 0; i < start.length; i++) weights.trained.flat[i] = start[i] + (sign * step * gradient[i]) / length
        return value()
      })
      expect(Math.abs((above - below) / (2 * step) / length - 1)).toBeLessThan(2e-3)
      await core.close()
    },
  )

  it('has the same gradient where layers are computed twice', async () => {
    const path = await base()
    const gradients: Float32Array[] = []
    for (const activationBytes of [3e9, 1]) {
      const core = TrainerCore.open(path, { threads: 2, lora, rowBudget: 4096, activationBytes })
      for (const seed of [1, 2]) {
        await core.forwardBackward(promptsWithAnswers(61, 2, 3, seed), loss)
        if (seed === 1) core.optimStep(adam)
      }
      gradients.push(core.accumulatedGradient().flat)
      await core.close()
    }
    expect(gradients[1]).toEqual(gradients[0])
  })

  it('is saved as PEFT keeps it, opens as a model with it merged in, and goes on to the same bits', async () => {
    const path = await base()
    const core = await trained(path)
    const saved = join(folder, 'saved')
    await core.save(saved)
    const settings = JSON.parse(readFileSync(join(saved, 'adapter_config.json'), 'utf8'))
    expect(settings).toMatchObject({ peft_type: 'LORA', r: 4, lora_alpha: 8, base_model_name_or_path: path })
    const merged = openModelWeights(saved)
    const flat = parameterSpecs(core.config).flatMap(({ name }) => [...merged.read(name)])
    merged.close()
    expect(Float32Array.from(flat)).toEqual(core.weights.flat())
    const whole = TrainerCore.open(saved, { threads: 2 })
    const sequences = promptsWithAnswers(61, 2, 3, 5).map(({ tokens }) => tokens)
    const [ours, theirs] = [await core.logprobs(sequences), await whole.logprobs(sequences)]
    expect(relativeError(ours.flat(), theirs.flat())).toBeLessThan(1e-6)

    const resumed = TrainerCore.open(path, { threads: 2, lora })
    resumed.load(saved)
    for (const one of [core, resumed]) {
      await one.forwardBackward(promptsWithAnswers(61, 2, 3, 7), loss)
      one.optimStep(adam)
    }
    expect(resumed.weights.trained.flat).toEqual(core.weights.trained.flat)
    // Back to where it began.
    resumed.loadWeights(path)
    expect(resumed.weights.flat()).toEqual(resumed.weights.base.flat)
    for (const one of [core, whole, resumed]) await one.close()
  })

  it('shares the base with its frozen copies, which stay as they were', async () => {
    const core = await trained(await base())
    const copy = core.copy()
    expect(copy.weights.base).toBe(core.weights.base)
    const tokens = [[3, 1, 4, 1, 5, 9, 2, 6]]
    const before = await core.logprobs(tokens)
    await core.forwardBackward(promptsWithAnswers(61, 2, 3, 8), loss)
    core.optimStep(adam)
    expect(await copy.logprobs(tokens)).toEqual(before)
    expect(await core.logprobs(tokens)).not.toEqual(before)
    await core.close()
    await copy.close()
  })

  it('trains the layers it is asked for, and no others', async () => {
    const core = await trained(await base(), { ...lora, targets: ['q_proj', 'v_proj'] })
    const { specs } = core.weights.trained
    expect(specs).toHaveLength(2 * 2 * core.config.num_hidden_layers)
    expect(specs.every(({ name }) => /\.(q|v)_proj\.lora_[AB]\.weight$/.test(name))).toBe(true)
    await core.close()
  })

  it('goes on from one that names its base and no hash of it, as PEFT and servers write them', async () => {
    const [path, other] = [await base(), await base({ num_key_value_heads: 4 })]
    const core = await trained(path)
    const saved = join(folder, 'unhashed')
    await core.save(saved)
    const weights = join(saved, 'adapter_model.safetensors')
    writeSafetensors(weights, readSafetensors(weights).tensors)
    rmSync(join(saved, 'checksums.json'))
    const again = TrainerCore.open(path, { threads: 2, lora })
    again.loadWeights(saved)
    expect(again.weights.trained.flat).toEqual(core.weights.trained.flat)
    const elsewhere = TrainerCore.open(other, { threads: 1, lora })
    expect(() => elsewhere.loadWeights(saved)).toThrow(`is an adapter of ${path}, this one is trained beside ${other}`)
    await core.close()
  })
})

describe('refused in one line', () => {
  it('are models and adapters that do not belong together', async () => {
    const [path, other] = [await base(), await base({ num_key_value_heads: 4 })]
    const core = await trained(path)
    const saved = join(folder, 'one')
    await core.save(saved)
    expect(() => core.loadWeights(other)).toThrow('is a whole model, and this is the training of an adapter beside')
    const wide = TrainerCore.open(path, { threads: 1, lora: { ...lora, rank: 2 } })
    expect(() => wide.loadWeights(saved)).toThrow('is of another kind (rank, alpha, targets): 4, 8, ')
    const elsewhere = TrainerCore.open(other, { threads: 1, lora })
    expect(() => elsewhere.loadWeights(saved)).toThrow(`is an adapter of ${path}, this one is trained beside ${other}`)
    await core.close()
  })

  it.each<[string, object, string]>([
    ['a base that is not here', { base_model_name_or_path: 'owner/name' }, 'its base model owner/name is not here'],
    ['its own folder as base', { base_model_name_or_path: '.' }, 'names its own folder as its base model'],
    ['another method', { peft_type: 'IA3' }, 'only LoRA adapters are read'],
    ['DoRA', { use_dora: true }, 'DoRA adapters are not read'],
    ['ranks by layer', { rank_pattern: { q_proj: 2 } }, 'ranks by layer are not read'],
    ['another rank', { r: 2 }, 'are [4,32] and [32,4], not [2,32] and [32,2]'],
  ])('are adapters with %s', async (_, changes, message) => {
    const core = await trained(await base(), lora, 0)
    const saved = mkdtempSync(join(folder, 'bad-'))
    rmSync(saved, { recursive: true })
    await core.save(saved)
    const path = join(saved, 'adapter_config.json')
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...changes }))
    expect(() => openModelWeights(saved)).toThrow(message)
    await core.close()
  })
})
