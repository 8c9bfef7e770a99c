import type { Transition } from '../../core/index.ts'
import type { Environment } from '../../environments/index.ts'
import type { WorldModelReward } from '../../rewards/index.ts'
import { baselinePredictors } from '../predictions.ts'
import type { WorldModelResult } from '../result.ts'
import { worldModelResult } from '../world-model.ts'

/** Parts that the tasks are divided into: each is predicted from the others. */
const FOLDS = 5

/**
 * What needs no model predicts on collected transitions. Cross-fitted by task: a transition is never predicted from its own
 * task. One result a baseline; none where there is only one task to learn from.
 */
export async function crossFittedBaselines(
  transitions: readonly Transition[],
  environment: Pick<Environment, 'transitionKind'>,
  reward: WorldModelReward,
): Promise<WorldModelResult[]> {
  const tasks = [...new Set(transitions.map((one) => one.taskId))].sort()
  if (tasks.length < 2) return []
  const foldOf = new Map(tasks.map((task, index) => [task, index % FOLDS]))
  const predicted = new Map<string, Map<Transition, string | null>>()
  for (let fold = 0; fold < Math.min(FOLDS, tasks.length); fold++) {
    const held = transitions.filter((one) => foldOf.get(one.taskId) === fold)
    const others = transitions.filter((one) => foldOf.get(one.taskId) !== fold)
    for (const [name, predictor] of Object.entries(baselinePredictors(others))) {
      const known = predicted.get(name) ?? new Map<Transition, string | null>()
      for (const one of held) known.set(one, predictor(one))
      predicted.set(name, known)
    }
  }
  return Promise.all(
    [...predicted].map(([name, of]) => {
      const answers = transitions.map((one) => ({ thinking: null, nextState: of.get(one) ?? null }))
      return worldModelResult(name, 'collected', [...transitions], answers, environment, reward)
    }),
  )
}
