import type { TokenSequence } from '../core/index.ts'
import type { Config } from './config.ts'

/** What one unit of work takes: tokens the model writes, tokens that training passes through it (context included), seconds. */
export interface UnitCost {
  sampled: number
  trained: number
  sampleSeconds: number
  trainSeconds: number
  /** For the log-probabilities of a frozen reference, where a KL term needs them. */
  referenceSeconds: number
}

/** A sequence as a stage would train on it, and what to say of it. */
export interface Shown {
  caption: string
  sequence: TokenSequence
}

/** What a run will meet, found out by doing a little of it. See `rehearse`. */
export interface Rehearsal {
  /** Episodes the figures come from; 0 = they are what the settings allow at most. */
  episodes: number
  /** The episodes are there already, all that there are. */
  recorded: boolean
  /** Steps of an episode. */
  turns: number
  /** Share of steps that are admissible. */
  valid: number
  /** The environment gives a task reward. */
  rewarded: boolean
  episode: UnitCost
  prediction: UnitCost
  /** A supervised example: a true next state as the label. `sampled` are the label's own tokens. */
  label: UnitCost
  shown: { episode?: Shown; prediction?: Shown; label?: Shown }
}

/** What the stages before are expected to leave; each stage that is planned changes it for the next. */
export interface Expected {
  /** Training tasks, and held-out tasks by split. */
  tasks: number
  heldOut: Record<string, number>
  /** Transitions for the world model and for the filter model. */
  train: number
  filter: number
  /** Demonstrations of experts, and what the model would have done instead in their states. */
  expert?: number
  alternatives?: number
  /** Models to evaluate, points of learning curves among them. */
  arms: number
}

/** What a stage is going to do and what that takes. */
export interface StagePlan {
  /** In words: `240 tasks × 2 episodes`. */
  work: string
  episodes: number
  steps: number
  sampled: number
  trained: number
  seconds: number
  /** The prompts of this stage are like this example of the rehearsal. */
  shows?: keyof Rehearsal['shown']
}

export type Planner = (config: Config, rehearsal: Rehearsal, expected: Expected) => StagePlan

/** A stage that costs nothing worth counting. */
export const free = (work: string): StagePlan => ({ work, episodes: 0, steps: 0, sampled: 0, trained: 0, seconds: 0 })

/** `count` units that are sampled, and trained on where `training` says so. */
export function times(
  { sampled, trained, sampleSeconds, trainSeconds, referenceSeconds }: UnitCost,
  count: number,
  { training = false, reference = false } = {},
): Pick<StagePlan, 'sampled' | 'trained' | 'seconds'> {
  const seconds = sampleSeconds + (training ? trainSeconds : 0) + (reference ? referenceSeconds : 0)
  return { sampled: count * sampled, trained: training ? count * trained : 0, seconds: count * seconds }
}

/** Episodes of another length than the rehearsed ones cost in proportion. */
export function ofLength(cost: UnitCost, factor: number): UnitCost {
  return Object.fromEntries(Object.entries(cost).map(([key, value]) => [key, value * factor])) as unknown as UnitCost
}

/** Steps of a stage that goes through its transitions `epochs` times. */
export function stepsOf(transitions: number, settings: { batch: number; epochs: number; maxSteps?: number }): number {
  const all = Math.ceil(transitions / settings.batch) * settings.epochs
  return settings.maxSteps ? Math.min(settings.maxSteps, all) : all
}

/** The checkpoints that a training stage leaves to evaluate. */
export function planArms(expected: Expected, curve: readonly number[] = []): void {
  expected.arms += curve.length + 1
}
