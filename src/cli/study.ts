import { join } from 'node:path'
import { Command } from 'commander'
import { shellQuote, UserError } from '../core/index.ts'
import { planMethod } from '../methods/index.ts'
import {
  checkModels,
  describeStage,
  describeStudy,
  detectableBefore,
  loadStudyResults,
  observedSpread,
  planStudy,
  type RegisteredStudy,
  register,
  runStudy,
  type StudyPlan,
  writeStudyReport,
} from '../studies/index.ts'
import { experimentName, loadStudy } from './experiment-file.ts'
import { interruptible } from './interrupt.ts'
import { wholeNumber } from './numbers.ts'
import { pathName } from './paths.ts'
import { formatDuration, Progress } from './progress.ts'
import { setOption, settingsGiven, settingWords } from './settings.ts'
import { textTable } from './table.ts'

interface Options {
  out?: string
  set: string[]
  resume: boolean
  dry: boolean
  only?: number
}

export function studyCommand(): Command {
  return new Command('study')
    .description(
      'methods × seeds × settings from a file, with what they have in common computed once; tables and tests',
    )
    .argument('<study>', 'a .ts, .js or .mjs file with "export default defineStudy({ … })"', pathName)
    .option('--out <dir>', "folder of the study (default: the study's, or runs/<file name>)", pathName)
    .addOption(setOption('a setting of all arms'))
    .option('--resume', 'go on with an interrupted study', false)
    .option('--dry', 'train nothing: show arms, runs, what they take and what they could show', false)
    .option(
      '--only <seed>',
      "run this seed's runs and write no report: several processes can share a study",
      wholeNumber(),
    )
    .addHelpText(
      'after',
      `
Examples:
  rwml study study.ts --dry          which runs, for how long, and which differences they could show
  rwml study study.ts                do it; the folder is runs/study
  rwml study study.ts --resume       go on after Ctrl-C
  rwml report runs/study             its tables and figures again, from what lies there

What stands in a study file: docs/studies.md.`,
    )
    .action(run)
}

async function run(file: string, options: Options): Promise<void> {
  const study = await loadStudy(file)
  const plan = planStudy(study, settingsGiven(options.set))
  const warn = (message: string) => console.error(message)
  checkModels(plan)
  const spread = typeof study.spread === 'string' ? observedSpread(study.spread) : null
  const command = `rwml study ${shellQuote(file)}${settingWords(options.set)}`
  const described = describeStudy(plan, { name: experimentName(file), command }, detectableBefore(plan, spread, warn))
  const { only } = options
  if (only !== undefined && !study.seeds.includes(only)) {
    throw new UserError(`--only ${only}: the study's seeds are ${study.seeds.join(', ')}`, 2)
  }
  if (options.dry) return dryStudy(plan, described, warn)
  const out = options.out ?? study.out ?? join('runs', experimentName(file))
  // Processes that share a study find it begun by one of them.
  const registered = register(out, described, options.resume || only !== undefined)
  console.error(`${aboutStudy(plan)}, folder ${out}. Ctrl-C saves.\n\n${detectableText(registered)}\n`)
  const began = performance.now()
  const alone = only === undefined ? '' : ` --only ${only}`
  await interruptible(`${command} --out ${shellQuote(out)}${alone} --resume`, async (signal) => {
    await runStudy(plan, { out, command, only, progress: new Progress(), signal, say: warn, warn })
    if (only !== undefined)
      return console.log(`Seed ${only} is done: "rwml report ${shellQuote(out)}" makes the tables.`)
    const { html } = writeStudyReport(out)
    const { study, records } = loadStudyResults(out)
    console.log(
      `\n${records.length} runs of ${study.arms.length} arms. Report: ${html}  (${formatDuration((performance.now() - began) / 1000)})`,
    )
  })
}

const aboutStudy = ({ study, worlds, runs }: StudyPlan): string =>
  `rwml study: ${Object.keys(study.arms).length} arms on ${study.seeds.length} seeds in ${runs.length} runs (${worlds.length === 1 ? 'one set' : `${worlds.length} sets`} of settings)`

/** What could be seen, by comparison. */
function detectableText({ compare, detectable, assumed, primary }: RegisteredStudy): string {
  if (compare.length === 0) return 'The study compares no arms.'
  const points = (value: number | null) => (value === null ? 'none' : (100 * value).toFixed(1))
  const table = textTable({
    columns: [
      { header: 'comparison' },
      { header: 'seeds', align: 'right' },
      { header: 'tasks', align: 'right' },
      { header: 'alone', align: 'right' },
      { header: 'Holm', align: 'right' },
    ],
    rows: compare.map(({ first, second }, index) => {
      const { seeds, tasks, alone, corrected } = detectable[index]
      return [
        `${second} − ${first}`,
        String(seeds),
        tasks === null ? '–' : String(tasks),
        points(alone),
        points(corrected),
      ]
    }),
  })
  return `Smallest difference in success on ${primary} that would be seen four times in five, in points, were it the only comparison, and\nas the hardest of Holm's:\n\n${table}\n\nAssumed: ${assumed}.`
}

/** `--dry`: rehearse every set of settings once; nothing is written and nothing trained. */
async function dryStudy(plan: StudyPlan, described: RegisteredStudy, warn: (message: string) => void): Promise<void> {
  console.log(`${aboutStudy(plan)}.\n\n${detectableText(described)}\n`)
  let total = 0
  for (const world of plan.worlds) {
    const runs = plan.runs.filter((one) => one.world.name === world.name)
    const [first] = runs
    const { stages } = await planMethod(first.world.method, first.resolved.config, plan.experiment, warn)
    // What an earlier run of the same seed leaves is not done again.
    const others = plan.runs.slice(0, plan.runs.indexOf(first)).filter(({ seed }) => seed === first.seed)
    const elsewhere = new Set(others.flatMap(({ prints }) => [...prints.values()]))
    const rows = stages.map(({ stage, plan: one }) => {
      const print = first.prints.get(stage.name)
      const isShared = world.tree.from.get(stage.name) !== undefined || !stage.name.startsWith('evaluate')
      const taken = print !== undefined && elsewhere.has(print) && isShared
      const seconds = taken ? 0 : (one?.seconds ?? 0)
      total += seconds * runs.length
      return [
        stage.name,
        brief(describeStage(stage)),
        taken ? 'taken over' : (one?.work ?? ''),
        seconds > 0 ? `≈ ${formatDuration(seconds)}` : '–',
      ]
    })
    console.log(`${world.name}: ${runs.length} ${runs.length === 1 ? 'run' : 'runs'}, each`)
    const columns = [
      { header: 'name' },
      { header: 'stage' },
      { header: 'work' },
      { header: 'time', align: 'right' as const },
    ]
    console.log(`${textTable({ columns, rows })}\n`)
  }
  console.log(
    `All runs: about ${formatDuration(total)}, from the speed of a small sample on this machine as busy as it is now.`,
  )
  console.log('Nothing was trained and nothing written.')
}

/** Options can be long, and are all in the report. */
const brief = (text: string): string => (text.length <= 64 ? text : `${text.slice(0, 63)}…`)
