import type { Sampler } from '../engines/index.ts'
import { type GroupMember, learningRateAt, type PolicyUpdate, policyUpdate } from '../learning/index.ts'
import type { Checkpoint } from '../store/index.ts'
import { latestCheckpoint, saveCheckpoint } from './checkpoints.ts'
import type { Config } from './config.ts'
import type { StageContext } from './context.ts'

/** What the groups of one step came from: groups of samples with rewards, and figures to log beside the update's. */
export interface Rollout {
  groups: GroupMember[][]
  metrics: Record<string, number>
}

export interface ReinforceOptions {
  /** Names the stage in metrics and checkpoints. */
  stage: string
  title: string
  /** Model folder the stage starts from; also the frozen reference of its KL term. */
  start: string
  steps: number
  settings: Config['worldModel'] | Config['policy']
  /** Tokens that one sample can have at most: the fixed denominator. */
  longest: number
  /** Samples and scores the groups of a step; a pure function of step and weights. */
  rollout(step: number): Promise<Rollout>
}

/** Steps between checkpoints; an interrupted stage saves at once and loses none. */
const SAVE_EVERY = 20

/**
 * The loop of both RL stages: sample groups with the live policy, one GRPO step, log, save. Goes on from the stage's last
 * checkpoint; a finished stage returns at once.
 */
export async function reinforce(context: StageContext, options: ReinforceOptions): Promise<Checkpoint> {
  const { trainer, progress, signal, run } = context
  const { stage, steps, settings } = options
  const last = latestCheckpoint(run, stage)
  if (last && last.step >= steps) return last
  await trainer.loadWeights(options.start)
  const reference: Sampler | null = settings.kl.coefficient > 0 ? await trainer.freeze() : null
  if (last) await trainer.load(last.path)
  context.rewind(stage, last?.step ?? 0)
  const began = Date.now()
  progress.start(options.title, steps)
  let step = last?.step ?? 0
  let saved = last?.step ?? -1
  let checkpoint = last
  try {
    for (; step < steps; step++) {
      signal.throwIfAborted()
      const rollout = await options.rollout(step)
      const update = await policyUpdate(trainer, reference, rollout.groups, {
        ...settings,
        aggregation:
          settings.aggregation === 'fixedDenominator'
            ? { kind: settings.aggregation, tokens: options.longest }
            : { kind: settings.aggregation },
        adam: { ...context.config.optimiser, learningRate: rateAt(settings, step) },
      })
      context.log({ stage, step, time: Date.now() - began, ...metricsOf(update), ...rollout.metrics })
      progress.update(step + 1, `reward ${update.reward.toFixed(3)}`)
      if ((step + 1) % SAVE_EVERY === 0 || step + 1 === steps) {
        checkpoint = await saveCheckpoint(trainer, run, stage, step + 1)
        saved = step + 1
      }
    }
  } catch (error) {
    if (signal.aborted && step > saved && step > 0) await saveCheckpoint(trainer, run, stage, step)
    throw error
  } finally {
    await reference?.close()
  }
  progress.finish()
  return checkpoint ?? saveCheckpoint(trainer, run, stage, step)
}

function rateAt(settings: ReinforceOptions['settings'], step: number): number {
  return learningRateAt({ kind: 'constant', peak: settings.learningRate, warmupSteps: settings.warmupSteps }, step)
}

function metricsOf(update: PolicyUpdate): Record<string, number> {
  return {
    reward: update.reward,
    groupVariance: update.groupVariance,
    allPass: update.groups.allPass,
    allFail: update.groups.allFail,
    loss: update.loss,
    gradientNorm: update.gradientNorm,
    trainedTokens: update.trainedTokens,
    ...update.metrics,
  }
}
