import { type ModelConfig, parameterCount } from '../config.ts'
import { KvArena } from './arena.ts'
import { decoderShape } from './decode-graph.ts'

const LEAST_CACHE = 512 * 2 ** 20
const LARGEST_CACHE = 2 ** 31

/** Bound on the keys and values kept for reuse, in bytes, where nothing else is said: 32 sequences of 1024 tokens, within limits. */
export function defaultCacheBytes(config: ModelConfig): number {
  const wanted = 32 * 1024 * KvArena.bytesPerToken(decoderShape(config))
  return Math.min(LARGEST_CACHE, Math.max(LEAST_CACHE, wanted))
}

/** Estimated peak memory of sampling in bytes: weights, the runtime's own copy of them, and keys and values. */
export function samplingMemory(config: ModelConfig): number {
  return 2 * 4 * parameterCount(config) + defaultCacheBytes(config)
}
