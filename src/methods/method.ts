import { randomActions } from '../agents/index.ts'
import { UserError } from '../core/index.ts'
import type { ChatModel } from '../services/index.ts'
import {
  type Artifacts,
  alternativesStage,
  BASE,
  collectByStage,
  collectStage,
  type ExpertSource,
  evaluateStage,
  expertStage,
  filterStage,
  interleavedStage,
  modelsStage,
  policyStage,
  reflectStage,
  rewardStage,
  runStage,
  type Stage,
  type StageContext,
  sftStage,
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

/** The base alone, prompted to reason and act: what everything else is held against. API models: `playersStage`. */
export const react: Method = { name: 'react', stages: [collectStage, rewardStage, evaluateStage()] }

/** Models as they are, by name, beside the one that the run starts from: nothing is trained. */
export const evaluationOf = (models: Readonly<Record<string, string>>): Method => ({
  name: 'evaluation',
  stages: [collectStage, rewardStage, modelsStage(models), evaluateStage()],
})

/** Reinforcement World Model Learning, then policy RL (arXiv 2602.05842). */
export const rwml: Method = {
  name: 'rwml',
  stages: [...triplets, worldModelStage(), policyStage(AFTER_WORLD_MODEL), ...measures],
}

/** The same without policy RL: no task reward is learned from. */
export const rwmlOnly: Method = { name: 'rwml-only', stages: [...triplets, worldModelStage(), ...measures] }

/** Policy RL alone: the baseline. */
export const policyRl: Method = { name: 'policy-rl', stages: [collectStage, rewardStage, policyStage(), ...measures] }

/** World-model SFT on the same transitions, then policy RL: the rival without reinforcement. */
export const worldModelSft: Method = {
  name: 'world-model-sft',
  stages: [...triplets, worldModelSftStage(), policyStage({ from: 'world-model-sft' }), ...measures],
}

/** The same without policy RL. */
export const worldModelSftOnly: Method = {
  name: 'world-model-sft-only',
  stages: [...triplets, worldModelSftStage(), ...measures],
}

/** Rejection sampling fine-tuning: supervision on its own successful rollouts. */
export const rft: Method = {
  name: 'rft',
  stages: [
    collectStage,
    rewardStage,
    sftStage({ name: 'rft', learns: ['own successes'], arm: 'after RFT' }),
    ...measures,
  ],
}

/** Imitation of an expert. */
export const imitationOf = (source: ExpertSource): Method => ({
  name: 'imitation',
  stages: [
    collectStage,
    rewardStage,
    expertStage({ source }),
    sftStage({ name: 'imitation', learns: ['expert actions'], arm: 'after imitation' }),
    ...measures,
  ],
})

/** Implicit world modelling: imitation, and the next states of the expert's actions and of the model's own alternatives. */
export const implicitWorldModelOf = (source: ExpertSource): Method => ({
  name: 'iwm',
  stages: [
    collectStage,
    rewardStage,
    expertStage({ source }),
    alternativesStage(),
    sftStage({ name: 'iwm', learns: ['expert actions', 'next states'], arm: 'after IWM' }),
    ...measures,
  ],
})

/** Self-reflection: imitation, and a strong model's reasons for the expert's actions over the model's own alternatives. */
export const selfReflectionOf = (source: ExpertSource, reflector: ChatModel): Method => ({
  name: 'self-reflection',
  stages: [
    collectStage,
    rewardStage,
    expertStage({ source }),
    alternativesStage(),
    reflectStage({ model: reflector }),
    sftStage({
      name: 'self-reflection',
      learns: ['expert actions', 'reflections'],
      arm: 'after self-reflection',
    }),
    ...measures,
  ],
})

/** With the environment's own planner as the expert. */
export const imitation: Method = imitationOf('planner')
export const implicitWorldModel: Method = implicitWorldModelOf('planner')

/** Control: the same as `rwml` with next states exchanged within kind and verb. */
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

/** Control: world-model RL whose advantages are handed out at random within each step. */
export const permutedAdvantages: Method = {
  name: 'permuted-advantages',
  stages: [
    ...triplets,
    worldModelStage({ teaches: 'permuted advantages' }),
    policyStage(AFTER_WORLD_MODEL),
    ...measures,
  ],
}

/** Control: policy RL alone, with its advantages handed out at random. */
export const permutedPolicy: Method = {
  name: 'permuted-policy',
  stages: [collectStage, rewardStage, policyStage({ teaches: 'permuted advantages' }), ...measures],
}

/** Control: RWML on what random actions led to, in place of the model's own play. */
export const randomData: Method = {
  name: 'random-data',
  stages: [
    collectByStage({ players: { random: (_, seed) => randomActions(seed) } }),
    rewardStage,
    filterStage,
    worldModelStage(),
    policyStage(AFTER_WORLD_MODEL),
    ...measures,
  ],
}

/** Every method that can be named; each is a few lines above. */
export const METHODS: readonly Method[] = [
  rwml,
  rwmlOnly,
  policyRl,
  worldModelSft,
  worldModelSftOnly,
  react,
  rft,
  imitation,
  implicitWorldModel,
  interleaved,
  mismatchedTargets,
  coinFlip,
  permutedAdvantages,
  permutedPolicy,
  randomData,
]

export async function runMethod(method: Method, context: StageContext): Promise<Artifacts> {
  const artifacts: Artifacts = {
    models: new Map([[BASE, context.baseModel]]),
    arms: [{ arm: BASE, path: context.baseModel }],
  }
  for (const stage of method.stages) await stage.check?.(context.config)
  for (const stage of method.stages) await runStage(stage, context, artifacts)
  return artifacts
}

/**
 * @throws UserError where two stages have one name, or two models: the second would take the first's checkpoints, or its results,
 * for its own.
 */
export function requireNames({ name, stages }: Method): void {
  const twice = stages.find((stage, at) => stages.findIndex((one) => one.name === stage.name) < at)
  if (twice) throw new UserError(`the method ${name} has two stages called "${twice.name}": give one another name`, 2)
  const arms = stages.flatMap(({ arm }) => arm ?? [])
  const same = arms.find((arm, at) => arms.indexOf(arm) < at)
  if (same !== undefined) {
    throw new UserError(
      `two models of the method ${name} have one name in its results (${same}): give one of the stages another arm`,
      2,
    )
  }
}
