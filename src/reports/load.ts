import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { UserError } from '../core/index.ts'
import type { MetricLine } from '../evaluation/index.ts'
import type { ConfigField, ReportInput } from './input.ts'
import { configLeafSchema, evaluationFileSchema, metricLineSchema, runFileSchema, stageFileSchema } from './runFiles.ts'

/**
 * Read what a report needs from a run folder. Only `run.json` must be there: of an unfinished run the report shows what
 * there is. Throws `UserError` naming the file and the field where one does not hold what it should.
 */
export function loadReportInput(runFolder: string): ReportInput {
  const runPath = join(runFolder, 'run.json')
  if (!existsSync(runPath)) {
    throw new UserError(`${runFolder} is not a run folder: it has no run.json. Give the folder that --out named.`)
  }
  const { name, resolution, ...run } = readJson(runPath, runFileSchema)
  const stages = readStages(join(runFolder, 'stages'))
  return {
    run: { ...run, name: name ?? basename(resolve(runFolder)), folder: runFolder },
    stages: stages.map(({ filter: _filter, reward: _reward, ...facts }) => facts),
    filter: stages.find((stage) => stage.filter)?.filter ?? null,
    reward: stages.find((stage) => stage.reward)?.reward ?? null,
    metrics: readMetrics(join(runFolder, 'metrics.jsonl')),
    evaluation: readIfThere(join(runFolder, 'evaluation.json'), evaluationFileSchema),
    config: configFields(readIfThere(join(runFolder, 'config.json'), z.record(z.string(), z.unknown())) ?? {}),
    resolution,
  }
}

type Stage = z.infer<typeof stageFileSchema>

/** Folders sort in the order the stages ran: they are numbered, or a method's own order is kept by modification. */
function readStages(folder: string): Stage[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name, 'stage.json'))
    .filter((path) => existsSync(path))
    .sort()
    .map((path) => readJson(path, stageFileSchema))
}

function readMetrics(path: string): MetricLine[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  // What follows the last newline is empty, or a line that a killed run did not finish.
  return lines.slice(0, -1).map((line, index) => parseWith(line, metricLineSchema, `${path}, line ${index + 1}`))
}

/** The leaves of the tree, with their dotted paths. */
function configFields(tree: Record<string, unknown>, prefix = ''): ConfigField[] {
  return Object.entries(tree).flatMap(([key, node]) => {
    const path = prefix === '' ? key : `${prefix}.${key}`
    const leaf = configLeafSchema.safeParse(node)
    if (leaf.success) return [{ path, ...leaf.data }]
    return typeof node === 'object' && node !== null ? configFields(node as Record<string, unknown>, path) : []
  })
}

function readIfThere<T>(path: string, schema: z.ZodType<T>): T | null {
  return existsSync(path) ? readJson(path, schema) : null
}

function readJson<T>(path: string, schema: z.ZodType<T>): T {
  return parseWith(readFileSync(path, 'utf8'), schema, path)
}

function parseWith<T>(text: string, schema: z.ZodType<T>, where: string): T {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UserError(`${where} is not JSON (${(error as Error).message}). Restore it, or run the stage again.`)
  }
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const field = issue.path.length > 0 ? `${issue.path.join('.')}: ` : ''
  throw new UserError(`${where}: ${field}${issue.message}. Was it written by another version of rwml?`)
}
