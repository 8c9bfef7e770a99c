import { UserError } from '../../core/index.ts'
import { hasAttentionBias, hasQueryKeyNorm, type ModelConfig } from './config.ts'

/**
 * @throws UserError where a model can be read but not yet computed: its numbers would be wrong, and nothing else would say so.
 */
export function requireSupported(config: ModelConfig): void {
  const missing = [
    hasAttentionBias(config) && 'biases on queries, keys and values',
    hasQueryKeyNorm(config) && 'normalised queries and keys',
    config.rope_scaling && `rotary embeddings scaled by ${config.rope_scaling.rope_type}`,
    config.head_dim * config.num_attention_heads !== config.hidden_size && 'heads that are not the width divided',
  ].filter(Boolean)
  if (missing.length === 0) return
  throw new UserError(
    `a ${config.model_type} model with ${missing.join(', ')} can be inspected and converted, but not sampled from or trained yet: take a plain Llama model such as SmolLM2`,
  )
}
