import { UserError } from '../core/index.ts'
import type { Trainer } from '../engines/index.ts'
import { type Checkpoint, damageIn, type RunFolder, removeFolderAtomic } from '../store/index.ts'

/** Only the newest checkpoints of a stage are kept, and those that are asked for. */
const KEPT = 2

/**
 * The newest checkpoint of a stage; null where there is none.
 * @throws UserError if it is damaged: which file, and where the run can go on. It is not passed over silently: a disk that
 * loses one file may have lost others.
 */
export function latestCheckpoint(run: RunFolder, stage: string): Checkpoint | null {
  const checkpoints = run.checkpoints(stage).reverse()
  if (checkpoints.length === 0) return null
  const damage = damageIn(checkpoints[0].path)
  if (damage === null) return checkpoints[0]
  const firstGood = checkpoints.findIndex(({ path }) => damageIn(path) === null)
  const damaged = (firstGood < 0 ? checkpoints : checkpoints.slice(0, firstGood)).map(({ path }) => path)
  const next =
    firstGood < 0
      ? 'begins the stage again, no earlier one being good'
      : `goes on from ${checkpoints[firstGood].path}, which is good`
  throw new UserError(`${damaged[0]} is damaged: ${damage}; delete ${damaged.join(', ')}, and --resume ${next}`)
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
    if (!keep.includes(old.step)) removeFolderAtomic(old.path)
  }
  return { stage, step, path }
}
