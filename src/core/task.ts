/** One thing to do in an environment. `id` is stable across runs: seeds, splits and pairing hang on it. */
export interface Task {
  id: string
  split: string
  /** Coarse kind for tables, e.g. `pick_and_place_simple` or `retail`. */
  kind: string
  /** What the agent is asked to do, as shown to it. */
  instruction: string
}
