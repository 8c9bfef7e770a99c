import type { Checkpoint } from '../store/index.ts'
import type { StageContext } from './context.ts'
import type { Artifacts } from './stage.ts'

/** A checkpoint to evaluate, and its name in tables. */
export interface Arm extends ArmTraits {
  arm: string
  /** Model folder. */
  path: string
}

/** What evaluation and report have to know of a checkpoint; a stage that starts from it hands it on. */
export interface ArmTraits {
  /** Whether it learned to think before it predicts: it is asked as it was trained. Absent: as `worldModel.reasoning` has it. */
  reasoning?: boolean
  /** It is a control: what was taken away from what it learned, in words. */
  control?: string
}

export interface ArmOptions extends ArmTraits {
  /** Model folder that the stage started from. */
  start: string
  /** Steps of the checkpoint at a point of the curve, where the curve counts other steps than the stage does. */
  stageSteps?: (point: number) => number
}

/** Hand a stage's result on: its model to stages that start from it, its checkpoints to evaluation. */
export function armsOf(
  { run }: StageContext,
  artifacts: Artifacts,
  { stage, step, path }: Checkpoint,
  arm: string,
  curve: readonly number[] = [],
  { start, stageSteps = (point) => point, ...own }: ArmOptions,
): void {
  artifacts.models.set(stage, path)
  const before = artifacts.arms.find((one) => one.path === start)
  const reasoning = own.reasoning ?? before?.reasoning
  const control = own.control ?? before?.control
  const traits: ArmTraits = { ...(reasoning !== undefined && { reasoning }), ...(control !== undefined && { control }) }
  for (const point of curve) {
    const at = stageSteps(point)
    if (at <= 0 || at >= step) continue
    artifacts.arms.push({ arm: `${arm}, step ${point}`, path: run.checkpointFolder(stage, at), ...traits })
  }
  artifacts.arms.push({ arm, path, ...traits })
}
