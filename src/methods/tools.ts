import { type Config, ours, type Preset, paper } from '../stages/index.ts'
import { alfworldPreset } from './alfworld.ts'

/**
 * The paper's setting for conversations with a user and tools (its τ²-bench column; arXiv 2602.05842, sections 4 and 5). Its
 * threshold of 0.4 belongs to its embedding model, so ours is calibrated.
 */
export const toolsPreset: Preset<Config> = {
  ...alfworldPreset,
  environment: { ...alfworldPreset.environment, name: ours('tools') },
  collect: { ...alfworldPreset.collect, tasks: paper(178), rollouts: paper(6) },
  reward: { ...alfworldPreset.reward, kind: paper('hybrid') },
  worldModel: { ...alfworldPreset.worldModel, groupSize: paper(16) },
  policy: { ...alfworldPreset.policy, steps: paper(200), maxSteps: paper(30) },
  evaluate: { ...alfworldPreset.evaluate, temperature: ours(0) },
}
