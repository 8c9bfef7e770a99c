import type {
  Action,
  EpisodeFacts,
  HiddenCall,
  Observation,
  Player,
  Random,
  Task,
  Trajectory,
  Transition,
} from '../core/index.ts'

/** What one step of an episode returned. */
export interface StepResult {
  observation: Observation
  /** The task is over by the environment's own rule (ALFWorld: won). */
  done: boolean
  /** The episode cannot go on although the task is not over: a limit of the environment's own. Never together with `done`. */
  truncated: boolean
  /** The action was admissible. Only valid transitions train, filter and count. */
  valid: boolean
  /** Task reward so far; absent where the environment has none. */
  reward?: number
  /** What another party did with its own tools before it came to this observation: for the record alone. */
  hidden?: HiddenCall[]
  /** Why the episode is no result, where something else than the agent failed; `truncated` is true then. */
  failed?: string
  /** With the last step: what there is to know of the episode beside its reward. */
  facts?: EpisodeFacts
}

/** One attempt at a task. Independent of every other episode: no shared mutable state. */
export interface Episode {
  readonly initial: Observation
  /** What another party did with its own tools before `initial`: for the record alone. */
  readonly hidden?: HiddenCall[]
  step(action: Action): StepResult | Promise<StepResult>
  /** Admissible text commands now, where the environment can list them. */
  actions?(): string[]
  /** Nobody asks it anything more, whether or not it is over: it gives back what it holds, such as a connection. */
  close?(): void | Promise<void>
}

export interface OpenOptions {
  seed: number
  /** Steps until the episode is ended. An environment may say `truncated` then; the player counts for itself. */
  maxSteps?: number
}

/** A text beside a state, and how it was made from it: `one object missing`. */
export interface StateText {
  sort: string
  text: string
}

/** Texts around a state with a known answer: what a reward is tested on. */
export interface StateVariants {
  /** The same state told differently; every text differs from the environment's own. */
  same: StateText[]
  /** Other states that look much like it, as a prediction that is nearly right would. */
  different: StateText[]
}

/** A set of tasks and a way to open episodes of them. An environment without reward runs everything but policy RL. */
export interface Environment {
  readonly name: string
  /** Longest wait for it to open an episode or answer a step, in milliseconds, where that is not the usual. */
  readonly deadline?: number
  /** Most episodes that can be open at once; where it is missing, any number. */
  readonly concurrent?: number
  splits(): string[]
  tasks(split: string): Task[]
  open(task: Task, options: OpenOptions): Episode | Promise<Episode>
  /** What happened on a split's tasks, where it was recorded and cannot be played (logs): collection takes it as it is. */
  recorded?(split: string): Trajectory[]
  /**
   * An expert at a task, one player an attempt: it may know what no agent sees, such as the true state. Imitation learns from it,
   * and nothing else asks for it. Attempts with another seed may go another way.
   */
  planner?(task: Task, seed: number): Player
  /** Kind of a transition for tables of accuracy, e.g. `first visit`, `revisit`, `take/put`. */
  transitionKind?(transition: Transition): string
  /** Whether the action names only things shown where the agent stands; null where the question does not arise. */
  grounded?(transition: Transition): boolean | null
  /**
   * The state that a transition led to told differently, and states easily taken for it. Only the environment knows which
   * differences between two texts matter; without this, a reward is tested on collected states alone.
   */
  variants?(transition: Transition, random: Random): StateVariants
}
