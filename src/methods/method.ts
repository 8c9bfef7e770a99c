import {
  type Artifacts,
  BASE,
  collectStage,
  evaluateStage,
  filterStage,
  interleavedStage,
  policyStage,
  rewardStage,
  runStage,
  type Stage,
  type StageContext,
  weightChangeStage,
  worldModelSftStage,
  worldModelStage,
} from '../stages/index.ts'

/** A method is data: which stages, in which order. A training stage names the stage whose model it starts from. */
export interface Method {
  name: string
  stages: readonly Stage[]
}

const triplets = [collectStage, rewardStage, filterStage]
const measures = [weightChangeStage(), evaluateStage()]
const AFTER_WORLD_MODEL = { from: 'world-model-rl' }

/** Reinforcement World Model Learning, then policy RL (arXiv 2602.05842). */
export const rwml: Method = {
  name: 'rwml',
  stages: [...triplets, worldModelStage(), policyStage(AFTER_WORLD_MODEL), ...measures],
}

/** Policy RL alone: the baseline. */
export const policyRl: Method = { name: 'policy-rl', stages: [...triplets, policyStage(), ...measures] }

/** World-model SFT on the same transitions, then policy RL: the rival without reinforcement. */
export const worldModelSft: Method = {
  name: 'world-model-sft',
  stages: [...triplets, worldModelSftStage(), policyStage({ from: 'world-model-sft' }), ...measures],
}

/** Control: the same with next states exchanged within kind and verb. */
export const mismatchedTargets: Method = {
  name: 'mismatched-targets',
  stages: [
    ...triplets,
    worldModelStage({ teaches: 'mismatched targets' }),
    policyStage(AFTER_WORLD_MODEL),
    ...measures,
  ],
}

/** Control: the same with a reward that is a coin flip. */
export const coinFlip: Method = {
  name: 'coin-flip',
  stages: [...triplets, worldModelStage({ teaches: 'coin flip' }), policyStage(AFTER_WORLD_MODEL), ...measures],
}

/** World-model and policy RL in turns [ours]. */
export const interleaved: Method = { name: 'interleaved', stages: [...triplets, interleavedStage(), ...measures] }

/** Every method that can be named; each is a few lines above. */
export const METHODS: readonly Method[] = [rwml, policyRl, worldModelSft, mismatchedTargets, coinFlip, interleaved]

export async function runMethod(method: Method, context: StageContext): Promise<Artifacts> {
  const artifacts: Artifacts = {
    models: new Map([[BASE, context.baseModel]]),
    arms: [{ arm: BASE, path: context.baseModel }],
  }
  for (const stage of method.stages) await runStage(stage, context, artifacts)
  return artifacts
}
