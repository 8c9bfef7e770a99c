import { UserError } from '../core/index.ts'
import { cosineDistance, type Embedder } from '../embedders/index.ts'
import { NO_PREDICTION, type WorldModelReward } from './reward.ts'

export type EmbeddingRewardOptions =
  /** 1 where the distance is below the threshold, else 0. Harder to game than a graded reward. */
  | { mode: 'binary'; threshold: number }
  /** 1 − distance, not below 0. */
  | { mode: 'continuous' }

/**
 * Reward by cosine distance between the embeddings of prediction and truth. The threshold has no default: it belongs to
 * one embedder and one kind of text, so calibrate it (`calibrateThreshold`) rather than copy it.
 */
export function embeddingReward(embedder: Embedder, options: EmbeddingRewardOptions): WorldModelReward {
  const threshold = options.mode === 'binary' ? options.threshold : null
  if (threshold !== null && !(threshold > 0 && threshold <= 2)) {
    throw new UserError(`embedding reward: the threshold must be a cosine distance in (0, 2], not ${threshold}`)
  }
  return {
    name: `embedding(${embedder.name}, ${threshold === null ? 'continuous' : `d < ${Number(threshold.toPrecision(3))}`})`,
    async score(predictions) {
      const texts = new Set<string>()
      for (const { predicted, actual } of predictions) if (predicted !== null) texts.add(predicted).add(actual)
      const list = [...texts]
      const vectors = await embedder.embed(list)
      const vectorOf = new Map(list.map((text, index) => [text, vectors[index]]))
      return predictions.map(({ predicted, actual }) => {
        if (predicted === null) return NO_PREDICTION
        const distance = cosineDistance(vectorOf.get(predicted)!, vectorOf.get(actual)!)
        const reward = threshold === null ? Math.max(0, 1 - distance) : distance < threshold ? 1 : 0
        return { reward, distance }
      })
    },
  }
}
