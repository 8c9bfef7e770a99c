import type { FactSummary } from './episode-facts.ts'

/** What an evaluation found: the content of `evaluation.json`, and all that tables and figures are drawn from. */

export interface EvaluationResult {
  /** Evaluated checkpoints, in order: base, after world-model RL, after policy RL, …. */
  arms: ArmResult[]
  /** World-model baselines on the same frozen transitions. */
  worldModelBaselines: WorldModelResult[]
  settings: {
    temperature: number
    maxSteps: number
    runs: number
    seed: number
    /** Who played the held-out transitions, where it was not the base model. */
    heldOutBy?: string[]
    [name: string]: unknown
  }
}

export interface ArmResult {
  /** Shown in tables, e.g. `base`. */
  arm: string
  /** Folder of the evaluated model, relative to the run folder. */
  checkpoint: string
  /** Whether it was asked to think before it predicts: as it was trained. Absent in older results: yes. */
  reasoning?: boolean
  /** It is a control: what was taken away from what it learned. */
  control?: string
  policy: PolicyResult[]
  worldModel: WorldModelResult[]
}

/** Task success on one split. */
export interface PolicyResult {
  /** `seen`, `unseen`, …. */
  split: string
  tasks: number
  /** Success rate in [0, 1] of each evaluation run; mean ± sd over runs is what tables show. */
  successByRun: number[]
  /** Share of steps that were not admissible. */
  invalidShare: number
  /** Mean steps of solved episodes; null when none was solved. */
  stepsPerSolved: number | null
  byKind: Record<string, { solved: number; episodes: number }>
  /** Share of `take` actions that name an object listed where the agent stands; null when there were none. */
  grounding: number | null
  /** Share of replies that followed the answer format. */
  parseRate: number
  /** Prompts whose oldest turns did not fit the model's context and were left out. Absent in older results: not counted. */
  shortened?: number
  /** Episodes that ended because not even the current observation fits the context. */
  outgrown?: number
  /** Episodes that broke for a reason that is not the agent's: in no other figure. */
  failed?: number
  /** What the environment says of its episodes, the failed ones included; null where it says nothing. */
  facts?: FactSummary | null
  episodes: EpisodeResult[]
}

/** One attempt of an evaluation. */
export interface EpisodeResult {
  taskId: string
  /** Of the task. Absent in older results, as is `wasted`. */
  kind?: string
  run: number
  solved: boolean
  steps: number
  /** Steps that were not admissible, and those that changed nothing, invalid ones among them: see `wastedSteps`. */
  invalid: number
  wasted?: number
}

/** Next-state prediction on frozen held-out transitions. */
export interface WorldModelResult {
  /** `model`, or a baseline: `copy last observation`, `most frequent for verb`, `nearest training transition`. */
  predictor: string
  split: string
  transitions: number
  /** Share predicted exactly (same text), and share whose distance is under the reward's threshold. */
  exact: number
  rewarded: number
  parseRate: number
  /** Prompts whose oldest turns did not fit the model's context and were left out. Absent in older results: not counted. */
  shortened?: number
  /** By kind of transition: first visit, revisit, open/close, take/put, other, invalid. */
  byKind: Record<string, { transitions: number; exact: number; rewarded: number }>
  /**
   * What became of each transition, by task: transitions of one task share its luck, so intervals are over tasks, and two
   * predictors on the same transitions are compared pair by pair. Absent in older runs.
   */
  outcomes?: TaskOutcomes[]
  /** A few predictions to look at. */
  examples: PredictionExample[]
}

/** Outcomes of one task's transitions, in the order of the frozen transitions: the same for every predictor. */
export interface TaskOutcomes {
  taskId: string
  /** 1 where the text was predicted exactly, else 0. */
  exact: number[]
  /** In [0, 1], along `exact`. */
  reward: number[]
  /** 1 where the action was admissible, else 0, along `exact`. Absent in older runs. */
  valid?: number[]
}

export interface PredictionExample {
  kind: string
  instruction: string
  action: string
  thinking: string | null
  predicted: string | null
  actual: string
  distance: number | null
  reward: number
}

/** One line of `metrics.jsonl`. */
export interface MetricLine {
  stage: string
  step: number
  /** Milliseconds since the stage began; not part of what must be reproduced. */
  time: number
  [name: string]: number | string | null
}
