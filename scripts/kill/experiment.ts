/**
 * What gets killed: the whole method on a plan of seconds, with checkpoints inside its stages. It says on standard output
 * which stage begins, so that whoever kills it knows where it is.
 */
import { writeSync } from 'node:fs'
import { defineConfig, type Method, rwml } from 'rwml'

const settings = {
  model: { threads: 2 },
  environment: { tasks: { train: 16, seen: 4, unseen: 4 } },
  collect: { tasks: 16, rollouts: 1, maxSteps: 8, wave: 4 },
  reward: { embedder: 'lexical' },
  filter: { draws: 2, batch: 4 },
  worldModel: { batch: 3, groupSize: 4, maxSteps: 22 },
  policy: { tasks: 2, groupSize: 3, maxSteps: 6, steps: 22 },
  evaluate: { maxSteps: 6, runs: 1, transitions: 8 },
} as const

/** Written at once, and not when somebody finds time for it. */
const say = (stage: string) => writeSync(1, `stage ${stage}\n`)

const method: Method = {
  ...rwml,
  stages: rwml.stages.map((stage, i) => ({
    ...stage,
    async run(...parameters) {
      say(stage.name)
      const outcome = await stage.run(...parameters)
      if (i === rwml.stages.length - 1) say('close')
      return outcome
    },
  })),
}

export const experiment = defineConfig({ method, settings })
