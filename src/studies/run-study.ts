import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openRun, runMethod } from '../methods/index.ts'
import type { StageProgress } from '../stages/index.ts'
import { readJson, writeJson } from '../store/index.ts'
import { recordFile, runFolder, type StudyPlan, type StudyRun } from './plan.ts'
import { recordOf, recordSchema, type StudyRecord, takenFile } from './record.ts'
import { takeOver } from './sharing.ts'
import { timeLeft } from './time-left.ts'

export interface StudyOptions {
  out: string
  command: string
  /** Only this seed's runs: several processes can share the work. */
  only?: number
  progress: StageProgress
  signal: AbortSignal
  /** Which run comes next, and how long it may still take. */
  say(message: string): void
  warn(message: string): void
}

/** Every run of a study that has no record yet, one after the other; what a killed one had done is not done again. */
export async function runStudy(plan: StudyPlan, options: StudyOptions): Promise<void> {
  const { out, only, signal, say } = options
  const wanted = plan.runs.filter(({ seed }) => only === undefined || seed === only)
  for (const [index, run] of wanted.entries()) {
    if (existsSync(fileOf(out, run))) continue
    signal.throwIfAborted()
    const left = timeLeft(wanted.slice(index), recordsOf(out, plan))
    say(`Run ${index + 1} of ${wanted.length}: ${run.world.name}, seed ${run.seed}${left ? `; ${left}` : ''}`)
    await runOne(plan, run, options)
  }
}

async function runOne(plan: StudyPlan, run: StudyRun, options: StudyOptions): Promise<void> {
  const { out, command, progress, signal, warn } = options
  const { world, seed, resolved, prints } = run
  const folder = runFolder(out, run)
  const others = plan.runs
    .filter((one) => one.seed === seed && one !== run && existsSync(fileOf(out, one)))
    .map((one) => ({ path: runFolder(out, one), prints: one.prints }))
  const begun = existsSync(join(folder, 'run.json'))
  if (!begun) {
    const taken = takeOver(folder, prints, world.tree.stages, others)
    if (taken.length > 0) writeJson(takenFile(folder), taken)
  }
  const { environment, agent, engine } = plan.experiment
  const opened = await openRun({
    out: folder,
    resolved,
    method: world.method,
    environment,
    agent,
    engine,
    command,
    resume: begun,
    progress,
    signal,
    warn,
  })
  try {
    await runMethod(world.method, opened.context)
    await opened.close('finished')
  } catch (error) {
    await opened.close(signal.aborted ? 'interrupted' : 'failed')
    throw error
  }
  writeJson(fileOf(out, run), recordOf(folder, run))
}

const fileOf = (out: string, { world, seed }: StudyRun): string => recordFile(out, world.name, seed)

/** Records of a study's finished runs. */
function recordsOf(out: string, { runs }: StudyPlan): StudyRecord[] {
  return runs
    .map((run) => fileOf(out, run))
    .filter((path) => existsSync(path))
    .map((path) => readJson(path, recordSchema))
}
