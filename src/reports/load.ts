import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { FORGETTING_FILE, forgettingSchema } from '../benchmarks/index.ts'
import { plainIssue, UserError } from '../core/index.ts'
import { armSchema, evaluationFileSchema } from '../evaluation/index.ts'
import { WEIGHT_CHANGES_FILE, weightChangesSchema } from '../stages/index.ts'
import { filterFacts } from './filterFacts.ts'
import type { ReportInput, StageFacts } from './input.ts'
import { limits } from './limits.ts'
import {
  configFileSchema,
  filterLineSchema,
  metricLineSchema,
  rewardFileSchema,
  runFileSchema,
  stageFileSchema,
} from './runFiles.ts'

/**
 * Read what a report needs from a run folder. Only `run.json` must be there: of an unfinished run the report shows what
 * there is. Throws `UserError` naming the file and the field where one does not hold what it should.
 */
export function loadReportInput(runFolder: string): ReportInput {
  const file = (...names: string[]) => join(runFolder, ...names)
  if (!existsSync(file('run.json'))) {
    throw new UserError(`${runFolder} is not a run folder: it has no run.json; give the folder that --out named`)
  }
  const { name, resolution, ...run } = readJson(file('run.json'), runFileSchema)
  const evaluation = readIfThere(file('evaluation.json'), evaluationFileSchema)
  const config = readIfThere(file('config.json'), configFileSchema) ?? []
  const stages = readStages(file('stages'))
  const kind = config.find(({ path }) => path === 'reward.kind')?.value
  return {
    run: { ...run, name: name ?? basename(resolve(runFolder)), folder: runFolder },
    stages,
    filter: filterFacts(readLines(file('filtered.jsonl'), filterLineSchema), config),
    rewardKind: stages.some(({ name }) => name === 'reward') && typeof kind === 'string' ? kind : null,
    reward: readIfThere(file('stages', 'reward', 'reward.json'), rewardFileSchema),
    metrics: readLines(file('metrics.jsonl'), metricLineSchema),
    evaluation,
    players: stages.flatMap(({ name }) => readIfThere(file('stages', name, 'players.json'), z.array(armSchema)) ?? []),
    weightChanges: readIfThere(file('stages', 'weight-change', WEIGHT_CHANGES_FILE), weightChangesSchema) ?? [],
    forgetting: stages.flatMap(
      ({ name }) => readIfThere(file('stages', name, FORGETTING_FILE), forgettingSchema) ?? [],
    ),
    config,
    resolution: [...resolution, ...limits(evaluation, stages)],
  }
}

function readStages(folder: string): StageFacts[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .map((name) => join(folder, name, 'stage.json'))
    .filter((path) => existsSync(path))
    .map((path) => readJson(path, stageFileSchema))
    .sort((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt))
    .map(({ startedAt: _, ...facts }) => facts)
}

/** The finished lines of a JSONL file; none where there is no file. */
function readLines<T>(path: string, schema: z.ZodType<T>): T[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  // What follows the last newline is empty, or a line that a killed run did not finish.
  return lines.slice(0, -1).map((line, index) => parse(line, schema, `${path}, line ${index + 1}`))
}

function readIfThere<T>(path: string, schema: z.ZodType<T>): T | null {
  return existsSync(path) ? readJson(path, schema) : null
}

function readJson<T>(path: string, schema: z.ZodType<T>): T {
  return parse(readFileSync(path, 'utf8'), schema, path)
}

function parse<T>(text: string, schema: z.ZodType<T>, where: string): T {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new UserError(`${where} is not JSON; restore the file, or run its stage again`)
  }
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new UserError(`${where}: ${plainIssue(result.error.issues[0])}; was it written by another version of rwml?`)
}
