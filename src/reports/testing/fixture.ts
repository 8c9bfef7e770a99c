/**
 * TEST FIXTURE. Invented numbers in the shape of a real run, drawn from a seed; nothing here was measured. Only tests
 * and the eye use it.
 */
import { Random } from '../../core/index.ts'
import { type MetricLine, WEIGHT_MODULES, type WeightChange } from '../../evaluation/index.ts'
import type { ConfigField, ReportInput } from '../input.ts'
import { fixtureEvaluation, TRANSITION_KINDS } from './evaluation.ts'

/** A finished run with three arms: success and world-model accuracy rise, as sharply as `effect` says. */
export function fixtureInput(seed = 7, effect = 1): ReportInput {
  return {
    run: {
      name: 'quickstart-fixture',
      folder: 'runs/quickstart-fixture',
      command: 'rwml quickstart',
      method: 'rwml',
      seed,
      environment: 'ALFWorld (generated houses)',
      model: {
        name: 'mini',
        parameters: 1_310_720,
        description: 'Llama-style, 4 layers of 128, trained on noisy play',
      },
      machine: { cpu: 'Fixture CPU', cores: 2, memory: 8 * 2 ** 30 },
      startedAt: '2026-01-02T03:04:05Z',
      version: '0.1.0',
    },
    stages: [
      {
        name: 'collect',
        title: 'Collect',
        seconds: 17,
        tokensSampled: 410_000,
        tokensRead: 300_000,
        flops: 2e12,
        reads: [],
        makes: ['collected', 'kept'],
        notes: ['2,300 transitions from 256 tasks × 3.'],
      },
      {
        name: 'reward',
        title: 'Choose the reward',
        seconds: 1,
        notes: ['embedding'],
        flops: 0,
        reads: ['collected'],
        makes: ['reward'],
      },
      {
        name: 'filter',
        title: 'Filter',
        seconds: 82,
        tokensSampled: 1_900_000,
        tokensTrained: 240_000,
        flops: 6e12,
        reads: ['collected', 'reward'],
        makes: ['kept'],
        notes: [],
      },
      {
        name: 'world-model-rl',
        title: 'World-model RL',
        seconds: 94,
        tokensSampled: 1_200_000,
        tokensTrained: 1_150_000,
        flops: 1.2e13,
        from: 'base',
        arms: ['after world-model RL'],
        reads: ['kept', 'reward'],
        notes: [],
      },
      {
        name: 'policy-rl',
        title: 'Policy RL',
        seconds: 251,
        tokensSampled: 2_600_000,
        tokensTrained: 2_400_000,
        flops: 2.5e13,
        from: 'world-model-rl',
        arms: ['after policy RL'],
        reads: [],
        notes: ['3 of 50 steps had no group with variance.'],
      },
      { name: 'evaluate', title: 'Evaluate', seconds: 38, tokensSampled: 900_000, notes: [] },
    ],
    filter: {
      rule: 'band',
      settings: { K: 4, p: 0.1, p0: 0.1 },
      kinds: Object.entries(TRANSITION_KINDS).map(([kind, count], index) => ({
        kind,
        transitions: count * 3,
        easy: Math.round(count * (0.4 + 0.2 * index)),
        hopeless: Math.round(count * (1.4 - 0.2 * index)),
        kept: Math.round(count * 1.3),
        groupsWithVariance: kind === 'other' ? null : Math.round(count * (0.6 + 0.3 * index)),
      })),
    },
    rewardKind: 'embedding',
    reward: {
      embedder: 'lexical (TF-IDF, uni- and bigrams)',
      semantic: false,
      why: 'It runs anywhere and tells templated texts apart; the threshold was calibrated on training layouts.',
      threshold: 0.1,
      precision: 0.997,
      recall: 1,
    },
    metrics: [...worldModelSteps(seed), ...policySteps(seed)],
    evaluation: fixtureEvaluation(seed, effect),
    players: [],
    weightChanges: [
      { from: 'base', to: 'world-model-rl', change: weightChangeFixture(0.002) },
      { from: 'world-model-rl', to: 'policy-rl', change: weightChangeFixture(0.003) },
    ],
    forgetting: [],
    config: CONFIG,
    resolution: [
      'One run from one seed: training with another seed moves success by several points, which no interval here includes.',
      'There is no arm trained by policy RL alone, so this run cannot say whether world-model RL helped policy RL.',
    ],
  }
}

/** Four layers whose last ones moved most. */
function weightChangeFixture(norm: number): WeightChange {
  const moved = (factor: number) => ({
    weights: 1000,
    moved: [0.9, 0.7, 0.4, 0.1, 0.01].map((share) => Math.min(1, share * factor)),
    relativeNorm: norm * factor,
    largest: 0.05,
  })
  const layers = [0.7, 0.9, 1.1, 1.3]
  const inside = WEIGHT_MODULES.filter((module) => module !== 'embedding' && module !== 'head')
  return {
    thresholds: [1e-5, 1e-4, 1e-3, 1e-2, 1e-1],
    all: moved(1),
    modules: [{ module: 'embedding', ...moved(0.3) }, ...inside.map((module) => ({ module, ...moved(1) }))],
    layers: layers.map(moved),
    cells: layers.flatMap((factor, layer) => inside.map((module) => ({ layer, module, ...moved(factor) }))),
    tensors: [],
  }
}

const CONFIG: ConfigField[] = [
  { path: 'seed', value: 7, source: 'user' },
  { path: 'method', value: 'rwml', source: 'ours' },
  ...Object.entries({ tasks: 256, samples: 3, temperature: 1, topP: 1 }).map(([name, value]) => ({
    path: `collect.${name}`,
    value,
    source: name === 'tasks' ? ('user' as const) : ('paper' as const),
  })),
  { path: 'reward.kind', value: 'embedding', source: 'paper' },
  ...Object.entries({ rule: 'band', predictions: 10, keepEasy: 0.1, keepHopeless: 0.1, easyAbove: 0 }).map(
    ([name, value]) => ({
      path: `filter.${name}`,
      value,
      source: name === 'rule' || name === 'keepHopeless' ? ('ours' as const) : ('paper' as const),
    }),
  ),
  ...Object.entries({
    groupSize: 8,
    batchSize: 32,
    learningRate: 1e-4,
    steps: 60,
    kl: { coefficient: 0.01, estimator: 'k3' },
  }).map(([name, value]) => ({
    path: `worldModelRl.${name}`,
    value,
    source: name === 'groupSize' || name === 'batchSize' ? ('paper' as const) : ('ours' as const),
  })),
  ...Object.entries({ groupSize: 8, tasksPerBatch: 16, learningRate: 3e-4, steps: 50, temperature: 0.7 }).map(
    ([name, value]) => ({
      path: `policyRl.${name}`,
      value,
      source: name === 'groupSize' ? ('paper' as const) : ('ours' as const),
    }),
  ),
]

function worldModelSteps(seed: number): MetricLine[] {
  const random = new Random(seed, 'world model')
  return Array.from({ length: 60 }, (_, step) => ({
    stage: 'world-model-rl',
    step: step + 1,
    time: step * 1500,
    reward: 0.12 + 0.28 * (1 - Math.exp(-step / 20)) + 0.06 * (random.next() - 0.5),
    groupVariance: 0.68 - 0.25 * (step / 60) + 0.12 * (random.next() - 0.5),
    kl: 0.004 * step * (0.8 + 0.4 * random.next()),
    entropy: 0.9 - 0.006 * step + 0.05 * random.next(),
    logprobDifference: 2e-6 * random.next(),
  }))
}

function policySteps(seed: number): MetricLine[] {
  const random = new Random(seed, 'policy')
  return Array.from({ length: 50 }, (_, step) => ({
    stage: 'policy-rl',
    step: step + 1,
    time: step * 5000,
    success: Math.max(0, 0.14 + 0.26 * (1 - Math.exp(-step / 15)) + 0.14 * (random.next() - 0.5)),
    invalidShare: 0.2 + 0.3 * (1 - Math.exp(-step / 10)) - 0.002 * step + 0.06 * random.next(),
    entropy: 0.7 - 0.008 * step + 0.05 * random.next(),
    logprobDifference: 3e-6 * random.next(),
  }))
}
