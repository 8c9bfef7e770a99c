import { type Config, ours, type Preset } from '../stages/index.ts'
import { alfworldPreset } from './alfworld.ts'

/**
 * The miniature: the whole method in minutes on two cores. Small generated households, a model of a million parameters, and
 * what its size asks for; every number here is ours, chosen on training layouts (docs/miniature.md says how).
 */
export const miniPreset: Preset<Config> = {
  ...alfworldPreset,
  environment: {
    ...alfworldPreset.environment,
    source: ours('generated'),
    size: ours('small'),
    tasks: { train: ours(320), seen: ours(150), unseen: ours(150) },
  },
  agent: { ...alfworldPreset.agent, style: ours('transcript'), showActions: ours(false) },
  collect: {
    ...alfworldPreset.collect,
    tasks: ours(320),
    maxSteps: ours(12),
    maxTokens: ours(40),
    wave: ours(160),
    invalidShare: ours(1),
    maxTransitions: ours(3000),
  },
  filter: {
    ...alfworldPreset.filter,
    rule: ours('band'),
    draws: ours(4),
    keepHopeless: ours(0.1),
    learningRate: ours(2e-4),
    epochs: ours(1),
  },
  worldModel: {
    ...alfworldPreset.worldModel,
    learningRate: ours(2e-4),
    maxTokens: ours(64),
    batch: ours(48),
    maxSteps: ours(100),
    kl: { coefficient: ours(0.01), estimator: ours('k3') },
    warmupSteps: ours(5),
  },
  worldModelSft: {
    ...alfworldPreset.worldModelSft,
    learningRate: ours(2e-4),
    batch: ours(48),
    epochs: ours(2),
    maxSteps: ours(100),
    warmupSteps: ours(5),
  },
  sft: {
    learningRate: ours(2e-4),
    batch: ours(48),
    epochs: ours(2),
    maxSteps: ours(100),
    warmupSteps: ours(5),
  },
  policy: {
    ...alfworldPreset.policy,
    learningRate: ours(2e-4),
    maxTokens: ours(40),
    steps: ours(60),
    maxSteps: ours(12),
    kl: { coefficient: ours(0), estimator: ours('k3') },
    warmupSteps: ours(5),
    invalidPenalty: ours(0.2),
  },
  evaluate: {
    ...alfworldPreset.evaluate,
    maxSteps: ours(12),
    transitions: ours(400),
  },
}

/** The same on ALFWorld's own games: rooms four times as large, so longer episodes, and fewer of them. */
export const miniDataPreset: Preset<Config> = {
  ...miniPreset,
  environment: { ...miniPreset.environment, source: ours('data'), size: ours('full') },
  collect: { ...miniPreset.collect, tasks: ours(128), rollouts: ours(2), maxSteps: ours(20), wave: ours(128) },
  worldModel: { ...miniPreset.worldModel, batch: ours(32), maxSteps: ours(40) },
  policy: { ...miniPreset.policy, tasks: ours(12), maxSteps: ours(20), steps: ours(25) },
  evaluate: { ...miniPreset.evaluate, maxSteps: ours(30), tasks: ours(64), runs: ours(2), transitions: ours(300) },
}
