import { join } from 'node:path'
import { Command, Option } from 'commander'
import { tau2SystemPrompt } from '../agents/index.ts'
import { hash32, UserError } from '../core/index.ts'
import {
  assertSame,
  assertSameVectors,
  checkTraces,
  checkVectors,
  DATA_FOLDER,
  GAME_FILE,
  generateHouse,
  HELD_OUT,
  type HouseSize,
  type HouseSplit,
  houseFile,
  houseFolder,
  houseTrajData,
} from '../environments/index.ts'
import { checkEnvironment, type EnvironmentCheck } from '../rollouts/index.ts'
import { writeFileAtomic } from '../store/index.ts'
import { listCommand } from './env-list.ts'
import { loadExperiment } from './experiment-file.ts'
import { wholeNumber } from './numbers.ts'
import { pathName, pathNames } from './paths.ts'
import { textTable } from './table.ts'

/** More would fill a disk before anyone looked at them. */
const MOST_HOUSEHOLDS = 100_000

/** Upstream's folder of each split. */
const SPLIT_FOLDERS: Record<Exclude<HouseSplit, 'base'>, string> = {
  train: 'train',
  seen: 'valid_seen',
  unseen: 'valid_unseen',
}

export interface GenerateCommandOptions {
  count: number
  out: string
  seed: number
  size: HouseSize
}

/**
 * Write generated households in upstream's folders: of every ten, eight train, one seen and one unseen.
 * @returns the data folder and how many went into each split.
 */
export function generateFolder({ count, out, seed, size }: GenerateCommandOptions): {
  folder: string
  counts: Record<string, number>
} {
  const folder = join(out, DATA_FOLDER)
  const counts: Record<string, number> = {}
  for (let index = 0; index < count; index++) {
    const split = index % 10 === 1 ? 'seen' : index % 10 === 2 ? 'unseen' : 'train'
    const house = generateHouse({ seed: hash32('env generate', seed, index), size, split })
    const trial = join(folder, SPLIT_FOLDERS[split], houseFolder(house))
    // In this order: a trial without its traj_data.json is none, so an interrupted one is never taken for a household.
    writeFileAtomic(join(trial, GAME_FILE), `${JSON.stringify(houseFile(house))}\n`)
    writeFileAtomic(join(trial, 'traj_data.json'), `${JSON.stringify(houseTrajData(house))}\n`)
    counts[split] = (counts[split] ?? 0) + 1
  }
  return { folder, counts }
}

function generateAlfworld(): Command {
  return new Command('alfworld')
    .description("write new households in ALFWorld's folder layout, playable like the real ones")
    .requiredOption(
      '--count <n>',
      'how many: of every ten, eight train, one seen and one unseen',
      wholeNumber(1, MOST_HOUSEHOLDS),
    )
    .requiredOption('--out <dir>', 'folder to write to', pathName)
    .option('--seed <n>', 'other seeds give other households', wholeNumber(), 0)
    .addOption(
      new Option('--size <size>', 'receptacles and objects in a room').choices(['small', 'full']).default('full'),
    )
    .option('--json', 'one JSON object as the last line')
    .addHelpText('after', '\nExample:\n  rwml env generate alfworld --count 100 --out houses --seed 1 --size small')
    .action((options: GenerateCommandOptions & { json?: boolean }) => {
      const { folder, counts } = generateFolder(options)
      if (options.json) console.log(JSON.stringify({ folder, counts }))
      else {
        const parts = Object.entries(counts).map(([split, count]) => `${count} ${split}`)
        console.log(`${options.count} households in ${folder} (${parts.join(', ')})`)
        console.log(`Play one: rwml play alfworld --data ${options.out}`)
      }
    })
}

/** What `checkEnvironment` found, in words. */
function checkText(name: string, { splits, episodes, steps, valid, rewarded, notes }: EnvironmentCheck): string {
  const use = (split: string) =>
    split === 'train' ? 'training' : HELD_OUT.some((one) => one === split) ? 'evaluation' : 'not used'
  const table = textTable({
    columns: [{ header: 'split' }, { header: 'tasks', align: 'right' }, { header: 'for' }],
    rows: Object.entries(splits).map(([split, tasks]) => [split, String(tasks), use(split)]),
  })
  const reward = rewarded ? 'There is a task reward.' : 'No task reward was seen: policy RL would be left out.'
  return [
    `${name} keeps its word in ${episodes} episodes, each played twice: ${steps} steps, ${valid} of them valid. ${reward}`,
    `\n${table}`,
    ...notes.map((note, index) => `${index === 0 ? '\n' : ''}Note: ${note}.`),
  ].join('\n')
}

/** An environment of one's own, and beneath it those that recordings exist of. */
function checkCommand(): Command {
  return new Command('check')
    .description('hold an environment of your own to what training counts on; alfworld, tau2: compare with recordings')
    .argument('[file]', 'experiment file whose `environment` is checked', pathName)
    .option('--commands <list...>', 'commands to try, where episodes do not list their actions()')
    .option('--json', 'one JSON object as the last line')
    .addHelpText(
      'after',
      `
Plays a few episodes of each split twice, with random actions and some nonsense; stops at the first thing that is wrong.

Examples:
  rwml env check experiment.ts --commands look "open door 1"
  rwml env check alfworld --data ~/.cache/alfworld --traces recorded.jsonl
  rwml env check tau2 --data tau2-bench --vectors retail.json`,
    )
    .addCommand(checkAlfworld())
    .addCommand(checkTau2())
    .action(async (file: string | undefined, { commands, json }: { commands?: string[]; json?: boolean }) => {
      if (file === undefined) {
        throw new UserError('name an experiment file, or alfworld or tau2: rwml env check experiment.ts', 2)
      }
      const { environment } = await loadExperiment(file)
      if (!environment) {
        throw new UserError(`${file} has no environment of its own: there is nothing to check`, 2)
      }
      if (environment.recorded) {
        throw new UserError(
          `${environment.name} was recorded and cannot be played: rwml diagnose looks at recordings`,
          2,
        )
      }
      const found = await checkEnvironment(environment, commands && { commands: () => commands })
      console.log(
        json ? JSON.stringify({ environment: environment.name, ...found }) : checkText(environment.name, found),
      )
    })
}

function checkAlfworld(): Command {
  return new Command('alfworld')
    .description("replay recorded episodes against the games; every text must be the recorder's")
    .requiredOption('--data <dir>', 'folder of ALFWorld data of the release that the traces were made with', pathName)
    .requiredOption('--traces <files...>', 'recorded episodes, one JSON object a line', pathNames)
    .option('--json', 'one JSON object as the last line')
    .addHelpText('after', '\nExample:\n  rwml env check alfworld --data ~/.cache/alfworld --traces recorded.jsonl')
    .action(({ data, traces }: { data: string; traces: string[] }, command: Command) => {
      // `check` above has the same option, and takes it first.
      const { json } = command.optsWithGlobals<{ json?: boolean }>()
      const check = checkTraces(data, traces, (message) => process.stderr.write(`${message}\n`))
      if (json) console.log(JSON.stringify(check))
      else {
        const { episodes, steps, skipped, differences, stepsPerSecond, first } = check
        console.log(`${episodes} episodes, ${steps} steps, ${differences} differences, ${stepsPerSecond} steps/s`)
        if (skipped > 0) console.log(`${skipped} traces skipped: of another release than the data`)
        if (first) console.log(`first difference: ${JSON.stringify(first, null, 2)}`)
      }
      assertSame(check)
    })
}

function checkTau2(): Command {
  return new Command('tau2')
    .description("compare tools, databases, evaluators, schemas and prompts with recordings of upstream's")
    .option('--data <dir>', "upstream's data folder, or one above it (default: $TAU2_DATA_DIR)", pathName)
    .requiredOption('--vectors <files...>', 'recordings, one JSON file each', pathNames)
    .option('--json', 'one JSON object as the last line')
    .addHelpText('after', '\nExample:\n  rwml env check tau2 --data tau2-bench --vectors retail.json fuzz_retail.json')
    .action(({ data, vectors }: { data?: string; vectors: string[] }, command: Command) => {
      const { json } = command.optsWithGlobals<{ json?: boolean }>()
      const check = checkVectors(data, vectors, tau2SystemPrompt)
      const { texts, otherVersions, ...counts } = check
      if (json) console.log(JSON.stringify(counts))
      else {
        const { tasks, sequences, transcripts, calls, skipped, differences, callsPerSecond, first } = counts
        console.log(
          `${tasks} tasks, ${sequences} sequences, ${transcripts} transcripts, ${calls} calls, ${texts} texts`,
        )
        console.log(`${differences} differences, ${callsPerSecond} calls/s`)
        if (skipped > 0) console.log(`${skipped} skipped: of tasks that the data holds otherwise or not at all`)
        if (otherVersions > 0) console.log(`${otherVersions} evaluations of other task versions not compared`)
        if (first) console.log(`first difference: ${JSON.stringify(first, null, 2)}`)
      }
      assertSameVectors(check)
    })
}

/** `rwml env list | generate | check`. */
export function envCommand(): Command {
  const command = new Command('env')
    .description('environments: list them, make households, check your own or against recordings')
    .addHelpText(
      'after',
      `
Examples:
  rwml env list
  rwml env generate alfworld --count 100 --out houses
  rwml env check experiment.ts
  rwml env check alfworld --data ~/.cache/alfworld --traces recorded.jsonl

An environment of your own: docs/own-environment.md.`,
    )
  command.addCommand(listCommand())
  command.addCommand(new Command('generate').description('make new tasks').addCommand(generateAlfworld()))
  command.addCommand(checkCommand())
  return command
}
