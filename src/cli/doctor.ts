import { existsSync, readdirSync, statSync } from 'node:fs'
import { availableParallelism, homedir, totalmem } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { engineReport, engineText } from './doctor-engine.ts'
import { pathName } from './paths.ts'
import { setOption, settingsGiven } from './settings.ts'
import { textTable } from './table.ts'

const LOWEST_NODE = 20
const SPLITS = ['train', 'valid_train', 'valid_seen', 'valid_unseen']

/** What `rwml doctor` found. `ok` is whether the quickstart can run. */
export interface DoctorReport {
  ok: boolean
  node: { version: string; ok: boolean }
  platform: string
  cores: number
  memoryGiB: number
  /** Loads and trains models; `error` says why it could not be loaded. */
  onnxruntime: { version: string | null; error: string | null }
  /** Optional sentence embeddings. */
  useLite: boolean
  alfworld: { path: string | null; splits: string[]; searched: string[] }
  /** Never needed. */
  python: 'not needed'
  runs: { what: string; ok: boolean; note: string }[]
}

/** What a check needs from outside; replaced in tests. */
export interface DoctorSurroundings {
  environment: NodeJS.ProcessEnv
  home: string
  nodeVersion: string
  load: (name: string) => Promise<unknown>
}

const HERE: DoctorSurroundings = {
  environment: process.env,
  home: homedir(),
  nodeVersion: process.versions.node,
  load: (name) => import(name),
}

/** Looks at the machine; changes nothing and asks no network. */
export async function inspectMachine(surroundings: DoctorSurroundings = HERE): Promise<DoctorReport> {
  const { nodeVersion, load } = surroundings
  const node = { version: nodeVersion, ok: Number.parseInt(nodeVersion, 10) >= LOWEST_NODE }
  const onnxruntime = await loadOnnxruntime(load)
  const useLite = await load('@energetic-ai/embeddings').then(
    () => true,
    () => false,
  )
  const alfworld = findAlfworld(surroundings)
  const ok = node.ok && onnxruntime.error === null
  const engineNote = onnxruntime.error === null ? '' : 'needs onnxruntime-node: run npm ci again'
  return {
    ok,
    node,
    platform: `${process.platform} ${process.arch}`,
    cores: availableParallelism(),
    memoryGiB: Math.round((memoryBytes() / 2 ** 30) * 10) / 10,
    onnxruntime,
    useLite,
    alfworld,
    python: 'not needed',
    runs: [
      { what: 'quickstart on generated houses', ok, note: node.ok ? engineNote : `needs Node ${LOWEST_NODE} or newer` },
      alfworldRun(alfworld, ok),
      { what: 'sentence embeddings (use-lite)', ok: useLite, note: useLite ? '' : 'optional; lexical is used instead' },
    ],
  }
}

export function doctorText(report: DoctorReport): string {
  const { node, onnxruntime, alfworld } = report
  const facts = [
    ['node', `${node.version}${node.ok ? '' : ` (needs ${LOWEST_NODE} or newer)`}`],
    ['platform', report.platform],
    ['cores', String(report.cores)],
    ['memory', `${report.memoryGiB} GiB`],
    ['onnxruntime', onnxruntime.version ?? `not usable: ${onnxruntime.error}`],
    ['python', report.python],
    ['ALFWorld data', alfworld.path ? `${alfworld.path} (${alfworld.splits.join(', ')})` : 'not found'],
  ]
  const runs = report.runs.map(({ what, ok, note }) => [what, ok ? 'yes' : 'no', note])
  return [
    textTable({ columns: [{ header: 'this machine' }, { header: '' }], rows: facts }),
    textTable({ columns: [{ header: 'what will run' }, { header: '' }, { header: '' }], rows: runs }),
  ].join('\n\n')
}

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('cores, memory, data found, and what will run on this machine; or whether an engine elsewhere will do')
    .option('--engine <experiment>', 'look at the engine that this experiment file names', pathName)
    .addOption(setOption('a setting of the experiment'))
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Examples:
  rwml doctor
  ALFWORLD_DATA=games rwml doctor --json
  rwml doctor --engine experiment.ts      its server: reachable, has the model, long enough a context, can what is asked`,
    )
    .action(async ({ engine, set, json }: { engine?: string; set: string[]; json?: boolean }) => {
      const show = <T extends { ok: boolean }>(report: T, text: (report: T) => string) => {
        process.stdout.write(`${json ? JSON.stringify(report) : text(report)}\n`)
        if (!report.ok) process.exitCode = 1
      }
      if (engine === undefined) show(await inspectMachine(), doctorText)
      else show(await engineReport(engine, settingsGiven(set)), engineText)
    })
}

async function loadOnnxruntime(load: DoctorSurroundings['load']): Promise<DoctorReport['onnxruntime']> {
  try {
    const runtime = (await load('onnxruntime-node')) as { env?: { versions?: { common?: string } } }
    return { version: runtime.env?.versions?.common ?? 'unknown version', error: null }
  } catch (error) {
    return { version: null, error: (error as Error).message.split('\n')[0] }
  }
}

/** Any root may be the folder of the splits or the one above it. */
function findAlfworld({ environment, home }: DoctorSurroundings): DoctorReport['alfworld'] {
  const roots = [environment.ALFWORLD_DATA, join(home, '.cache', 'alfworld')].filter((root): root is string =>
    Boolean(root),
  )
  const searched = roots.flatMap((root) => [join(root, 'json_2.1.1'), root])
  for (const path of searched) {
    const splits = existsSync(path) ? SPLITS.filter((split) => hasGames(join(path, split))) : []
    if (splits.length > 0) return { path, splits, searched: roots }
  }
  return { path: null, splits: [], searched: roots }
}

function hasGames(folder: string): boolean {
  return existsSync(folder) && statSync(folder).isDirectory() && readdirSync(folder).length > 0
}

function alfworldRun({ path, splits, searched }: DoctorReport['alfworld'], engine: boolean): DoctorReport['runs'][0] {
  const what = 'ALFWorld games'
  if (path === null)
    return { what, ok: false, note: `none in ${searched.join(', ')}; set ALFWORLD_DATA or pass --data` }
  if (splits.includes('train')) return { what, ok: engine, note: '' }
  const standIn = splits.includes('valid_train')
    ? 'no train split: valid_train stands in for it'
    : 'evaluation only: no training split'
  return { what, ok: engine, note: standIn }
}

/** What this process may use: a container's limit where there is one. */
function memoryBytes(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
