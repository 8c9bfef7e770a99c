import { observationText, type Transition, UserError } from '../core/index.ts'
import type { Score, WorldModelReward } from '../rewards/index.ts'

/** A predicted next state, and the transition that says what really followed. */
export interface Scorable {
  transition: Transition
  predicted: string | null
}

/**
 * One score a prediction, in order, from anybody's reward.
 * @throws UserError naming the reward and the transition where a score is missing or no number in [0, 1]: it would spread
 * through every weight that is trained on it.
 */
export async function scorePredictions(reward: WorldModelReward, predictions: readonly Scorable[]): Promise<Score[]> {
  const scores = await reward.score(
    predictions.map(({ transition: { next }, predicted }) => ({
      predicted,
      actual: observationText(next),
      from: next.from,
    })),
  )
  for (const [i, { transition }] of predictions.entries()) {
    const score: Partial<Score> | undefined = scores[i]
    const valid = score !== undefined && isShare(score.reward) && (score.distance === null || isNumber(score.distance))
    if (valid) continue
    const got = score === undefined ? 'nothing' : `reward ${score.reward}, distance ${score.distance}`
    throw new UserError(
      `the reward ${reward.name} gave ${got} for transition ${transition.id}: it must give a reward from 0 to 1 and a distance or null; mend it`,
    )
  }
  return scores
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isShare = (value: unknown): boolean => isNumber(value) && value >= 0 && value <= 1
