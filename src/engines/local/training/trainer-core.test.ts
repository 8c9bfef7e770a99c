import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UserError } from '../../../core/index.ts'
import { type FloatTensor, readSafetensors, writeSafetensors } from '../../../store/index.ts'
import type { AdamParams, Loss } from '../../engine.ts'
import { promptsWithAnswers } from '../testing/data.ts'
import { families, randomWeights, tinyConfig } from '../testing/weights.ts'
import { TrainerCore } from './trainer-core.ts'

const adam: AdamParams = { learningRate: 1e-2, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.1, clipNorm: 1 }
const loss: Loss = { kind: 'cross_entropy' }
const config = tinyConfig()
const options = { threads: 1 }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rwml-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function train(core: TrainerCore, from: number, to: number): Promise<void> {
  for (let step = from; step < to; step++) {
    await core.forwardBackward(promptsWithAnswers(config.vocab_size, 2, 2, step), loss)
    core.optimStep(adam)
  }
}

describe('TrainerCore', () => {
  it('continues from a saved folder as if it had not stopped, bit for bit', async () => {
    const whole = TrainerCore.fresh(config, 1, options)
    await train(whole, 0, 3)
    await whole.save(join(folder, 'state'))
    await train(whole, 3, 6)
    const resumed = TrainerCore.fresh(config, 2, options)
    resumed.load(join(folder, 'state'))
    await train(resumed, 3, 6)
    expect(resumed.weights.trained.flat).toEqual(whole.weights.trained.flat)
  })

  it.each(families)('trains every tensor, saves and loads them to the same bits: %s', async (_, changes) => {
    const place = join(folder, 'a')
    const whole = TrainerCore.fresh(tinyConfig(changes), 1, options)
    whole.weights.trained.flat.set(randomWeights(whole.config, 1))
    const before = new Map([...whole.weights.trained.entries()].map(([name, view]) => [name, view.slice()]))
    await train(whole, 0, 2)
    for (const [name, view] of whole.weights.trained.entries()) {
      expect(view.filter((weight, i) => weight !== before.get(name)?.[i]).length, name).toBe(view.length)
    }
    await whole.save(place)
    const resumed = TrainerCore.open(place, options)
    expect(resumed.config).toEqual(whole.config)
    expect(resumed.weights.trained.flat).toEqual(whole.weights.trained.flat)
    resumed.load(place)
    const sequences = promptsWithAnswers(config.vocab_size, 2, 2, 9).map(({ tokens }) => tokens)
    expect(await resumed.logprobs(sequences)).toEqual(await whole.logprobs(sequences))
    await train(whole, 2, 4)
    await train(resumed, 2, 4)
    expect(resumed.weights.trained.flat).toEqual(whole.weights.trained.flat)
  })

  it('opens what it saved as a model folder, with the tokenizer files it came with', async () => {
    const core = TrainerCore.fresh(config, 1, options)
    await core.save(join(folder, 'a'))
    writeFileSync(join(folder, 'a', 'tokenizer.json'), '{"kept": true}')
    const opened = TrainerCore.open(join(folder, 'a'), options)
    expect(opened.config).toEqual(core.config)
    await train(opened, 0, 1)
    await opened.save(join(folder, 'b'))
    expect(readFileSync(join(folder, 'b', 'tokenizer.json'), 'utf8')).toBe('{"kept": true}')
    const again = TrainerCore.open(join(folder, 'b'), options)
    expect(again.weights.trained.flat).toEqual(opened.weights.trained.flat)
    again.loadWeights(join(folder, 'a'))
    expect(again.weights.trained.flat).toEqual(core.weights.trained.flat)
  })

  it('saves over the folder it was opened from', async () => {
    const core = TrainerCore.fresh(config, 1, options)
    await core.save(join(folder, 'a'))
    writeFileSync(join(folder, 'a', 'chat_template.jinja'), 'hello')
    const opened = TrainerCore.open(join(folder, 'a'), options)
    await opened.save(join(folder, 'a'))
    expect(readFileSync(join(folder, 'a', 'chat_template.jinja'), 'utf8')).toBe('hello')
  })

  it('says what is wrong with a folder', async () => {
    expect(() => TrainerCore.open(folder, options)).toThrow('config.json is missing')
    for (const [change, message] of [
      [{ rope_scaling: { factor: 8 } }, 'rotary embeddings of type unknown'],
      [{ model_type: 'gpt2' }, 'architecture gpt2'],
      [{ num_attention_heads: 3 }, 'num_key_value_heads'],
    ] as const) {
      writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, ...change }))
      expect(() => TrainerCore.open(folder, options)).toThrow(message)
    }
    const core = TrainerCore.fresh(config, 1, options)
    await core.save(join(folder, 'a'))
    const other = TrainerCore.fresh(tinyConfig({ hidden_size: 16 }), 1, options)
    expect(() => other.load(join(folder, 'a'))).toThrow('not the optimiser state of this model')
    expect(() => other.loadWeights(join(folder, 'a'))).toThrow('has shape [61,32]')
    const before = other.weights.trained.flat.slice()
    expect(other.weights.trained.flat).toEqual(before)
  })

  it('tells damage by checksums, and everything stays as it was', async () => {
    const core = TrainerCore.fresh(config, 1, options)
    const place = join(folder, 'a')
    const other = TrainerCore.fresh(config, 2, options)
    const before = other.weights.trained.flat.slice()
    for (const name of ['model.safetensors', 'optimizer.safetensors', 'config.json']) {
      await core.save(place)
      const bytes = readFileSync(join(place, name))
      bytes[bytes.length - 1] ^= 1
      writeFileSync(join(place, name), bytes)
      const damaged = new RegExp(`a is damaged: ${name} is not what was saved; take another checkpoint`)
      expect(() => other.load(place)).toThrow(damaged)
      expect(() => other.loadWeights(place)).toThrow(damaged)
      rmSync(join(place, name))
      expect(() => other.load(place)).toThrow(`${name} is missing`)
    }
    expect(other.weights.trained.flat).toEqual(before)
    await core.save(place)
    other.load(place)
    expect(other.weights.trained.flat).toEqual(core.weights.trained.flat)
  })

  it('names the tensor of a model folder from elsewhere that is missing, of another shape or not finite', async () => {
    const core = TrainerCore.fresh(config, 1, options)
    await core.save(folder)
    rmSync(join(folder, 'checksums.json'))
    const path = join(folder, 'model.safetensors')
    const name = 'model.layers.1.mlp.up_proj.weight'
    const write = (change: (tensors: Map<string, FloatTensor>) => void) => {
      const { tensors } = readSafetensors(path)
      change(tensors)
      writeSafetensors(path, tensors)
    }
    const view = core.weights.trained.view(name)
    for (const [change, message] of [
      [(all) => void all.get(name)?.data.set([Number.NaN], 5), `${name} holds NaN (entry 5)`],
      [(all) => void all.get(name)?.data.set([Number.NEGATIVE_INFINITY], 5), `${name} holds -Infinity (entry 5)`],
      [(all) => all.set(name, { shape: [view.length], data: view }), `${name} has shape [${view.length}]`],
      [(all) => all.delete(name), `has no tensor ${name}`],
    ] as [(tensors: Map<string, FloatTensor>) => void, string][]) {
      write(change)
      expect(() => TrainerCore.open(folder, options)).toThrow(UserError)
      expect(() => TrainerCore.open(folder, options)).toThrow(message)
    }
    writeFileSync(path, readFileSync(path).subarray(0, 5000))
    expect(() => TrainerCore.open(folder, options)).toThrow(/is damaged|truncated/)
  })

  it('stops at a non-finite gradient, names the tensor and leaves the weights alone', async () => {
    const core = TrainerCore.fresh(config, 1, options)
    const before = core.weights.trained.flat.slice()
    const data = promptsWithAnswers(config.vocab_size, 1, 2, 1)
    const policy: Loss = { kind: 'ppo', clipLow: 0.2, clipHigh: 0.2 }
    const bad = { ...data[0], advantages: data[0].tokens.map(() => Number.POSITIVE_INFINITY) }
    await expect(core.forwardBackward([data[1], bad], policy)).rejects.toThrow('the loss is not finite')
    const huge = { ...data[0], weights: data[0].weights.map((w) => (w ? 3e38 : 0)) }
    await expect(core.forwardBackward([huge], loss)).rejects.toThrow(/gradient of model\.\S+ is not finite/)
    expect(core.weights.trained.flat).toEqual(before)
    await core.forwardBackward(data, policy)
    expect(core.optimStep(adam).gradientNorm).toBeGreaterThan(0)
  })

  it('refuses data that does not fit', async () => {
    const core = TrainerCore.fresh(config, 1, options)
    const weights = [0, 1]
    await expect(core.forwardBackward([{ tokens: [1, 61], weights }], loss)).rejects.toThrow('token 61 is not in')
    await expect(core.forwardBackward([{ tokens: [1, 2], weights: [1, 1] }], loss)).rejects.toThrow('first token')
    await expect(core.forwardBackward([{ tokens: [1, 2], weights: [0] }], loss)).rejects.toThrow('weights has 1')
    const ppo: Loss = { kind: 'ppo', clipLow: 0.2, clipHigh: 0.2 }
    await expect(core.forwardBackward([{ tokens: [1, 2], weights }], ppo)).rejects.toThrow('advantages has no')
    await expect(core.logprobs([new Array(129).fill(1)])).rejects.toThrow('context is 128')
  })

  it('reports the metrics of a policy step', async () => {
    const core = TrainerCore.fresh(config, 1, options)
    const [datum] = promptsWithAnswers(config.vocab_size, 1, 1, 3)
    const [current] = await core.logprobs([datum.tokens])
    const last = datum.tokens.length - 1
    const only = (value: number) => datum.tokens.map((_, t) => (t === last ? value : 0))
    const data = {
      tokens: datum.tokens,
      weights: only(1),
      advantages: only(2),
      oldLogprobs: only(current[last] - Math.log(1.5)),
      refLogprobs: only(current[last] - 0.25),
    }
    const { metrics, loss: total } = await core.forwardBackward([data], {
      kind: 'ppo',
      clipLow: 0.2,
      clipHigh: 0.2,
      kl: { coefficient: 1, estimator: 'k2' },
    })
    expect(metrics.ratio).toBeCloseTo(1.5, 4)
    expect(metrics.clipShare).toBe(1)
    expect(metrics.kl).toBeCloseTo(0.03125, 4)
    expect(metrics.logprobDifference).toBeCloseTo(Math.log(1.5), 4)
    expect(metrics.logprobDifferenceMax).toBeCloseTo(Math.log(1.5), 4)
    expect(metrics.entropy).toBeGreaterThan(4)
    expect(total).toBeCloseTo(-1.2 * 2 + 0.03125, 4)
  })

  it('reaches the same weights from the same seed in two processes', async () => {
    const program = fileURLToPath(new URL('../testing/train-and-hash.ts', import.meta.url))
    const run = async () => (await promisify(execFile)(process.execPath, ['--import', 'tsx', program])).stdout
    const [first, second] = [await run(), await run()]
    expect(first).toMatch(/^[0-9a-f]{64}$/)
    expect(second).toBe(first)
  })
})
