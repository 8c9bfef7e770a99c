import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UserError } from '../../core/index.ts'
import { GgufReader } from '../../store/index.ts'
import { f32Tensor } from '../../store/testing/gguf.ts'
import { type ModelConfig, parameterSpecs } from './config.ts'
import { GgufWeights, ggufConfig } from './gguf-model.ts'
import { ParameterSet } from './parameters.ts'
import { llama3Divisor } from './rope.ts'
import { ggufModel } from './testing/gguf.ts'
import { randomWeights, tinyConfig } from './testing/weights.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rwml-gguf-model-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function open(config: ModelConfig, changes: Parameters<typeof ggufModel>[2] = {}): GgufReader {
  const path = join(folder, 'model.gguf')
  writeFileSync(path, ggufModel(config, randomWeights(config, 1), changes))
  return new GgufReader(path)
}

describe('a GGUF model', () => {
  it.each<[string, Partial<ModelConfig>]>([
    ['llama, tied', { num_key_value_heads: 2 }],
    ['llama, untied', { tie_word_embeddings: false }],
    ['qwen2, with biases', { model_type: 'qwen2', num_key_value_heads: 2 }],
    ['qwen3, with wide heads', { model_type: 'qwen3', num_key_value_heads: 2, head_dim: 10 }],
  ])('gives shape and weights of the model it was made of: %s', (_, changes) => {
    const config = tinyConfig(changes)
    const file = open(config)
    expect(ggufConfig(file)).toEqual(config)
    const parameters = new ParameterSet(parameterSpecs(config))
    const weights = new GgufWeights(file, config)
    parameters.assign(weights)
    weights.close()
    expect(parameters.flat).toEqual(randomWeights(config, 1))
    expect(weights.tensors.size).toBe(parameterSpecs(config).length)
  })

  it('tells llama3 scaling by what the file holds of it, and yarn by its metadata', () => {
    const config = tinyConfig({ rope_theta: 500000 })
    const scaling = {
      rope_type: 'llama3' as const,
      factor: 32,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 8192,
    }
    const divisors = Float32Array.from({ length: 4 }, (_, i) => llama3Divisor(500000 ** (-i / 4), scaling))
    const withDivisors = (values: Float32Array) =>
      ggufConfig(open(config, { tensors: { 'rope_freqs.weight': f32Tensor([values.length], values) } }))
    expect(withDivisors(divisors).rope_scaling).toEqual(scaling)
    expect(withDivisors(new Float32Array(4).fill(1)).rope_scaling).toBeUndefined()
    expect(() => withDivisors(divisors.map((x, i) => x + i))).toThrow('not those of a llama3 model')
    const yarn = { 'llama.rope.scaling.type': 'yarn', 'llama.rope.scaling.factor': 4 }
    expect(ggufConfig(open(config, { metadata: yarn })).rope_scaling).toEqual({
      rope_type: 'yarn',
      factor: 4,
      original_max_position_embeddings: 32,
    })
  })

  it.each<[string, Parameters<typeof ggufModel>[2], RegExp]>([
    ['experts', { metadata: { 'general.architecture': 'qwen3moe' } }, /mixture of experts.*Tinker API/],
    ['experts in a llama', { metadata: { 'llama.expert_count': 8 } }, /mixture of experts/],
    ['another architecture', { metadata: { 'general.architecture': 'gemma3' } }, /architecture gemma3 is not known/],
    ['one of several parts', { metadata: { 'split.count': 3 } }, /one of several parts: join them/],
    ['other tensors', { tensors: { 'blk.0.attn_sinks.weight': f32Tensor([4]) } }, /attn_sinks.weight, which no llama/],
    ['metadata of another kind', { metadata: { 'llama.block_count': 'two' } }, /no llama model: num_hidden_layers/],
    [
      'other positions',
      { metadata: { 'llama.rope.scale_linear': 4 } },
      /llama\.rope\.scale_linear \(4\) is not known here/,
    ],
    ['a window', { metadata: { 'llama.attention.sliding_window': 16 } }, /sliding window of 16 tokens/],
    [
      'other scaling',
      { metadata: { 'llama.rope.scaling.type': 'longrope', 'llama.rope.scaling.factor': 2 } },
      /longrope/,
    ],
    ['heads turned in part', { metadata: { 'llama.rope.dimension_count': 4 } }, /only 4 of 8 dimensions/],
  ])('refuses %s', (_, changes, message) => {
    const file = open(tinyConfig(), changes)
    expect(() => ggufConfig(file)).toThrow(UserError)
    expect(() => ggufConfig(file)).toThrow(message)
  })
})
