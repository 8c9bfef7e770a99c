import { type Config, ours, type Preset, paper } from '../stages/index.ts'
import { alfworldPreset } from './alfworld.ts'
import { toolsPreset } from './tools.ts'

/**
 * The paper trained all weights; servers train adapters. Learning rates are the paper's all the same: what an adapter wants (about
 * ten times as much) is for whoever uses one to choose (docs/cluster.md).
 */
const lora: Preset<Config>['model']['lora'] = { rank: ours(32), alpha: ours(32), targets: ours('all-linear') }

/**
 * The paper's ALFWorld column: Qwen2.5-7B-Instruct (arXiv 2602.05842, sections 4 and 5). The threshold is that of
 * Qwen3-Embedding-8B, and of no other embedder.
 */
export const alfworldQwenPreset: Preset<Config> = {
  ...alfworldPreset,
  model: { ...alfworldPreset.model, path: paper('models/qwen2.5-7b-instruct'), lora },
  reward: { ...alfworldPreset.reward, threshold: paper(0.2) },
}

/** The paper's τ²-bench column: Qwen3-8B. Threshold as above, of what users say; what tools return is compared by ROUGE. */
export const tau2QwenPreset: Preset<Config> = {
  ...toolsPreset,
  model: { ...toolsPreset.model, path: paper('models/qwen3-8b'), lora },
  reward: { ...toolsPreset.reward, threshold: paper(0.4) },
}
