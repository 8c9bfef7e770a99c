import type { Experiment } from '../methods/index.ts'
import type { Stage } from '../stages/index.ts'

/** One method of a study: a chain of stages, each training what the one before it left. None: the base model. */
export interface StudyArm {
  stages: readonly Stage[]
  /** Laid over the experiment's: the arm then has runs of its own, which take over whatever does not hang on these. */
  settings?: Experiment['settings']
  /** Only the study's first so many seeds. */
  seeds?: number
}

/** Is the second arm better than the first? */
export type ComparisonEntry = readonly [first: string, second: string, asks?: string]

/** Methods × seeds × settings. */
export interface Study {
  /** What all arms have in common. */
  experiment?: Omit<Experiment, 'method' | 'out'>
  seeds: readonly number[]
  /** By name, in the order of the tables; a list of stages is an arm without settings of its own. */
  arms: Record<string, readonly Stage[] | StudyArm>
  /** Fixed before any evaluation; Holm's correction runs over them. */
  compare?: readonly ComparisonEntry[]
  /** Stages that come after all training. Default `evaluateStage()`. */
  evaluate?: Stage | readonly Stage[]
  /** The split that the comparisons are about; all others are a second look. Default `unseen`. */
  primary?: string
  /**
   * What the smallest detectable difference is computed from beforehand: standard deviation over seeds of the difference between two
   * arms, in points [ours: 5], or the folder of an earlier study, whose own is taken.
   */
  spread?: number | string
  /** Where it goes when the command line does not say. */
  out?: string
}

/** A study, typed: an editor completes its fields. `export default defineStudy({ … })`. */
export function defineStudy(study: Study): Study {
  return study
}

/** An arm with everything that it may leave out. */
export function armsOfStudy({ arms, seeds }: Study): (StudyArm & { arm: string; seeds: number })[] {
  return Object.entries(arms).map(([arm, given]) => {
    const full: StudyArm = Array.isArray(given) ? { stages: given } : (given as StudyArm)
    return { ...full, arm, seeds: full.seeds ?? seeds.length }
  })
}
