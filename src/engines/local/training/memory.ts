import { totalmem } from 'node:os'
import { gigabytes, UserError } from '../../../core/index.ts'
import { hasQueryKeyNorm, type ModelConfig, parameterCount } from '../config.ts'
import { type Lora, loraSpecs } from '../lora.ts'
import { sizeOf } from '../parameters.ts'
import type { RunSize } from './layout.ts'

/** Most rows of a run; more is no faster even for small models. */
const MOST_ROWS = 2048
const FEWEST_ROWS = 256

/** What the activations of one run may take, in bytes: runs are no longer by default. The same on all machines, as results are. */
const ACTIVATION_BUDGET = 3e9

/** What the runtime's allocator takes beyond the values that are alive (measured at 135 million parameters, 512 and 1024 rows). */
const ALLOCATOR_FACTOR = 1.5

/** Numbers inside one layer that the backward pass needs, per row; attention scores left aside. */
function insideLayer(config: ModelConfig): number {
  const q = config.head_dim * config.num_attention_heads
  const kv = config.head_dim * config.num_key_value_heads
  // Norms of heads keep what they normalised.
  const heads = hasQueryKeyNorm(config) ? 5 * (q + kv) : 4 * (q + kv)
  return 6 * config.hidden_size + heads + 5 * config.intermediate_size
}

/** Bytes that the activations of a forward and backward pass take, counted from the graph. */
export function activationMemory(config: ModelConfig, { rows, scores }: RunSize, recompute: boolean): number {
  const { hidden_size: d, vocab_size: v, num_hidden_layers: layers } = config
  const kept = recompute ? layers * d + insideLayer(config) : layers * insideLayer(config)
  // Of the layer at hand, scores, their softmax and both gradients are there at once.
  const keptScores = (recompute ? 0 : layers) + 4
  return 4 * (ALLOCATOR_FACTOR * rows * (kept + 3 * v) + keptScores * scores)
}

/** Rows of a run that keep its activations within bounds; with `recompute` those of a run whose layers are computed twice. */
export function defaultRowBudget(config: ModelConfig, budget = ACTIVATION_BUDGET, recompute = false): number {
  const fitting = Math.floor(budget / activationMemory(config, { rows: 1, scores: 0 }, recompute))
  return Math.max(FEWEST_ROWS, Math.min(MOST_ROWS, fitting))
}

/** Where layers are computed once: results are the same either way, so it may hang on the machine. */
const affordable = () => Math.max(ACTIVATION_BUDGET, machineMemory() / 4)

/** Whether a run's layers are computed twice, so that its activations stay within bounds (default: a quarter of the memory). */
export function mustRecompute(config: ModelConfig, size: RunSize, budget = affordable()): boolean {
  return activationMemory(config, size, false) > budget
}

/**
 * What a model takes while it is trained, activations left aside, in bytes: weights (with an adapter twice: alone, and merged to
 * sample from), and of what is trained the gradient, two moments, and the runtime's gradient, which it copies to hand it over.
 */
export function stateMemory(config: ModelConfig, lora?: Lora): number {
  const weights = parameterCount(config)
  return lora ? 4 * (2 * weights + 6 * sizeOf(loraSpecs(config, lora))) : 4 * 6 * weights
}

/** Estimated peak memory of training in bytes. */
export function trainingMemory(config: ModelConfig, lora?: Lora, rowBudget = defaultRowBudget(config)): number {
  return stateMemory(config, lora) + activationMemory(config, { rows: rowBudget, scores: 0 }, false)
}

/** @throws UserError where a run would exhaust this machine's memory, even with its layers computed twice. */
export function refuseRun(config: ModelConfig, lora: Lora | undefined, size: RunSize, memory = machineMemory()): void {
  const needed = stateMemory(config, lora) + activationMemory(config, size, true)
  if (needed <= memory) return
  throw new UserError(
    `training on ${size.rows} tokens at once takes about ${gigabytes(needed)} of memory and this machine has ${gigabytes(memory)}: shorten what the model is shown (agent.historyTurns), take a smaller model, or train an adapter (model.lora.rank)`,
  )
}

/** What this machine, or the container that this process runs in, has in all. */
export function machineMemory(): number {
  const limit = process.constrainedMemory?.() ?? 0
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
