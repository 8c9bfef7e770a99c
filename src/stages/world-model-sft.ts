import { type Transition, UserError } from '../core/index.ts'
import { labelSequence } from '../evaluation/index.ts'
import type { Checkpoint } from '../store/index.ts'
import { armsOf } from './arms.ts'
import type { Config } from './config.ts'
import type { StageContext } from './context.ts'
import { planArms, stepsOf, times } from './plan.ts'
import { need, type Stage, startOf, type TrainingStage } from './stage.ts'
import { type Supervision, supervised } from './supervised.ts'
import { type Target, targeted } from './targets.ts'
import { reasoningTraces, type TraceOptions } from './traces.ts'

export interface WorldModelSftOptions {
  /** Labels with reasoning, and who reasons. Absent: labels without. */
  traces?: TraceOptions
  /** What is learned to tell in place of the next state. */
  target?: Target
  /** Laid over the config's. */
  settings?: Partial<Config['worldModelSft']>
}

/**
 * WM SFT (method, section 6): the same transitions as world-model RL, learned as labels, without reasoning or with. The rival
 * that shows whether it is the reinforcement that matters.
 */
export function worldModelSftStage(options: TrainingStage & WorldModelSftOptions = {}): Stage {
  const { name = 'world-model-sft', arm = 'after WM SFT', target, traces } = options
  return {
    name,
    title: traces ? 'World-model SFT with reasoning' : 'World-model SFT',
    arm,
    options: {
      ...options,
      ...(target && { target: target.name }),
      ...(traces && { traces: { ...traces, from: typeof traces.from === 'string' ? traces.from : traces.from.name } }),
    },
    placed: (place) => worldModelSftStage({ ...options, ...place }),
    async run(context, artifacts) {
      const kept = need(artifacts.kept, name, 'collect')
      const transitions = target ? targeted(context, target, kept) : kept
      const notes: string[] = []
      let thinking: ReadonlyMap<string, string> | undefined
      if (traces) {
        const reward = target?.reward ?? need(artifacts.reward, name, 'reward')
        thinking = await reasoningTraces(context, artifacts, { stage: name, transitions, reward, traces })
        notes.push(`${thinking.size} of ${transitions.length} transitions have a reasoning that earned the reward`)
      }
      const start = startOf(artifacts, name, options.from)
      const checkpoint = await fineTune(
        context,
        transitions.filter(({ id }) => thinking?.has(id) ?? true),
        {
          stage: name,
          title: 'world-model SFT',
          start,
          settings: { ...context.config.worldModelSft, ...options.settings },
          thinking,
          keep: options.curve,
        },
      )
      armsOf(context, artifacts, checkpoint, arm, options.curve, { start, reasoning: traces !== undefined })
      return { notes: [`${checkpoint.step} steps`, ...notes] }
    },
    plan(config, { label, prediction }, expected) {
      planArms(expected, options.curve)
      const settings = { ...config.worldModelSft, ...options.settings }
      const steps = stepsOf(expected.train, settings)
      const examples = Math.min(steps * settings.batch, expected.train * settings.epochs)
      // A label with reasoning is about as long as a prediction.
      const unit = traces ? prediction : label
      const reference = settings.kl.coefficient > 0
      const training = times({ ...unit, sampled: 0, sampleSeconds: 0 }, examples, { training: true, reference })
      const drawn = traces ? times(prediction, expected.train * (traces.draws ?? 4)) : null
      return {
        work: `${settings.batch} labels a step`,
        episodes: 0,
        steps,
        sampled: drawn?.sampled ?? 0,
        trained: training.trained,
        seconds: training.seconds + (typeof traces?.from === 'string' ? (drawn?.seconds ?? 0) : 0),
        shows: traces ? 'prediction' : 'label',
      }
    },
  }
}

export interface FineTuning extends Omit<Supervision<Transition>, 'exampleOf'> {
  /** What stands before the next state in a label, by the transition's id. */
  thinking?: ReadonlyMap<string, string>
}

/** Supervised training on next states. */
export function fineTune(
  context: StageContext,
  transitions: Transition[],
  { thinking, ...how }: FineTuning,
): Promise<Checkpoint> {
  const { agent, format, trainer } = context
  if (transitions.length === 0) throw new UserError(`no transition is left for ${how.title}: collect more`)
  return supervised(context, transitions, {
    ...how,
    exampleOf: (one) => labelSequence(agent, format, one, trainer.sampler().contextLength, thinking?.get(one.id)),
  })
}
