import { rmSync } from 'node:fs'
import type { Trainer } from '../engines/index.ts'
import type { Checkpoint, RunFolder } from '../store/index.ts'

/** Only the newest checkpoints of a stage are kept, and those that are asked for. */
const KEPT = 2

export function latestCheckpoint(run: RunFolder, stage: string): Checkpoint | null {
  return run.checkpoints(stage).at(-1) ?? null
}

/** Save the training state after `step` steps, whole or not at all, then drop older checkpoints of the stage. */
export async function saveCheckpoint(
  trainer: Trainer,
  run: RunFolder,
  stage: string,
  step: number,
  keep: readonly number[] = [],
): Promise<Checkpoint> {
  const path = run.checkpointFolder(stage, step)
  await trainer.save(path)
  for (const old of run.checkpoints(stage).slice(0, -KEPT)) {
    if (!keep.includes(old.step)) rmSync(old.path, { recursive: true, force: true })
  }
  return { stage, step, path }
}
