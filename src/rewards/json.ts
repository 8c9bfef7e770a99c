import type { Prediction, WorldModelReward } from './reward.ts'

/**
 * A reward under which JSON has to be JSON [ours]: where what followed is a JSON object or list and the prediction is not,
 * it earns nothing. ROUGE sees words alone, so that under it a model learns to leave brackets out.
 */
export function jsonReward(inner: WorldModelReward): WorldModelReward {
  return {
    name: `${inner.name} of JSON`,
    async score(predictions) {
      const scores = await inner.score(predictions)
      return scores.map((score, index) => (isBroken(predictions[index]) ? { reward: 0, distance: 1 } : score))
    },
  }
}

function isBroken({ predicted, actual }: Prediction): boolean {
  return predicted !== null && isJson(actual) && !isJson(predicted)
}

/** An object or a list. A bare word or number is text. */
function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
