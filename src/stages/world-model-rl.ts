import { hash32, Random, type Transition, UserError } from '../core/index.ts'
import type { Sampler } from '../engines/index.ts'
import { answerSequence, predictAndScore } from '../evaluation/index.ts'
import type { GroupMember } from '../learning/index.ts'
import type { WorldModelReward } from '../rewards/index.ts'
import { type ArmTraits, armsOf } from './arms.ts'
import type { Config } from './config.ts'
import type { StageContext } from './context.ts'
import { coinFlips, mismatchTargets, PERMUTED } from './controls.ts'
import { type GroupStep, groupLoop, type Rollout, usesReference } from './group-step.ts'
import { type Planner, planArms, stepsOf, times } from './plan.ts'
import { type Artifacts, need, type Stage, startOf, type TrainingStage } from './stage.ts'
import { type Target, targeted } from './targets.ts'

export interface WorldModelOptions {
  /** All but `true` are controls: see `controls.ts`. Default `true`. */
  teaches?: 'true' | 'mismatched targets' | 'coin flip' | typeof PERMUTED
  /** What is learned to tell in place of the next state. */
  target?: Target
  /** Learn from all training transitions, whatever the filter says. */
  unfiltered?: boolean
  /** Laid over the config's. */
  settings?: Partial<Config['worldModel']>
}

/** Stage 3: learn by RL to predict what one's own actions lead to (method, section 4). */
export function worldModelStage(options: TrainingStage & WorldModelOptions = {}): Stage {
  const { name = 'world-model-rl', arm = 'after world-model RL' } = options
  return {
    name,
    title: options.teaches === undefined ? 'World-model RL' : `World-model RL, ${options.teaches}`,
    arm,
    options: { ...options, ...(options.target && { target: options.target.name }) },
    placed: (place) => worldModelStage({ ...options, ...place }),
    async run(context, artifacts) {
      const { work, steps, notes } = worldModelWork(context, artifacts, name, options)
      const start = startOf(artifacts, name, options.from)
      const loop = {
        stage: name,
        title: options.name ?? 'world-model RL',
        start,
        steps,
        reference: usesReference(work),
        keep: options.curve,
      }
      const checkpoint = await groupLoop(context, loop, (step) => ({ work, step }))
      armsOf(context, artifacts, checkpoint, arm, options.curve, { ...worldModelTraits(context, options), start })
      return { notes: [`${checkpoint.step} steps`, ...notes] }
    },
    plan(config, rehearsal, expected) {
      planArms(expected, options.curve)
      return worldModelPlan(
        { ...config, worldModel: { ...config.worldModel, ...options.settings } },
        rehearsal,
        expected,
      )
    },
  }
}

/** What its checkpoints are, to those who evaluate them. */
export function worldModelTraits({ config }: StageContext, { teaches, settings }: WorldModelOptions): ArmTraits {
  const { reasoning } = { ...config.worldModel, ...settings }
  return { reasoning, ...(teaches !== undefined && teaches !== 'true' && { control: teaches }) }
}

/** At most: as if the filter kept everything. */
export const worldModelPlan: Planner = ({ worldModel }, { prediction }, { train }) => {
  const { batch, groupSize, kl } = worldModel
  const steps = stepsOf(train, worldModel)
  const options = { training: true, reference: kl.coefficient > 0 }
  return {
    ...times(prediction, steps * batch * groupSize, options),
    work: `${batch} prompts × ${groupSize} answers a step`,
    episodes: 0,
    steps,
    shows: 'prediction',
  }
}

/** What the steps of world-model RL do, and how many there are. */
export function worldModelWork(
  context: StageContext,
  artifacts: Artifacts,
  stage: string,
  { teaches = 'true', target, unfiltered = false, settings: overrides }: WorldModelOptions,
): { work: GroupStep; steps: number; notes: string[] } {
  const { config, environment } = context
  const settings = { ...config.worldModel, ...overrides }
  const { batch, maxTokens } = settings
  const kept = need(unfiltered ? artifacts.collected?.train : artifacts.kept, stage, 'collect')
  const reward = target?.reward ?? need(artifacts.reward, stage, 'reward')
  if (kept.length === 0) {
    throw new UserError('no transition is left to train the world model on: collect more, or keep more in the filter')
  }
  const notes: string[] = []
  let transitions = target ? targeted(context, target, kept) : kept
  if (target) notes.push(`${target.name}: asked of ${transitions.length} of ${kept.length} transitions`)
  if (teaches === 'mismatched targets') {
    const kindOf = (one: Transition) => (target ? '' : (environment.transitionKind?.(one) ?? ''))
    const mismatched = mismatchTargets(transitions, kindOf, config.seed)
    notes.push(`${mismatched.unchanged} of ${transitions.length} targets could not be exchanged for another text`)
    transitions = mismatched.transitions
  }
  const [example] = transitions
  const asks = [true, false].map((reasoning) => JSON.stringify(context.agent.predictMessages(example, { reasoning })))
  if (!settings.reasoning && asks[0] === asks[1]) {
    context.warn(
      `worldModel.reasoning is off, and the agent ${context.agent.name} asks in the same words as with it: nothing changes; take one that tells the model not to think (agent.style window)`,
    )
  }
  const perEpoch = Math.ceil(transitions.length / batch)
  return {
    notes,
    steps: stepsOf(transitions.length, settings),
    work: {
      settings,
      longest: maxTokens,
      permuted: teaches === PERMUTED,
      rollout: (step, sampler) => {
        const order = new Random('order', config.seed, Math.floor(step / perEpoch)).shuffle(transitions)
        const at = (step % perEpoch) * batch
        return predictGroups(
          context,
          sampler,
          order.slice(at, at + batch),
          reward,
          step,
          settings,
          teaches === 'coin flip',
        )
      },
    },
  }
}

async function predictGroups(
  { agent, format, config }: StageContext,
  sampler: Sampler,
  transitions: Transition[],
  reward: WorldModelReward,
  step: number,
  { groupSize, temperature, maxTokens, reasoning }: Config['worldModel'],
  coin: boolean,
): Promise<Rollout> {
  await sampler.reset()
  const scored = await predictAndScore(
    transitions,
    {
      agent,
      format,
      sampler,
      n: groupSize,
      temperature,
      maxTokens,
      seed: hash32(config.seed, 'world-model-rl', step),
      reasoning,
    },
    reward,
  )
  const groups = coin ? coinFlips(scored, hash32(config.seed, step)) : scored
  const members = groups.map((group) =>
    group.map((answer): GroupMember => ({ reward: answer.reward, sequences: [answerSequence(answer)] })),
  )
  const answers = groups.flat()
  const share = (sum: number) => sum / Math.max(1, answers.length)
  return {
    groups: members,
    metrics: {
      parseRate: share(answers.filter(({ nextState }) => nextState !== null).length),
      cutShare: share(answers.filter(({ tokens }) => tokens.length >= maxTokens).length),
      answerTokens: share(answers.reduce((sum, { tokens }) => sum + tokens.length, 0)),
      shortened: groups.filter(([{ omitted }]) => omitted > 0).length,
      ...(answers.some(({ unread }) => unread) && { unread: answers.filter(({ unread }) => unread).length }),
    },
  }
}
