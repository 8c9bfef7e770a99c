import { actionText, observationText, type Transition } from '../core/index.ts'
import type { Environment } from '../environments/index.ts'
import type { Score, WorldModelReward } from '../rewards/index.ts'
import type { Prediction } from './predictions.ts'
import type { PredictionExample, TaskOutcomes, WorldModelResult } from './result.ts'
import { scorePredictions } from './scores.ts'

/** Examples kept for a look at. */
const EXAMPLES = 12

/** Accuracy of predictions of frozen transitions; `predicted[i]` belongs to `transitions[i]`. */
export async function worldModelResult(
  predictor: string,
  split: string,
  transitions: Transition[],
  predicted: (Pick<Prediction, 'thinking' | 'nextState'> & { omitted?: number })[],
  environment: Pick<Environment, 'transitionKind'>,
  reward: WorldModelReward,
): Promise<WorldModelResult> {
  const truths = transitions.map((one) => observationText(one.next))
  const scores = await scorePredictions(
    reward,
    predicted.map(({ nextState }, i) => ({ transition: transitions[i], predicted: nextState })),
  )
  const byKind: WorldModelResult['byKind'] = {}
  const byTask = new Map<string, Required<TaskOutcomes>>()
  let exact = 0
  let rewarded = 0
  for (const [i, one] of transitions.entries()) {
    const kind = environment.transitionKind?.(one) ?? 'all'
    byKind[kind] ??= { transitions: 0, exact: 0, rewarded: 0 }
    byKind[kind].transitions++
    const same = predicted[i].nextState === truths[i] ? 1 : 0
    byKind[kind].exact += same
    byKind[kind].rewarded += scores[i].reward
    exact += same
    rewarded += scores[i].reward
    const outcomes = byTask.get(one.taskId) ?? { taskId: one.taskId, exact: [], reward: [], valid: [] }
    outcomes.exact.push(same)
    outcomes.reward.push(scores[i].reward)
    outcomes.valid.push(one.valid ? 1 : 0)
    byTask.set(one.taskId, outcomes)
  }
  for (const kind of Object.values(byKind)) {
    kind.exact /= kind.transitions
    kind.rewarded /= kind.transitions
  }
  const total = Math.max(1, transitions.length)
  return {
    predictor,
    split,
    transitions: transitions.length,
    exact: exact / total,
    rewarded: rewarded / total,
    parseRate: predicted.filter((one) => one.nextState !== null).length / total,
    shortened: predicted.filter(({ omitted = 0 }) => omitted > 0).length,
    byKind,
    outcomes: [...byTask.values()],
    examples: examples(transitions, predicted, scores, environment),
  }
}

/** The first transitions of each kind in turn: the same ones for every arm. */
function examples(
  transitions: Transition[],
  predicted: Pick<Prediction, 'thinking' | 'nextState'>[],
  scores: Score[],
  environment: Pick<Environment, 'transitionKind'>,
): PredictionExample[] {
  const byKind = new Map<string, number[]>()
  for (const [i, one] of transitions.entries()) {
    const kind = environment.transitionKind?.(one) ?? 'all'
    byKind.set(kind, [...(byKind.get(kind) ?? []), i])
  }
  const chosen: [string, number][] = []
  for (let round = 0; chosen.length < EXAMPLES && round < transitions.length; round++) {
    for (const [kind, indices] of byKind) if (round < indices.length) chosen.push([kind, indices[round]])
  }
  return chosen.slice(0, EXAMPLES).map(([kind, i]) => ({
    kind,
    instruction: transitions[i].instruction,
    action: actionText(transitions[i].action),
    thinking: predicted[i].thinking,
    predicted: predicted[i].nextState,
    actual: observationText(transitions[i].next),
    distance: scores[i].distance,
    reward: scores[i].reward,
  }))
}
