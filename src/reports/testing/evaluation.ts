/** TEST FIXTURE: an invented evaluation of three arms; see fixture.ts. */
import { Random } from '../../core/index.ts'
import type {
  ArmResult,
  EvaluationResult,
  PolicyResult,
  PredictionExample,
  TaskOutcomes,
  WorldModelResult,
} from '../../evaluation/index.ts'

const TASK_KINDS = ['pick_and_place_simple', 'look_at_obj_in_light', 'pick_clean_then_place', 'pick_heat_then_place']

/** Kinds of transitions and how many there are. */
export const TRANSITION_KINDS = {
  'first visit': 180,
  revisit: 60,
  'open/close': 150,
  'take/put': 130,
  other: 40,
  invalid: 140,
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
      episodes.push({
        taskId: `${split}-${task}`,
        kind,
        run,
        solved,
        steps,
        invalid: wasted,
        wasted: Math.min(steps, wasted + 2),
      })
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
        Math.round(transitions * Math.min(1, Math.max(0, level) * (0.3 + 0.4 * index) + 0.04 * random.next())) /
        transitions
      return [kind, { transitions, exact, rewarded: Math.min(1, exact + 0.03) }]
    }),
  )
  const outcomes = outcomesOf(seed, byKind, random)
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
    outcomes,
    examples: predictor === 'model' ? examples(arm !== 'base') : [],
  }
}

const TASKS = 70

/** Which transitions were right, given how many of each kind: some tasks are easier than others for every predictor. */
function outcomesOf(seed: number, byKind: WorldModelResult['byKind'], random: Random): TaskOutcomes[] {
  const outcomes = Array.from({ length: TASKS }, (_, task): TaskOutcomes => {
    return { taskId: `task-${task}`, exact: [], reward: [] }
  })
  for (const { transitions, exact, rewarded } of Object.values(byKind)) {
    const ease = Array.from({ length: transitions }, (_, i) => {
      return new Random(seed, 'ease', i % TASKS).next() + random.next()
    })
    const order = ease.map((_, i) => i).sort((a, b) => ease[b] - ease[a])
    for (const [rank, i] of order.entries()) {
      outcomes[i % TASKS].exact.push(rank < Math.round(exact * transitions) ? 1 : 0)
      outcomes[i % TASKS].reward.push(rank < Math.round(rewarded * transitions) ? 1 : 0)
    }
  }
  return outcomes
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
