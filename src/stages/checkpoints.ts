import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Trainer } from '../engines/index.ts'

/** Checkpoints of a stage lie in `checkpoints/<stage>-<step>/`, written whole; only the newest two are kept. */
const KEPT = 2

export interface Checkpoint {
  step: number
  folder: string
}

export function checkpointsOf(run: string, stage: string): Checkpoint[] {
  const root = join(run, 'checkpoints')
  if (!existsSync(root)) return []
  return readdirSync(root)
    .map((name) => ({ name, match: new RegExp(`^${stage}-(\\d+)$`).exec(name) }))
    .flatMap(({ name, match }) => (match ? [{ step: Number(match[1]), folder: join(root, name) }] : []))
    .sort((a, b) => a.step - b.step)
}

export function latestCheckpoint(run: string, stage: string): Checkpoint | null {
  return checkpointsOf(run, stage).at(-1) ?? null
}

/** Save the training state after `step` steps, then drop older checkpoints of the stage. */
export async function saveCheckpoint(trainer: Trainer, run: string, stage: string, step: number): Promise<Checkpoint> {
  const folder = join(run, 'checkpoints', `${stage}-${String(step).padStart(6, '0')}`)
  await trainer.save(folder)
  for (const old of checkpointsOf(run, stage).slice(0, -KEPT)) rmSync(old.folder, { recursive: true, force: true })
  return { step, folder }
}
