import { type Config, ours, type Preset, paper } from '../stages/index.ts'

/** What both RL stages have in common. */
const grpo: Omit<Preset<Config>['worldModel'], 'learningRate' | 'batch' | 'epochs' | 'maxSteps'> = {
  groupSize: paper(8),
  temperature: ours(1),
  maxTokens: ours(512),
  kl: { coefficient: ours(0.01), estimator: ours('k3') },
  clipLow: ours(0.2),
  clipHigh: ours(0.2),
  entropy: ours(0),
  advantages: { scale: paper('std'), epsilon: ours(1e-6), level: ours('trajectory') },
  aggregation: ours('tokenMean'),
  warmupSteps: ours(10),
}

/** The paper's setting on ALFWorld (arXiv 2602.05842, sections 4 and 5); ours where it is silent. */
export const alfworldPreset: Preset<Config> = {
  seed: ours(0),
  environment: {
    name: paper('alfworld'),
    source: paper('data'),
    data: ours(''),
    size: ours('full'),
    tasks: { train: ours(3553), seen: ours(140), unseen: ours(134) },
  },
  model: {
    path: ours('models/mini'),
    threads: ours(0),
    tokenBudget: ours(0),
    lora: { rank: ours(0), alpha: ours(32), targets: ours('all-linear') },
  },
  agent: { style: paper('window'), historyTurns: ours(4), showActions: ours(true), thinking: ours('template') },
  collect: {
    tasks: paper(2048),
    rollouts: paper(3),
    temperature: paper(1),
    maxSteps: ours(30),
    maxTokens: ours(512),
    wave: ours(128),
    filterShare: paper(0.1),
    invalidShare: paper(0),
    maxTransitions: ours(0),
  },
  filter: {
    rule: paper('paper'),
    draws: paper(10),
    temperature: ours(1),
    easyAbove: paper(0),
    easyAboveTools: ours(0.8),
    keepEasy: paper(0.1),
    keepHopeless: ours(1),
    learningRate: ours(2e-6),
    batch: ours(32),
    epochs: ours(2),
  },
  reward: { kind: paper('embedding'), embedder: ours('auto'), mode: paper('binary'), threshold: ours(0) },
  worldModel: {
    learningRate: paper(1e-6),
    ...grpo,
    batch: paper(32),
    epochs: paper(2),
    maxSteps: ours(0),
  },
  worldModelSft: {
    learningRate: paper(2e-6),
    batch: paper(32),
    epochs: paper(2),
    maxSteps: ours(0),
    warmupSteps: ours(10),
  },
  policy: {
    learningRate: ours(1e-6),
    ...grpo,
    tasks: ours(16),
    steps: paper(300),
    maxSteps: paper(15),
    invalidPenalty: ours(0),
  },
  optimiser: {
    beta1: ours(0.9),
    beta2: ours(0.95),
    epsilon: ours(1e-8),
    weightDecay: ours(0),
    clipNorm: ours(1),
  },
  evaluate: {
    temperature: ours(0.4),
    maxSteps: paper(30),
    runs: paper(3),
    tasks: ours(0),
    transitions: ours(2000),
  },
}
