import { cpSync, existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config, Stage } from '../stages/index.ts'
import { hashOf, makeFolder, temporaryName, writeFileAtomic } from '../store/index.ts'
import { EVALUATION, needsOf, PREPARING, readsOf, sortOf } from './sorts.ts'
import { type Tree, withoutPlace } from './tree.ts'

/**
 * What each stage of a run hangs on, as a hash by the stage's name: the settings that it reads, its options, and the stages before
 * it. Two runs of one study whose hashes agree would leave the same bytes there. Absent: what it hangs on cannot be written down.
 */
export function fingerprints(tree: Tree, config: Config): Map<string, string> {
  const prints = new Map<string, string>()
  const others: string[] = []
  for (const stage of tree.stages) {
    const isTraining = tree.from.has(stage.name)
    const from = tree.from.get(stage.name)
    const upstream = [...needsOf(stage), ...others, ...(from ? [from] : [])].map((name) => prints.get(name))
    if (!isTraining && !PREPARING.some(({ name }) => name === stage.name)) others.push(stage.name)
    if (upstream.includes(undefined)) continue
    const reads = readsOf(stage)
    const read = reads === null ? config : reads.map((path) => [path, valueAt(config, path)])
    try {
      prints.set(stage.name, hashOf({ title: stage.title, options: withoutPlace(stage), read, upstream }))
    } catch {
      // A function among the options: nobody can tell what it does.
    }
  }
  return prints
}

function valueAt(config: Config, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], config)
}

export interface SharedFrom {
  /** The run folder that has it. */
  path: string
  prints: Map<string, string>
}

/**
 * Take over from finished runs what a new run would only do again: files of stages whose fingerprints agree. Stage records come with
 * them, so that the run's costs are what its stages cost. @returns names of the stages that were taken over
 */
export function takeOver(
  to: string,
  prints: Map<string, string>,
  stages: readonly Stage[],
  others: readonly SharedFrom[],
): string[] {
  const taken: string[] = []
  // One that has begun has what it needs, and is not disturbed.
  if (existsSync(join(to, 'run.json'))) return taken
  const metrics: string[] = []
  for (const stage of stages) {
    const print = prints.get(stage.name)
    const source = print && others.find((one) => one.prints.get(stage.name) === print && existsSync(one.path))
    if (!source) continue
    const files = filesOf(stage, source.path)
    if (files.length === 0) continue
    for (const file of files) copyWhole(join(source.path, file), join(to, file))
    metrics.push(...linesOf(join(source.path, 'metrics.jsonl'), stage.name))
    taken.push(stage.name)
  }
  if (metrics.length > 0) writeFileAtomic(join(to, 'metrics.jsonl'), metrics.map((line) => `${line}\n`).join(''))
  return taken
}

/** Files and folders of a stage, from the run folder; its record comes last. */
function filesOf(stage: Stage, run: string): string[] {
  const { name } = stage
  const rollouts = (pattern: RegExp) => list(join(run, 'rollouts'), pattern).map((file) => join('rollouts', file))
  const folder = join('stages', name)
  const there = (...files: string[]) => files.filter((file) => existsSync(join(run, file)))
  if (sortOf(stage) === EVALUATION) {
    // The base alone, which every run evaluates: its play, and the transitions that all arms are asked about.
    const heldOut = name === 'evaluate' ? 'held-out' : `${escaped(name)}-held-out`
    const played = rollouts(new RegExp(`^(?:${heldOut}|${escaped(name)}-base)-.+\\.jsonl$`))
    return [...played, ...there(join(folder, 'base.json'))]
  }
  const own = rollouts(new RegExp(`^${escaped(name)}(?:-before)?-\\d+\\.jsonl$`))
  const results: Record<string, string[]> = { collect: ['transitions.jsonl'], filter: ['filtered.jsonl'] }
  const checkpoints = list(join(run, 'checkpoints'), new RegExp(`^${escaped(name)}-\\d+$`))
  // The filter model has done its work.
  const trained = name === 'filter' ? [] : checkpoints.map((one) => join('checkpoints', one))
  return [...own, ...trained, ...there(...(results[name] ?? []), folder)]
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function list(folder: string, pattern: RegExp): string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => pattern.test(name))
        .sort()
    : []
}

/** A copy that is seen whole or not at all; one that is there already stays. */
function copyWhole(from: string, to: string): void {
  if (existsSync(to)) return
  makeFolder(dirname(to))
  const temporary = temporaryName(to)
  cpSync(from, temporary, { recursive: true })
  renameSync(temporary, to)
}

/** What a stage logged. */
function linesOf(path: string, stage: string): string[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  return lines.filter((line) => (JSON.parse(line) as { stage: string }).stage === stage)
}
