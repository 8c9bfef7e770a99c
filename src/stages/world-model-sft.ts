import { Random, type Transition, UserError } from '../core/index.ts'
import { labelSequence } from '../evaluation/index.ts'
import { learningRateAt, sftUpdate } from '../learning/index.ts'
import type { Checkpoint } from '../store/index.ts'
import { armsOf } from './arms.ts'
import type { StageContext } from './context.ts'
import { planArms, stepsOf, times } from './plan.ts'
import { need, type Stage, startOf, type TrainingStage } from './stage.ts'
import { trainLoop } from './train-loop.ts'

/**
 * WM SFT (method, section 6): the same transitions as world-model RL, learned as labels without reasoning. The rival that
 * shows whether it is the reinforcement that matters.
 */
export function worldModelSftStage(options: TrainingStage = {}): Stage {
  const { name = 'world-model-sft', arm = 'after WM SFT' } = options
  return {
    name,
    title: 'World-model SFT',
    options: { ...options },
    placed: (place) => worldModelSftStage({ ...options, ...place }),
    async run(context, artifacts) {
      const checkpoint = await fineTune(context, need(artifacts.kept, name, 'collect'), {
        stage: name,
        title: 'world-model SFT',
        start: startOf(artifacts, name, options.from),
        settings: context.config.worldModelSft,
        keep: options.curve,
      })
      armsOf(context, artifacts, checkpoint, arm, options.curve)
      return { notes: [`${checkpoint.step} steps`] }
    },
    plan({ worldModelSft }, { label }, expected) {
      planArms(expected, options.curve)
      const steps = stepsOf(expected.train, worldModelSft)
      const examples = Math.min(steps * worldModelSft.batch, expected.train * worldModelSft.epochs)
      const cost = times({ ...label, sampled: 0, sampleSeconds: 0 }, examples, { training: true })
      return { ...cost, work: `${worldModelSft.batch} labels a step`, episodes: 0, steps, shows: 'label' }
    },
  }
}

export interface FineTuning {
  stage: string
  title: string
  start: string
  settings: { learningRate: number; batch: number; epochs: number; maxSteps?: number; warmupSteps?: number }
  keep?: readonly number[]
}

/** Supervised training on next states, given directly. */
export function fineTune(
  context: StageContext,
  transitions: Transition[],
  { stage, title, start, settings, keep }: FineTuning,
): Promise<Checkpoint> {
  const { agent, format, trainer, config } = context
  const { batch, epochs, maxSteps = 0, warmupSteps = 0 } = settings
  if (transitions.length === 0) throw new UserError(`no transition is left for ${title}: collect more`)
  const perEpoch = Math.ceil(transitions.length / batch)
  return trainLoop(context, {
    stage,
    title,
    start,
    steps: maxSteps > 0 ? Math.min(maxSteps, perEpoch * epochs) : perEpoch * epochs,
    reference: false,
    keep,
    async step(step) {
      const order = new Random(stage, config.seed, Math.floor(step / perEpoch)).shuffle(transitions)
      const at = (step % perEpoch) * batch
      const { contextLength } = trainer.sampler()
      const examples = order.slice(at, at + batch).map((one) => labelSequence(agent, format, one, contextLength))
      const shortened = examples.filter(({ omitted }) => omitted > 0).length
      const learningRate = learningRateAt({ kind: 'constant', peak: settings.learningRate, warmupSteps }, step)
      const { loss, gradientNorm, trainedTokens } = await sftUpdate(trainer, examples, {
        ...config.optimiser,
        learningRate,
      })
      return { loss, gradientNorm, trainedTokens, shortened }
    },
    note: ({ loss }) => `loss ${loss.toFixed(3)}`,
  })
}
