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

/** Flat weights large enough that the distribution is far from uniform. */
export function randomWeights(config: ModelConfig, seed: number, scale = 1): Float32Array {
  const random = new Random('weights', seed)
  const parts = parameterSpecs(config).map(({ shape }) => {
    const size = shape.reduce((a, b) => a * b, 1)
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
