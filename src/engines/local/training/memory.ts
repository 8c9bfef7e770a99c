import { hasQueryKeyNorm, type ModelConfig, parameterCount } from '../config.ts'

/** Most rows of a run; more is no faster even for small models. */
const MOST_ROWS = 2048
const FEWEST_ROWS = 256

/** What the activations of one run may take by default, in bytes. */
const ACTIVATION_BUDGET = 3e9

/** What the runtime's allocator takes beyond the values that are alive (measured at 7 and 135 million parameters). */
const ALLOCATOR_FACTOR = 2

/** Bytes that a forward and backward pass takes per model row, counted from the graph; attention scores left aside. */
function bytesPerRow(config: ModelConfig): number {
  const { hidden_size: d, intermediate_size: ff, vocab_size: v, num_hidden_layers: layers } = config
  const q = config.head_dim * config.num_attention_heads
  const kv = config.head_dim * config.num_key_value_heads
  // Norms of heads keep what they normalised.
  const heads = hasQueryKeyNorm(config) ? 5 * (q + kv) : 4 * (q + kv)
  return ALLOCATOR_FACTOR * 4 * (layers * (6 * d + heads + 5 * ff) + 3 * v)
}

/** Rows of a run that keep its activations within bounds. */
export function defaultRowBudget(config: ModelConfig): number {
  const affordable = Math.floor(ACTIVATION_BUDGET / bytesPerRow(config))
  return Math.max(FEWEST_ROWS, Math.min(MOST_ROWS, affordable))
}

/** Estimated peak memory of training in bytes: weights, gradient, two moments, a copied gradient, and activations. */
export function trainingMemory(config: ModelConfig, rowBudget = defaultRowBudget(config)): number {
  return 5 * 4 * parameterCount(config) + rowBudget * bytesPerRow(config)
}
