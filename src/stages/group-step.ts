import { hash32 } from '../core/index.ts'
import type { Sampler } from '../engines/index.ts'
import { type GroupMember, learningRateAt, policyUpdate } from '../learning/index.ts'
import type { Checkpoint } from '../store/index.ts'
import type { Config } from './config.ts'
import type { StageContext } from './context.ts'
import { RolloutsAhead } from './rollouts-ahead.ts'
import { savesAfter, type TrainLoop, trainLoop } from './train-loop.ts'

/** What the groups of one step came from: groups of samples with rewards, and figures to log beside the update's. */
export interface Rollout {
  groups: GroupMember[][]
  metrics: Record<string, number>
}

export interface GroupStep {
  settings: Config['worldModel'] | Config['policy']
  /** Tokens that one sample can have at most: the fixed denominator. */
  longest: number
  /** Control: advantages are handed out at random among the samples of a step. */
  permuted?: boolean
  /** Samples and scores the groups of a step; a pure function of step and the sampler's weights. */
  rollout(step: number, sampler: Sampler): Promise<Rollout>
}

/** Whose step comes at a place of a stage, and which of its steps that is. */
export interface GroupTurn {
  work: GroupStep
  step: number
  /** Logged beside the step's own. */
  metrics?: Record<string, number>
}

/** The loop of an RL stage; `turn` says what is done at its steps, counted from 0. */
export async function groupLoop(
  context: StageContext,
  loop: Omit<TrainLoop, 'step' | 'note'>,
  turn: (at: number) => GroupTurn,
): Promise<Checkpoint> {
  const { maxLag } = context.config.model
  const ahead = new RolloutsAhead({
    trainer: context.trainer,
    maxLag,
    steps: loop.steps,
    saved: (done) => savesAfter(done, loop),
    rollout: (at, sampler) => turn(at).work.rollout(turn(at).step, sampler),
  })
  try {
    return await trainLoop(context, {
      ...loop,
      async step(at, reference) {
        const { work, step, metrics } = turn(at)
        const [began, before] = [performance.now(), context.tokens.sampled]
        const own = await groupStep(context, work, step, await ahead.of(at), usesReference(work) ? reference : null)
        const sampledPerSecond = Math.round((context.tokens.sampled - before) / ((performance.now() - began) / 1000))
        return { ...own, ...metrics, ...(maxLag > 0 && { sampledPerSecond }) }
      },
      note: ({ reward }) => `reward ${reward.toFixed(3)}`,
    })
  } finally {
    await ahead.settled()
  }
}

/** One GRPO step of either RL stage: update on the groups that were sampled, and what to log of it. */
async function groupStep(
  context: StageContext,
  { settings, longest, permuted }: GroupStep,
  step: number,
  { groups, metrics }: Rollout,
  reference: Sampler | null,
): Promise<Record<string, number>> {
  const learningRate = learningRateAt(
    { kind: 'constant', peak: settings.learningRate, warmupSteps: settings.warmupSteps },
    step,
  )
  const update = await policyUpdate(context.trainer, reference, groups, {
    ...settings,
    aggregation:
      settings.aggregation === 'fixedDenominator'
        ? { kind: settings.aggregation, tokens: longest }
        : { kind: settings.aggregation },
    adam: { ...context.config.optimiser, learningRate },
    permute: permuted ? hash32(context.config.seed, 'permuted', step) : undefined,
  })
  return {
    reward: update.reward,
    groupVariance: update.groupVariance,
    allPass: update.groups.allPass,
    allFail: update.groups.allFail,
    loss: update.loss,
    gradientNorm: update.gradientNorm,
    trainedTokens: update.trainedTokens,
    ...update.metrics,
    ...metrics,
  }
}

export const usesReference = ({ settings }: GroupStep): boolean => settings.kl.coefficient > 0
