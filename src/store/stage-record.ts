import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { hashOf } from './hash.ts'
import { readJson, writeJson } from './json.ts'
import type { RunFolder } from './run-folder.ts'

const recordSchema = z.object({
  stage: z.string(),
  /** Hash of everything the outputs depend on. */
  inputsHash: z.string(),
  status: z.enum(['running', 'finished']),
  /** What later stages need: paths relative to the run folder, counts. Empty while running. */
  outputs: z.record(z.string(), z.unknown()),
  /** ISO 8601. */
  started: z.string(),
  finished: z.string().nullable(),
})

/** The content of `stages/<stage>/stage.json`. */
export type StageRecord = z.infer<typeof recordSchema>

export interface StageWork {
  /** Folder of the stage, for its files. */
  folder: string
  /** An earlier attempt with the same inputs was cut short; what it finished is still in the folder. */
  resumed: boolean
}

export interface StageResult<Outputs> {
  outputs: Outputs
  /** False where a finished record with the same inputs was found and nothing was done. */
  ran: boolean
}

/**
 * Runs a stage unless it is done: same inputs hash, same outputs. An unfinished attempt with the same inputs is resumed;
 * the folder of an attempt with other inputs is cleared first. `inputs` is everything that shapes the outputs, as JSON.
 */
export async function runStage<Outputs extends Record<string, unknown>>(
  run: RunFolder,
  stage: string,
  inputs: unknown,
  schema: z.ZodType<Outputs>,
  work: (context: StageWork) => Promise<Outputs>,
): Promise<StageResult<Outputs>> {
  const folder = run.stageFolder(stage)
  const inputsHash = hashOf(inputs)
  const earlier = readStageRecord(run, stage)
  const same = earlier?.inputsHash === inputsHash
  if (earlier && same && earlier.status === 'finished') return { outputs: schema.parse(earlier.outputs), ran: false }
  if (!same) rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const started = same ? earlier.started : new Date().toISOString()
  const record: StageRecord = { stage, inputsHash, status: 'running', outputs: {}, started, finished: null }
  writeJson(recordFile(run, stage), record)
  const outputs = schema.parse(await work({ folder, resumed: same }))
  writeJson(recordFile(run, stage), { ...record, status: 'finished', outputs, finished: new Date().toISOString() })
  return { outputs, ran: true }
}

/** The record of a stage; null where it never began. */
export function readStageRecord(run: RunFolder, stage: string): StageRecord | null {
  const path = recordFile(run, stage)
  return existsSync(path) ? readJson(path, recordSchema) : null
}

function recordFile(run: RunFolder, stage: string): string {
  return join(run.stageFolder(stage), 'stage.json')
}
