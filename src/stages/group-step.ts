import { hash32 } from '../core/index.ts'
import type { Sampler } from '../engines/index.ts'
import { type GroupMember, learningRateAt, policyUpdate } from '../learning/index.ts'
import type { Config } from './config.ts'
import type { StageContext } from './context.ts'

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
  /** Samples and scores the groups of a step; a pure function of step and weights. */
  rollout(step: number): Promise<Rollout>
}

/** One GRPO step of either RL stage: sample groups with the live policy, update, and what to log of it. */
export async function groupStep(
  context: StageContext,
  { settings, longest, permuted, rollout }: GroupStep,
  step: number,
  reference: Sampler | null,
): Promise<Record<string, number>> {
  const { groups, metrics } = await rollout(step)
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

export const rewardNote = ({ reward }: Record<string, number>): string => `reward ${reward.toFixed(3)}`
