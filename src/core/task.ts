/** A tool as it is described to an agent. */
export interface Tool {
  name: string
  description?: string
  /** JSON Schema of the arguments. */
  parameters?: unknown
}

/** One thing to do in an environment. `id` is stable across runs: seeds, splits and pairing hang on it. */
export interface Task {
  id: string
  split: string
  /** Coarse kind for tables, e.g. `pick_and_place_simple` or `retail`. */
  kind: string
  /** What the agent is asked to do, as shown to it. */
  instruction: string
  /** What the agent can call, where it works with tools. */
  tools?: Tool[]
}
