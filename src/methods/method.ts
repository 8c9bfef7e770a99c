import {
  type Artifacts,
  collectStage,
  evaluateStage,
  filterStage,
  policyStage,
  rewardStage,
  runStage,
  type Stage,
  type StageContext,
  worldModelStage,
} from '../stages/index.ts'

/** A method is data: which stages, in which order. Each stage starts from the checkpoint of the one before it. */
export interface Method {
  name: string
  stages: Stage[]
}

/** Reinforcement World Model Learning, then policy RL (arXiv 2602.05842). */
export const rwml: Method = {
  name: 'rwml',
  stages: [collectStage, rewardStage, filterStage, worldModelStage, policyStage, evaluateStage],
}

export async function runMethod(method: Method, context: StageContext): Promise<Artifacts> {
  const artifacts: Artifacts = { model: context.baseModel, arms: [{ arm: 'base', path: context.baseModel }] }
  for (const stage of method.stages) await runStage(stage, context, artifacts)
  return artifacts
}
