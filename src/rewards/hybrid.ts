import { UserError } from '../core/index.ts'
import type { Prediction, Score, WorldModelReward } from './reward.ts'

/** Which reward scores next states of which origin. */
export type RewardBySource = Partial<Record<Prediction['from'], WorldModelReward>>

/** Another reward by who produced the next state, e.g. embeddings for a user's words and ROUGE for tool results. */
export function hybridReward(rewards: RewardBySource): WorldModelReward {
  const entries = Object.entries(rewards) as [Prediction['from'], WorldModelReward][]
  return {
    name: `hybrid(${entries.map(([from, reward]) => `${from}: ${reward.name}`).join(', ')})`,
    async score(predictions) {
      const scores = new Array<Score>(predictions.length)
      const places = new Map<Prediction['from'], number[]>()
      for (const [index, { from }] of predictions.entries()) {
        if (!rewards[from]) throw new UserError(`hybrid reward: no reward for next states from the ${from}; name one`)
        places.set(from, [...(places.get(from) ?? []), index])
      }
      for (const [from, indices] of places) {
        const part = await rewards[from]!.score(indices.map((index) => predictions[index]))
        for (const [at, index] of indices.entries()) scores[index] = part[at]
      }
      return scores
    },
  }
}
