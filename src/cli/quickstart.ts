import { availableParallelism } from 'node:os'
import { Command } from 'commander'
import { shellQuote } from '../core/index.ts'
import { PRESETS } from '../methods/index.ts'
import type { Config, Preset } from '../stages/index.ts'
import { numberBetween, wholeNumber } from './numbers.ts'
import { pathName } from './paths.ts'
import { runExperiment } from './run-experiment.ts'

interface Options {
  seed: number
  out: string
  minutes: number
  data?: string
  resume: boolean
  json: boolean
}

/** Minutes the full plan takes on two cores; `--minutes` scales the number of steps and tasks from here, once. */
const FULL_MINUTES = 6

/** What fits the time: steps and tasks in proportion, never so few that a stage is empty. Written down in config.json. */
export function plan(preset: Preset<Config>, minutes: number): Record<string, number> {
  const scaled = (full: number, least: number) => Math.max(least, Math.round((full * minutes) / FULL_MINUTES))
  return {
    'environment.tasks.train': scaled(preset.environment.tasks.train.value, 32),
    'collect.tasks': scaled(preset.collect.tasks.value, 32),
    'worldModel.maxSteps': scaled(preset.worldModel.maxSteps.value, 4),
    'policy.steps': scaled(preset.policy.steps.value, 4),
    'evaluate.tasks': Math.min(150, scaled(preset.evaluate.tasks.value || preset.environment.tasks.unseen.value, 16)),
  }
}

export function quickstartCommand(): Command {
  return new Command('quickstart')
    .description('The whole method on small households: a small model learns how they work, then to act in them.')
    .option('--seed <n>', 'seed of everything random', wholeNumber(), 0)
    .option('--out <dir>', 'run folder', pathName, 'runs/quickstart')
    .option('--minutes <m>', 'plan for about this long on two cores', numberBetween(1, 600), FULL_MINUTES)
    .option('--data <dir>', "play ALFWorld's own games instead of generated households", pathName)
    .option('--resume', 'go on with an interrupted run', false)
    .option('--json', 'print the result as one JSON object on the last line', false)
    .addHelpText(
      'after',
      `
Examples:
  rwml quickstart                                  about ${FULL_MINUTES} minutes on two cores
  rwml quickstart --minutes 3 --out runs/short     a shorter look
  rwml quickstart --data ~/.cache/alfworld         ALFWorld's own games
  rwml quickstart --resume                         go on after Ctrl-C`,
    )
    .action(quickstart)
}

async function quickstart(options: Options): Promise<void> {
  const preset = options.data === undefined ? 'mini' : 'mini-data'
  const overrides: Record<string, unknown> = { seed: options.seed }
  if (options.data !== undefined) overrides['environment.data'] = options.data
  if (options.minutes !== FULL_MINUTES) Object.assign(overrides, plan(PRESETS[preset], options.minutes))
  const command = [
    'rwml quickstart',
    ...(options.data === undefined ? [] : [`--data ${shellQuote(options.data)}`]),
    ...(options.seed === 0 ? [] : [`--seed ${options.seed}`]),
    ...(options.minutes === FULL_MINUTES ? [] : [`--minutes ${options.minutes}`]),
  ].join(' ')
  console.error(
    `rwml quickstart: a small model plays, learns to predict, then learns to act.\nPlan: about ${options.minutes} min on two cores (${availableParallelism()} here), run folder ${options.out}. Ctrl-C saves.\n`,
  )
  const { out, resume, json } = options
  await runExperiment({ experiment: { preset }, overrides, command, out, resume, json })
}
