import { Random } from '../../../core/index.ts'
import { type ModelConfig, modelConfigSchema, parameterSpecs } from '../config.ts'

/** A small decoder; fields can be replaced. */
export function tinyConfig(changes: Partial<ModelConfig> = {}): ModelConfig {
  return modelConfigSchema.parse({
    model_type: 'llama',
    vocab_size: 61,
    hidden_size: 32,
    intermediate_size: 48,
    num_hidden_layers: 3,
    num_attention_heads: 4,
    num_key_value_heads: 4,
    max_position_embeddings: 128,
    ...changes,
  })
}

const rope = { rope_theta: 100, max_position_embeddings: 128 }
const stretched = { factor: 4, original_max_position_embeddings: 32 }

/** What the engine computes, a small model of each, in which everything that is its own has an effect. */
export const families: [string, Partial<ModelConfig>][] = [
  ['llama, grouped queries, untied', { num_key_value_heads: 2, tie_word_embeddings: false }],
  ['llama, linear rope', { ...rope, rope_scaling: { rope_type: 'linear', factor: 4 } }],
  [
    'llama, llama3 rope',
    { ...rope, rope_scaling: { rope_type: 'llama3', ...stretched, low_freq_factor: 1, high_freq_factor: 4 } },
  ],
  [
    'llama, yarn rope, wide heads',
    { ...rope, head_dim: 16, rope_scaling: { rope_type: 'yarn', ...stretched, beta_fast: 4 } },
  ],
  ['qwen2', { model_type: 'qwen2', num_key_value_heads: 2 }],
  [
    'qwen2, untied, yarn rope',
    { ...rope, model_type: 'qwen2', tie_word_embeddings: false, rope_scaling: { rope_type: 'yarn', ...stretched } },
  ],
  ['qwen3, wide heads', { model_type: 'qwen3', num_key_value_heads: 2, head_dim: 12, rope_theta: 1e6 }],
  [
    'qwen3, narrow heads, untied',
    { model_type: 'qwen3', num_key_value_heads: 1, head_dim: 4, tie_word_embeddings: false },
  ],
]

/** Flat weights large enough that the distribution is far from uniform. */
export function randomWeights(config: ModelConfig, seed: number, scale = 1): Float32Array {
  const random = new Random('weights', seed)
  const parts = parameterSpecs(config).map(({ name, shape }) => {
    const size = shape.reduce((a, b) => a * b, 1)
    if (name.endsWith('.bias')) return Float32Array.from({ length: size }, () => random.next() - 0.5)
    if (shape.length === 1) return Float32Array.from({ length: size }, () => 0.8 + 0.4 * random.next())
    const spread = (scale * 2) / Math.sqrt(shape[1])
    return Float32Array.from({ length: size }, () => (random.next() * 2 - 1) * spread)
  })
  const flat = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0))
  let offset = 0
  for (const part of parts) {
    flat.set(part, offset)
    offset += part.length
  }
  return flat
}
