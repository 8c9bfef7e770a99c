import { basename, join, resolve } from 'node:path'
import { Command } from 'commander'
import { shellQuote, UserError } from '../core/index.ts'
import { type Experiment, evaluationOf } from '../methods/index.ts'
import { experimentName, loadExperiment } from './experiment-file.ts'
import { pathName, pathNames, TRAINED_FOLDER, trainedFolder } from './paths.ts'
import { runExperiment } from './run-experiment.ts'
import { setOption, settingsGiven, settingWords } from './settings.ts'

interface Options {
  experiment?: string
  out: string
  set: string[]
  resume: boolean
  json: boolean
}

/** `rwml evaluate MODEL…`: success and world-model accuracy of models as they are; nothing is trained. */
export function evaluateCommand(): Command {
  return new Command('evaluate')
    .description('what models can do on held-out tasks, as they are: success, invalid actions, next states')
    .argument('<models...>', `${TRAINED_FOLDER}; the first is what the others are held against`, pathNames)
    .option('--experiment <file>', 'with its environment, agent and settings (default: small households)', pathName)
    .option('--out <dir>', 'run folder', pathName, 'runs/evaluation')
    .addOption(setOption('a setting'))
    .option('--resume', 'go on with an interrupted evaluation', false)
    .option('--json', 'print the result as one JSON object on the last line', false)
    .addHelpText(
      'after',
      `
The first plays the training tasks once, for the baselines of the world model and the reward's threshold; then all play the same
held-out tasks with the same seeds, on this machine.

Examples:
  rwml evaluate models/mini runs/quickstart
  rwml evaluate models/smollm2 runs/mine --experiment experiment.ts --out runs/mine-evaluated
  rwml evaluate models/mini --set evaluate.tasks=50 --set evaluate.runs=5`,
    )
    .action(evaluateAction)
}

async function evaluateAction(models: string[], { experiment: file, out, set, resume, json }: Options): Promise<void> {
  const given: Experiment = file === undefined ? {} : await loadExperiment(file)
  const [base, ...others] = models.map(trainedFolder)
  const experiment = { ...given, engine: undefined, method: evaluationOf(named(others, models.slice(1))) }
  const overrides = { 'collect.rollouts': 1, 'model.lora.rank': 0, ...settingsGiven(set), 'model.path': resolve(base) }
  const from = file === undefined ? '' : ` --experiment ${shellQuote(file)}`
  const command = `rwml evaluate ${models.map(shellQuote).join(' ')}${from}${settingWords(set)}`
  const where = file === undefined ? 'small households' : experimentName(file)
  console.error(`rwml evaluate: ${models.join(', ')} on ${where}, run folder ${out}. Ctrl-C saves.\n`)
  await runExperiment({ experiment, overrides, command, out, resume, json })
}

/** Folders by what they are called in tables: the last part of what was given, or all of it where two would be called alike. */
function named(folders: readonly string[], given: readonly string[]): Record<string, string> {
  const short = given.map((path) => basename(join(path)))
  const names = given.map((path, at) => (short.filter((one) => one === short[at]).length === 1 ? short[at] : path))
  if (new Set(names).size < names.length) throw new UserError('a model is named twice: name each once', 2)
  return Object.fromEntries(folders.map((folder, at) => [names[at], folder]))
}
