import { UserError } from '../core/index.ts'
import type { EngineFact } from '../engines/index.ts'
import { inspectEngine, settingsOf } from '../methods/index.ts'
import { loadExperiment } from './experiment-file.ts'
import { textTable } from './table.ts'

/** What `rwml doctor --engine` found; `ok` is whether a run could begin. */
export interface EngineReport {
  ok: boolean
  engine: string
  facts: EngineFact[]
}

/** Looks at the engine that an experiment file names: nothing is trained there. @throws UserError where it names none */
export async function engineReport(file: string, overrides: Record<string, unknown>): Promise<EngineReport> {
  const experiment = await loadExperiment(file)
  const found = await inspectEngine(experiment, settingsOf(experiment, overrides).config)
  if (!found) {
    throw new UserError(
      `${file} names no engine: it is trained on this machine ("rwml doctor"); one elsewhere is engine: tinkerEngine({ … })`,
      2,
    )
  }
  const { description, facts } = found
  return { ok: facts.every(({ ok }) => ok !== false), engine: description, facts }
}

export function engineText({ engine, facts }: EngineReport): string {
  const rows = facts.map(({ what, ok, note }) => [what, ok === null ? '–' : ok ? 'yes' : 'no', note])
  return textTable({ columns: [{ header: engine }, { header: '' }, { header: '' }], rows })
}
