import { join } from 'node:path'
import { UserError } from '../../core/index.ts'
import { readCollected } from '../../stages/index.ts'
import { parquetBytes, RunFolder, writeFileAtomic, writeFolderAtomic, writeJson } from '../../store/index.ts'
import type { Given } from '../parts.ts'
import { agentOfRun, configOf } from '../stored-run.ts'
import { exportedSplits, hasPolicyPrompts } from './examples.ts'
import { type ExportFormat, filesOf } from './files.ts'

export interface ExportOptions extends Given {
  /** The run folder. */
  run: string
  format: ExportFormat
  /** The folder to make. */
  out: string
}

/** What was written; `export.json` beside the files. */
export interface ExportRecord {
  run: string
  format: ExportFormat
  environment: string
  agent: string
  files: { file: string; rows: number }[]
  /** What is not there, and why. */
  notes: string[]
}

/** A run's prompts with their truth for other trainers: one file a split and use, as Parquet and JSONL. Whole or not at all. */
export async function exportRun({ run: path, format, out, ...given }: ExportOptions): Promise<ExportRecord> {
  const run = RunFolder.open(path)
  const config = configOf(run)
  const agent = agentOfRun(run, config, readCollected(run).train, given)
  const splits = exportedSplits({ run, config, agent, environment: given.environment })
  const notes: string[] = []
  if (splits.length === 1) notes.push('nothing is held out: the run was not evaluated, or its logs are elsewhere')
  if (!hasPolicyPrompts(agent)) {
    notes.push('no prompts of tasks: the agent is shown commands or tools beside them, which the run does not hold')
  }
  const files = splits.flatMap((split) => filesOf(format, split, config.environment.name))
  if (files.length === 0) throw new UserError(`${path} holds nothing to export: the filter kept no transition`)
  const record: ExportRecord = {
    run: path,
    format,
    environment: config.environment.name,
    agent: agent.name,
    files: [],
    notes,
  }
  await writeFolderAtomic(out, (folder) => {
    for (const { name, columns, rows } of files) {
      const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
      const contents = { jsonl: lines, ...(format !== 'jsonl' && { parquet: parquetBytes(columns, rows) }) }
      for (const [ending, content] of Object.entries(contents)) {
        const file = `${name}.${ending}`
        writeFileAtomic(join(folder, file), content)
        record.files.push({ file, rows: rows.length })
      }
    }
    writeJson(join(folder, 'export.json'), record)
  })
  return record
}
