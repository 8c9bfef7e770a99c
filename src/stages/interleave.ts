import { UserError } from '../core/index.ts'
import { armsOf } from './arms.ts'
import type { Config } from './config.ts'
import { groupLoop, usesReference } from './group-step.ts'
import { free, planArms } from './plan.ts'
import { policyPlan, policyWork } from './policy-rl.ts'
import { type Stage, startOf, type TrainingStage } from './stage.ts'
import { type WorldModelOptions, worldModelPlan, worldModelTraits, worldModelWork } from './world-model-rl.ts'

export interface InterleaveOptions {
  /** Policy steps' settings, laid over the config's; `settings` are those of the world-model steps. */
  policySettings?: Partial<Config['policy']>
}

/**
 * Both RL stages at once, their steps spread evenly over one another: as many of each as one after the other would take
 * [ours: the paper has only the sequence]. One optimiser serves both; each keeps its own learning rate.
 */
export function interleavedStage(options: TrainingStage & WorldModelOptions & InterleaveOptions = {}): Stage {
  const { name = 'interleaved', arm = 'world-model and policy RL, interleaved', curve = [] } = options
  return {
    name,
    title: `World-model and policy RL in turns${options.teaches === undefined ? '' : `, ${options.teaches}`}`,
    arm,
    options: { ...options, ...(options.target && { target: options.target.name }) },
    placed: (place) => interleavedStage({ ...options, ...place }),
    async run(context, artifacts) {
      if (artifacts.collected?.counts.rewarded === 0) {
        throw new UserError(
          `${context.environment.name} gives no task reward, which the stage ${name} learns from: take a method without it, such as rwml`,
        )
      }
      const worldModel = worldModelWork(context, artifacts, name, options)
      const settings = { ...context.config.policy, ...options.policySettings }
      const policy = policyWork(context, name, settings)
      const turns = interleave(worldModel.steps, settings.steps)
      // The curve counts policy steps, as that of policy RL alone does.
      const stageSteps = (policySteps: number) =>
        turns.findIndex(({ kind, step }) => kind === 'policy' && step === policySteps - 1) + 1
      const works = { policy, worldModel: worldModel.work }
      const start = startOf(artifacts, name, options.from)
      const loop = {
        stage: name,
        title: name,
        start,
        steps: turns.length,
        reference: usesReference(policy) || usesReference(worldModel.work),
        keep: curve.map(stageSteps),
      }
      const checkpoint = await groupLoop(context, loop, (at) => {
        const { kind, step } = turns[at]
        return { work: works[kind], step, metrics: { policyStep: kind === 'policy' ? 1 : 0 } }
      })
      armsOf(context, artifacts, checkpoint, arm, curve, { ...worldModelTraits(context, options), start, stageSteps })
      return { notes: [`${worldModel.steps} world-model and ${settings.steps} policy steps`] }
    },
    plan(config, rehearsal, expected) {
      if (!rehearsal.rewarded) return free('cannot run: no task reward')
      planArms(expected, curve)
      const own: Config = {
        ...config,
        worldModel: { ...config.worldModel, ...options.settings },
        policy: { ...config.policy, ...options.policySettings },
      }
      const parts = [worldModelPlan(own, rehearsal, expected), policyPlan(own, rehearsal, expected)]
      const sum = (key: 'episodes' | 'steps' | 'sampled' | 'trained' | 'seconds') =>
        parts.reduce((total, part) => total + part[key], 0)
      return {
        work: parts.map((part) => part.work).join(', or '),
        episodes: sum('episodes'),
        steps: sum('steps'),
        sampled: sum('sampled'),
        trained: sum('trained'),
        seconds: sum('seconds'),
        shows: 'episode',
      }
    },
  }
}

export interface Turn {
  kind: 'policy' | 'worldModel'
  /** Which step of its kind, from 0. */
  step: number
}

/** The steps of both, evenly spread; the last is a policy step. */
export function interleave(worldModel: number, policy: number): Turn[] {
  const total = worldModel + policy
  let done = 0
  return Array.from({ length: total }, (_, at): Turn => {
    if (Math.floor(((at + 1) * policy) / total) === done) return { kind: 'worldModel', step: at - done }
    return { kind: 'policy', step: done++ }
  })
}
