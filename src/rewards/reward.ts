import type { Observation } from '../core/index.ts'

/** A predicted next state beside what really followed. */
export interface Prediction {
  /** Text inside `<next_state>`; null when the reply held none. */
  predicted: string | null
  actual: string
  /** Who produced the next state: rewards may differ by it. */
  from: Observation['from']
}

export interface Score {
  /** In [0, 1]. */
  reward: number
  /** How far the prediction was off, in the reward's own measure; null when there was no prediction. */
  distance: number | null
  /** Whoever was to judge gave no answer that can be read: the reward is 0 for that reason alone. */
  unread?: boolean
}

/** Scores predictions of the next state. Scoring only: it never sees the model or the prompt. */
export interface WorldModelReward {
  /** Names the reward and its settings in run folders and tables. */
  readonly name: string
  /** One score a prediction, in order; a prediction's score does not depend on the others. No prediction scores 0. */
  score(predictions: readonly Prediction[]): Promise<Score[]>
}

export const NO_PREDICTION: Score = { reward: 0, distance: null }

/** Nothing else is kept waiting for longer, in milliseconds. */
const LONGEST_TURN = 50

/** A reward from a function of the two texts. */
export function textReward(name: string, score: (predicted: string, actual: string) => Score): WorldModelReward {
  return {
    name,
    async score(predictions) {
      const scores: Score[] = []
      let began = performance.now()
      for (const { predicted, actual } of predictions) {
        scores.push(predicted === null ? NO_PREDICTION : score(predicted, actual))
        if (performance.now() - began < LONGEST_TURN) continue
        // A server of rewards has others to answer, and hears Ctrl-C.
        await new Promise((resolve) => setImmediate(resolve))
        began = performance.now()
      }
      return scores
    },
  }
}
