import type { Checkpoint } from '../store/index.ts'
import type { StageContext } from './context.ts'
import type { Artifacts } from './stage.ts'

/** Hand a stage's result on: its model to stages that start from it, its checkpoints to evaluation. */
export function armsOf(
  { run }: StageContext,
  artifacts: Artifacts,
  { stage, step, path }: Checkpoint,
  arm: string,
  curve: readonly number[] = [],
  /** Steps of the checkpoint at a point of the curve, where the curve counts other steps than the stage does. */
  stageSteps: (point: number) => number = (point) => point,
): void {
  artifacts.models.set(stage, path)
  for (const point of curve) {
    const at = stageSteps(point)
    if (at >= step) continue
    artifacts.arms.push({ arm: `${arm}, step ${point}`, path: run.checkpointFolder(stage, at) })
  }
  artifacts.arms.push({ arm, path })
}
