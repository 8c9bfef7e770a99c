import { UserError } from '../core/index.ts'
import type { EngineFact } from '../engines/index.ts'
import { inspectEngine, type Method, methodOf, settingsOf } from '../methods/index.ts'
import type { Config } from '../stages/index.ts'
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
  const { config } = settingsOf(experiment, overrides)
  const found = await inspectEngine(experiment, config)
  if (!found) {
    throw new UserError(
      `${file} names no engine: it is trained on this machine ("rwml doctor"); one elsewhere is engine: tinkerEngine({ … })`,
      2,
    )
  }
  const { description } = found
  const facts = [...found.facts, ...(await stageFacts(methodOf(experiment), config))]
  return { ok: facts.every(({ ok }) => ok !== false), engine: description, facts }
}

/** Whether what stages will need beside the engine is there: embedders, judges. */
async function stageFacts({ stages }: Method, config: Config): Promise<EngineFact[]> {
  const facts: EngineFact[] = []
  for (const { name: what, check } of stages) {
    if (!check) continue
    try {
      facts.push({ what, ok: true, note: await check(config) })
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      facts.push({ what, ok: false, note: error.message })
    }
  }
  return facts
}

export function engineText({ engine, facts }: EngineReport): string {
  const rows = facts.map(({ what, ok, note }) => [what, ok === null ? '–' : ok ? 'yes' : 'no', note])
  return textTable({ columns: [{ header: engine }, { header: '' }, { header: '' }], rows })
}
