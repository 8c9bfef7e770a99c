import { armsOf, UNTRAINED, untrainedArm } from './arms.ts'
import type { Config } from './config.ts'
import { LESSONS, type Lesson, type LessonData } from './lessons.ts'
import { type Expected, planArms, type Rehearsal, stepsOf, times } from './plan.ts'
import { type Stage, startOf, type TrainingStage } from './stage.ts'
import { supervised } from './supervised.ts'

export interface SftOptions {
  /** What is learned, all of it mixed in one order. */
  learns: readonly Lesson[]
  /** Laid over the config's. */
  settings?: Partial<Config['sft']>
}

/**
 * Supervised fine-tuning on replies: RFT, imitation, implicit world modelling and self-reflection differ in what is learned alone
 * (method, section 6). Where there is nothing to learn from, such as no success of its own, what it started from is its result.
 */
export function sftStage(options: TrainingStage & SftOptions): Stage {
  const { name = 'sft', learns } = options
  const { arm = `after ${name}` } = options
  return {
    name,
    title: `Supervised fine-tuning on ${learns.join(' and ')}`,
    arm,
    options: { ...options },
    placed: (place) => sftStage({ ...options, ...place }),
    async run(context, artifacts) {
      const settings = { ...context.config.sft, ...options.settings }
      const lessons: LessonData[] = []
      for (const lesson of learns) lessons.push(await LESSONS[lesson](context, artifacts, name))
      const examples = lessons.flatMap((lesson) => lesson.examples)
      const notes = lessons.flatMap((lesson) => lesson.notes)
      const start = startOf(artifacts, name, options.from)
      if (examples.length === 0) {
        context.warn(`${name} is left out: there is nothing to learn from (${notes.join('; ')})`)
        untrainedArm(artifacts, name, arm, { start })
        return { notes: ['left out: there is nothing to learn from', UNTRAINED, ...notes] }
      }
      const checkpoint = await supervised(context, examples, {
        stage: name,
        title: name,
        start,
        settings,
        keep: options.curve,
        exampleOf: (one) => one,
      })
      armsOf(context, artifacts, checkpoint, arm, options.curve, {
        start,
        // Next states are labels without a thought before them.
        reasoning: learns.includes('next states') ? false : undefined,
      })
      return { notes: [`${checkpoint.step} steps on ${examples.length} examples`, ...notes] }
    },
    plan(config, rehearsal, expected) {
      planArms(expected, options.curve)
      const settings = { ...config.sft, ...options.settings }
      const parts = learns.map((lesson) => UNITS[lesson](config, rehearsal, expected))
      const all = parts.reduce((sum, { count }) => sum + count, 0)
      const steps = stepsOf(all, settings)
      // Where steps are limited, so much of each.
      const passes = Math.min(settings.epochs, (steps * settings.batch) / Math.max(1, all))
      const costs = parts.map(({ count, cost }) =>
        times({ ...cost, sampled: 0, sampleSeconds: 0 }, count * passes, { training: true }),
      )
      return {
        work: `${settings.batch} of at most ${all} examples a step`,
        episodes: 0,
        steps,
        sampled: 0,
        trained: costs.reduce((sum, { trained }) => sum + trained, 0),
        seconds: costs.reduce((sum, { seconds }) => sum + seconds, 0),
        shows: learns[0] === 'next states' ? 'label' : 'episode',
      }
    },
  }
}

type Unit = (config: Config, rehearsal: Rehearsal, expected: Expected) => { count: number; cost: Rehearsal['episode'] }

/** At most so many examples of each, and what one of them takes: as many as if each episode were one. */
const UNITS: Record<Lesson, Unit> = {
  'own successes': ({ collect }, { episode }, { tasks }) => ({
    count: Math.min(tasks, collect.tasks) * collect.rollouts,
    cost: episode,
  }),
  'expert actions': (_, { episode }, { expert = 0 }) => ({ count: expert, cost: episode }),
  'next states': (_, { label, turns }, { expert = 0, alternatives = 0 }) => ({
    count: Math.round(expert * turns) + alternatives,
    cost: label,
  }),
  reflections: (_, { prediction, turns }, { expert = 0 }) => ({ count: Math.round(expert * turns), cost: prediction }),
}
