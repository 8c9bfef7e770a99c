import { type ModelConfig, parameterCount } from '../config.ts'

/** Bound on the keys and values kept for reuse, in bytes, where nothing else is said. */
export const DEFAULT_CACHE_BYTES = 512 * 2 ** 20

/** Estimated peak memory of sampling in bytes: weights, the runtime's own copy of them, and keys and values. */
export function samplingMemory(config: ModelConfig): number {
  return 2 * 4 * parameterCount(config) + DEFAULT_CACHE_BYTES
}
