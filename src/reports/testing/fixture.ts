/**
 * TEST FIXTURE. Invented numbers in the shape of a real run, drawn from a seed; nothing here was measured. Only tests
 * and the eye use it.
 */
import { Random } from '../../core/index.ts'
import type {
  ArmResult,
  EvaluationResult,
  MetricLine,
  PolicyResult,
  PredictionExample,
  WorldModelResult,
} from '../../evaluation/index.ts'
import type { ConfigField, ReportInput } from '../input.ts'

const TASK_KINDS = ['pick_and_place_simple', 'look_at_obj_in_light', 'pick_clean_then_place', 'pick_heat_then_place']
const TRANSITION_KINDS = {
  'first visit': 180,
  revisit: 60,
  'open/close': 150,
  'take/put': 130,
  other: 40,
  invalid: 140,
}

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
        notes: ['2,300 transitions from 256 tasks × 3.'],
      },
      { name: 'filter', title: 'Filter', seconds: 82, tokensSampled: 1_900_000, tokensTrained: 240_000, notes: [] },
      {
        name: 'world-model-rl',
        title: 'World-model RL',
        seconds: 94,
        tokensSampled: 1_200_000,
        tokensTrained: 1_150_000,
        notes: [],
      },
      {
        name: 'policy-rl',
        title: 'Policy RL',
        seconds: 251,
        tokensSampled: 2_600_000,
        tokensTrained: 2_400_000,
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
        groupsWithVariance: kind === 'other' ? null : 0.2 + 0.1 * index,
      })),
    },
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
    config: CONFIG,
    resolution: [
      'One run from one seed: training with another seed moves success by several points, which no interval here includes.',
      'There is no arm trained by policy RL alone, so this run cannot say whether world-model RL helped policy RL.',
    ],
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
    groupsWithVariance: 0.68 - 0.25 * (step / 60) + 0.12 * (random.next() - 0.5),
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

export function fixtureEvaluation(seed: number, effect: number): EvaluationResult {
  const arm = (name: string, checkpoint: string, success: number, invalid: number, exact: number): ArmResult => ({
    arm: name,
    checkpoint,
    policy: [
      policyResult(seed, 'seen', name, 140, success + 0.01, invalid),
      policyResult(seed, 'unseen', name, 134, success, invalid),
    ],
    worldModel: [worldModelResult(seed, 'model', 'seen + unseen', exact, name)],
  })
  return {
    arms: [
      arm('base', 'checkpoints/base', 0.14, 0.19, 0.11),
      arm('after world-model RL', 'checkpoints/world-model-rl-60', 0.13, 0.24, 0.11 + 0.23 * effect),
      arm(
        'after policy RL',
        'checkpoints/policy-rl-50',
        0.14 + 0.2 * effect,
        0.19 + 0.21 * effect,
        0.11 + 0.22 * effect,
      ),
    ],
    worldModelBaselines: [
      worldModelResult(seed, 'copy last observation', 'seen + unseen', 0.04),
      worldModelResult(seed, 'most frequent for verb', 'seen + unseen', 0.19),
      worldModelResult(seed, 'nearest training transition', 'seen + unseen', 0.22),
    ],
    settings: { temperature: 0.4, maxSteps: 30, runs: 3, seed },
  }
}

function policyResult(
  seed: number,
  split: string,
  arm: string,
  tasks: number,
  success: number,
  invalid: number,
): PolicyResult {
  const random = new Random(seed, split, arm)
  const byKind: PolicyResult['byKind'] = {}
  const episodes: PolicyResult['episodes'] = []
  for (let task = 0; task < tasks; task++) {
    const kind = TASK_KINDS[task % TASK_KINDS.length]
    // Some tasks are easier than others for every arm: what makes pairing worth it.
    const ease = 2 * new Random(seed, split, task).next()
    for (let run = 0; run < 3; run++) {
      const solved = random.chance(Math.min(1, success * ease))
      const steps = solved ? random.integer(5, 18) : 30
      const wasted = Array.from({ length: steps }, () => random.chance(invalid)).filter(Boolean).length
      episodes.push({ taskId: `${split}-${task}`, run, solved, steps, invalid: wasted })
      byKind[kind] ??= { solved: 0, episodes: 0 }
      byKind[kind].episodes++
      if (solved) byKind[kind].solved++
    }
  }
  const solved = episodes.filter((episode) => episode.solved)
  const total = (key: 'steps' | 'invalid') => episodes.reduce((sum, episode) => sum + episode[key], 0)
  return {
    split,
    tasks,
    successByRun: [0, 1, 2].map((run) => solved.filter((episode) => episode.run === run).length / tasks),
    invalidShare: total('invalid') / total('steps'),
    stepsPerSolved:
      solved.length === 0 ? null : solved.reduce((sum, episode) => sum + episode.steps, 0) / solved.length,
    byKind,
    grounding: 0.5 + success,
    parseRate: 0.99,
    episodes,
  }
}

function worldModelResult(
  seed: number,
  predictor: string,
  split: string,
  level: number,
  arm = predictor,
): WorldModelResult {
  const random = new Random(seed, 'world model', arm)
  const byKind = Object.fromEntries(
    Object.entries(TRANSITION_KINDS).map(([kind, transitions], index) => {
      const exact =
        Math.round(transitions * Math.min(1, level * (0.3 + 0.4 * index) + 0.04 * random.next())) / transitions
      return [kind, { transitions, exact, rewarded: Math.min(1, exact + 0.03) }]
    }),
  )
  const kinds = Object.values(byKind)
  const transitions = kinds.reduce((sum, kind) => sum + kind.transitions, 0)
  const pooled = (key: 'exact' | 'rewarded') =>
    kinds.reduce((sum, kind) => sum + kind[key] * kind.transitions, 0) / transitions
  return {
    predictor,
    split,
    transitions,
    exact: pooled('exact'),
    rewarded: pooled('rewarded'),
    parseRate: 0.98,
    byKind,
    examples: predictor === 'model' ? examples(arm !== 'base') : [],
  }
}

function examples(trained: boolean): PredictionExample[] {
  const example = (
    kind: string,
    action: string,
    actual: string,
    before: string | null,
    after: string,
  ): PredictionExample => {
    const predicted = trained ? after : before
    const right = predicted === actual
    return {
      kind,
      instruction: 'put a clean plate in the microwave.',
      action,
      thinking: trained ? 'The drawer was closed before, so opening it shows what is inside.' : null,
      predicted,
      actual,
      distance: predicted === null ? null : right ? 0 : 0.31,
      reward: right ? 1 : 0,
    }
  }
  return [
    example(
      'open/close',
      'open drawer 2',
      'You open the drawer 2. The drawer 2 is open. In it, you see a fork 1, and a plate 3.',
      'You open the drawer 2. The drawer 2 is open. In it, you see nothing.',
      'You open the drawer 2. The drawer 2 is open. In it, you see a fork 1, and a spoon 2.',
    ),
    example(
      'first visit',
      'go to countertop 1',
      'You arrive at countertop 1. On the countertop 1, you see a apple 2, a knife 1, and a plate 1.',
      'You arrive at countertop 1. The countertop 1 is closed.',
      'You arrive at countertop 1. On the countertop 1, you see a apple 2, a bread 1, and a plate 1.',
    ),
    example(
      'take/put',
      'take plate 1 from countertop 1',
      'You pick up the plate 1 from the countertop 1.',
      'Nothing happens.',
      'You pick up the plate 1 from the countertop 1.',
    ),
    example(
      'invalid',
      'take mug 4 from shelf 1',
      'Nothing happens.',
      'You pick up the mug 4 from the shelf 1.',
      'Nothing happens.',
    ),
    example(
      'revisit',
      'go to fridge 1',
      'You arrive at fridge 1. The fridge 1 is open. In it, you see a egg 1.',
      null,
      'You arrive at fridge 1. The fridge 1 is closed.',
    ),
  ]
}
