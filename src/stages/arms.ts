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
  const traits = traitsOf(artifacts, start, own)
  for (const point of curve) {
    const at = stageSteps(point)
    if (at <= 0 || at >= step) continue
    artifacts.arms.push({ arm: `${arm}, step ${point}`, path: run.checkpointFolder(stage, at), ...traits })
  }
  artifacts.arms.push({ arm, path, ...traits })
}

/** What a stage says of itself where it hands on what it started from. */
export const UNTRAINED = 'its model is the one it started from: nothing was trained'

/**
 * Hand on what a stage started from, where there was nothing to train on: stages that start from it go on, and the arm is evaluated
 * as what it is. No point of its curve is another model.
 */
export function untrainedArm(
  artifacts: Artifacts,
  stage: string,
  arm: string,
  { start, ...own }: Omit<ArmOptions, 'stageSteps'>,
): void {
  artifacts.models.set(stage, start)
  artifacts.arms.push({ arm, path: start, ...traitsOf(artifacts, start, own) })
}

/** A stage's own traits, and what it leaves as it was at the start. */
function traitsOf({ arms }: Artifacts, start: string, own: ArmTraits): ArmTraits {
  const before = arms.find((one) => one.path === start)
  const reasoning = own.reasoning ?? before?.reasoning
  const control = own.control ?? before?.control
  return { ...(reasoning !== undefined && { reasoning }), ...(control !== undefined && { control }) }
}
