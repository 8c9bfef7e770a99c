import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { UserError } from '../core/index.ts'
import { makeFolder } from './folder.ts'
import { readJson, writeJson } from './json.ts'
import { acquireLock, type RunLock } from './lock.ts'
import { removeLeftovers, TEMPORARY_SUFFIX } from './temporary.ts'

const runInfoSchema = z.object({
  method: z.string(),
  /** How the run was started, without `--out` and `--resume`. */
  command: z.string(),
  status: z.enum(['running', 'finished', 'failed', 'interrupted']),
  seed: z.int(),
  environment: z.string(),
  model: z.object({ name: z.string(), parameters: z.number(), description: z.string() }),
  /** Where it is trained and sampled from; absent: on this machine. */
  engine: z.string().optional(),
  /** `memory` in bytes. */
  machine: z.object({ cpu: z.string(), cores: z.int(), memory: z.number() }),
  /** Of the package and of Node. */
  version: z.string(),
  node: z.string(),
  /** Hashes of what the run hangs on, by name: it goes on only with what it began with. */
  begunWith: z.record(z.string(), z.string()),
  /** ISO 8601. */
  startedAt: z.string(),
  finishedAt: z.string().nullish(),
})

/** The content of `run.json`. */
export type RunInfo = z.infer<typeof runInfoSchema>

export interface Checkpoint {
  stage: string
  step: number
  path: string
}

/**
 * Where everything of a run lies. Append-only JSONL is the truth (`metrics.jsonl`, `rollouts/*.jsonl`), checkpoints are
 * complete folders, the rest is derived. This class knows paths and the two small JSON files; it never reads the others.
 */
export class RunFolder {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  /** Makes the folder, or takes an existing one. */
  static create(path: string): RunFolder {
    makeFolder(path)
    return new RunFolder(path)
  }

  /** An existing run: a folder with a `run.json`. */
  static open(path: string): RunFolder {
    const folder = new RunFolder(path)
    if (!existsSync(folder.runFile)) throw new UserError(`${path} is not a run folder: it has no run.json`)
    return folder
  }

  get runFile(): string {
    return join(this.path, 'run.json')
  }
  get configFile(): string {
    return join(this.path, 'config.json')
  }
  get metricsFile(): string {
    return join(this.path, 'metrics.jsonl')
  }
  get evaluationFile(): string {
    return join(this.path, 'evaluation.json')
  }
  get transitionsFile(): string {
    return join(this.path, 'transitions.jsonl')
  }
  /** What was read where the run holds imported logs. */
  get importFile(): string {
    return join(this.path, 'import.json')
  }
  get filteredFile(): string {
    return join(this.path, 'filtered.jsonl')
  }

  /** Folder of a stage's record and outputs. */
  stageFolder(stage: string): string {
    return join(this.path, 'stages', stage)
  }

  /** One trajectory a line; `name` is the stage, or stage and part. */
  rolloutsFile(name: string): string {
    return join(this.path, 'rollouts', `${name}.jsonl`)
  }

  checkpointFolder(stage: string, step: number): string {
    return join(this.path, 'checkpoints', `${stage}-${step}`)
  }

  /** Complete checkpoints of a stage, or of all, by stage and then step. Folders still being written are left out. */
  checkpoints(stage?: string): Checkpoint[] {
    const folder = join(this.path, 'checkpoints')
    if (!existsSync(folder)) return []
    const found: Checkpoint[] = []
    for (const name of readdirSync(folder)) {
      const parts = name.endsWith(TEMPORARY_SUFFIX) ? null : /^(.+)-(\d+)$/.exec(name)
      if (!parts || (stage !== undefined && parts[1] !== stage)) continue
      found.push({ stage: parts[1], step: Number(parts[2]), path: join(folder, name) })
    }
    return found.sort((a, b) => (a.stage < b.stage ? -1 : a.stage > b.stage ? 1 : a.step - b.step))
  }

  readInfo(): RunInfo {
    return readJson(this.runFile, runInfoSchema)
  }

  writeInfo(info: RunInfo): void {
    writeJson(this.runFile, info)
  }

  /**
   * Takes the folder for this process, and clears away what a killed one left half-written. Refuses with the other's name
   * where another process is at work. `command` tells the next one who we are.
   */
  lock(command: string): RunLock {
    const lock = acquireLock(join(this.path, 'run.lock'), command)
    removeLeftovers(this.path)
    return lock
  }
}
