import type { Forgetting } from '../benchmarks/index.ts'
import type { ArmResult, EvaluationResult, MetricLine, StageWork } from '../evaluation/index.ts'
import type { StageChange } from '../stages/index.ts'

/** Everything a report is made of: plain data, so that it can be built without a run folder. */
export interface ReportInput {
  run: RunFacts
  /** In the order they ran. */
  stages: StageFacts[]
  /** Null where the method has no filter stage. */
  filter: FilterFacts | null
  /** `reward.kind` of the settings; null where no reward was chosen. */
  rewardKind: string | null
  /** What was calibrated for it; null where nothing was: exact match and ROUGE have no threshold. */
  reward: RewardFacts | null
  metrics: MetricLine[]
  /** Null while nothing has been evaluated. */
  evaluation: EvaluationResult | null
  /** What others than the run's models made of the same tasks; mostly none. */
  players: ArmResult[]
  /** How far each training stage moved the weights; none where that was not measured. */
  weightChanges: StageChange[]
  /** Benchmarks before and after training, by stage; mostly none. */
  forgetting: Forgetting[]
  config: ConfigField[]
  /** Sentences on what a run of this size cannot see. */
  resolution: string[]
}

export interface RunFacts {
  /** Shown as the title. */
  name: string
  /** The run folder as a user would type it; commands are printed with it. */
  folder: string
  /** How the run was started, without `--out` and `--resume`: `rwml quickstart`, `rwml run experiment.ts`. */
  command: string
  method: string
  seed: number
  environment: string
  model: { name: string; parameters: number; description: string }
  /** Where it was trained and sampled from; absent: on this machine. */
  engine?: string
  /** `memory` in bytes. */
  machine: { cpu: string; cores: number; memory: number }
  /** ISO 8601. */
  startedAt: string
  /** `running`, `interrupted`, `failed`, `finished`; absent where that was not written down. */
  status?: string
  version: string
}

/** `seconds` are of the wall clock. */
export interface StageFacts extends StageWork {
  notes: string[]
}

export interface FilterFacts {
  /** `paper`, `band`, `none`. */
  rule: string
  settings: Record<string, unknown>
  kinds: FilterKind[]
}

/** Counts of transitions of one kind. */
export interface FilterKind {
  kind: string
  transitions: number
  /** The filter model earned a reward too often. */
  easy: number
  /** The filter model never earned a reward. */
  hopeless: number
  /** Left for training. */
  kept: number
  /** Of how many the filter model's predictions earned different rewards; null when not measured. */
  groupsWithVariance: number | null
}

export interface RewardFacts {
  embedder: string
  /** False for embedders that only compare words. */
  semantic: boolean
  /** One sentence: why this embedder and this threshold. */
  why: string
  /** Rewarded when the distance is below this. */
  threshold: number
  /** Of rewarded predictions, the share that is right; null when not measured. */
  precision: number | null
  /** Of right predictions, the share that is rewarded; null when not measured. */
  recall: number | null
}

export interface ConfigField {
  /** Dotted: `worldModelRl.groupSize`. */
  path: string
  value: unknown
  source: 'paper' | 'ours' | 'user'
}
