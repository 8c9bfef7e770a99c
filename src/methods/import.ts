import { askedTransitions, toolsAgent } from '../agents/index.ts'
import {
  type ImportedLogs,
  type LogSummary,
  recordedEnvironment,
  recordedFile,
  summariseLogs,
} from '../environments/index.ts'
import { transitionLine } from '../stages/index.ts'
import { hashOf, RunFolder, writeFileAtomic, writeFolderAtomic, writeJson } from '../store/index.ts'
import { settingsOf } from './experiment.ts'
import { whereItRan } from './open.ts'

export interface ImportRecord extends Omit<ImportedLogs, 'splits'> {
  files: readonly string[]
  splits: Record<string, LogSummary>
  /** In the tokens of a model: of all conversations, and of the longest; null where no model was named. */
  tokens: { total: number; longest: number } | null
}

export interface ImportOptions {
  /** The folder to make; one that is there is replaced. */
  out: string
  files: readonly string[]
  tokens: ImportRecord['tokens']
  /** Model folder that the logs are meant for. */
  model?: string
  /** How it was called, for run.json. */
  command: string
}

/**
 * A run folder that holds imported logs as if they had been collected: `recordedEnvironment` reads it. Settings are those of
 * the preset `tools`; next states are told as its agent asks for them. Whole or not at all.
 */
export async function writeImport(logs: ImportedLogs, options: ImportOptions): Promise<ImportRecord> {
  const { out, files, tokens, model, command } = options
  const { splits, ...counts } = logs
  const record: ImportRecord = {
    files,
    ...counts,
    splits: Object.fromEntries([...splits].map(([split, some]) => [split, summariseLogs(some)])),
    tokens,
  }
  const now = new Date().toISOString()
  await writeFolderAtomic(out, (folder) => {
    for (const [split, some] of splits) {
      writeFileAtomic(recordedFile(folder, split), some.map((one) => `${JSON.stringify(one)}\n`).join(''))
    }
    const environment = recordedEnvironment(folder)
    const run = RunFolder.create(folder)
    const asked = (splits.get('train') ?? []).flatMap((one) => askedTransitions(toolsAgent(), one))
    writeFileAtomic(run.transitionsFile, asked.map((one) => transitionLine(one, 'train')).join(''))
    const { config, fields } = settingsOf(
      { preset: 'tools', environment },
      model === undefined ? {} : { 'model.path': model },
    )
    writeJson(run.configFile, fields)
    writeJson(run.importFile, record)
    run.writeInfo({
      method: 'import',
      command,
      status: 'finished',
      seed: config.seed,
      environment: environment.name,
      model: { name: config.model.path, parameters: 0, description: 'no model has run yet: these are imported logs' },
      ...whereItRan(),
      begunWith: { settings: hashOf(config) },
      startedAt: now,
      finishedAt: now,
    })
  })
  return record
}
