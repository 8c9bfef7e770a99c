import { join } from 'node:path'
import { Command } from 'commander'
import { shellQuote } from '../core/index.ts'
import { methodOf, settingsOf } from '../methods/index.ts'
import { dryRun } from './dry.ts'
import { experimentName, loadExperiment } from './experiment-file.ts'
import { pathName } from './paths.ts'
import { runExperiment } from './run-experiment.ts'
import { setOption, settingsGiven, settingWords } from './settings.ts'

interface Options {
  out?: string
  set: string[]
  resume: boolean
  dry: boolean
  json: boolean
}

export function runCommand(): Command {
  return new Command('run')
    .description('any experiment from a file: your own environment, model, method and settings')
    .argument('<experiment>', 'a .ts, .js or .mjs file with "export default defineConfig({ … })"', pathName)
    .option('--out <dir>', "run folder (default: the experiment's, or runs/<file name>)", pathName)
    .addOption(setOption('a setting'))
    .option('--resume', 'go on with an interrupted run', false)
    .option('--dry', 'train nothing: show the plan, and a prompt of each stage with what is trained on', false)
    .option('--json', 'print the result as one JSON object on the last line', false)
    .addHelpText(
      'after',
      `
Examples:
  rwml run experiment.ts --dry                     what it would do, for how long, with which prompts
  rwml run experiment.ts                           do it; the run folder is runs/experiment
  rwml run experiment.ts --set seed=1 --set policy.steps=30 --out runs/other
  rwml run experiment.ts --resume                  go on after Ctrl-C

What stands in an experiment file: docs/own-environment.md.`,
    )
    .action(run)
}

async function run(file: string, options: Options): Promise<void> {
  const experiment = await loadExperiment(file)
  const overrides = settingsGiven(options.set)
  if (options.dry) return dryRun(experiment, overrides, options.json)
  const out = options.out ?? experiment.out ?? join('runs', experimentName(file))
  const command = `rwml run ${shellQuote(file)}${settingWords(options.set)}`
  const { config } = settingsOf(experiment, overrides)
  console.error(
    `rwml run: ${methodOf(experiment).name} on ${config.environment.name} with ${config.model.path}, run folder ${out}. Ctrl-C saves.\n`,
  )
  await runExperiment({ experiment, overrides, command, out, resume: options.resume, json: options.json })
}
