import { type StatePair, WORD_FOR_WORD, type WorldModelReward } from '../../rewards/index.ts'

/** Distances at which an embedding reward is also looked at, beside its own threshold; 0.2 is the paper's. */
const THRESHOLDS = [0.05, 0.1, 0.2, 0.3]

/** A reward tested on labelled pairs of states. */
export interface RewardTest {
  reward: string
  /** It gives parts of a point: what counts is the order of rewards, not which are 1. */
  graded: boolean
  pairs: number
  /** Of the reward given in all, the share given to the same state, were same and different pairs equally common. */
  precision: number
  /** Mean reward of the same state told differently. */
  recall: number
  /** Probability that the same state earns more than a different one (a tie counts half); 0.5 = no use. */
  separation: number
  sorts: SortTest[]
  /** For rewards by distance; empty for others. `own` marks the reward's. */
  thresholds: { threshold: number; own: boolean; precision: number; recall: number }[]
}

export interface SortTest {
  sort: string
  same: boolean
  pairs: number
  /** Mean reward by the run's reward. */
  rewarded: number
  /** Share of pairs below each threshold, along `thresholds`. */
  below: number[]
  example: { actual: string; other: string }
}

/** Scores every pair. `threshold` is the reward's own, null where it has none. */
export async function testReward(
  reward: WorldModelReward,
  threshold: number | null,
  pairs: readonly StatePair[],
): Promise<RewardTest> {
  const scores = await reward.score(pairs.map(({ other, actual, from }) => ({ predicted: other, actual, from })))
  const rewards = scores.map((score) => score.reward)
  const limits = threshold === null ? [] : [...new Set([...THRESHOLDS, threshold])].sort((a, b) => a - b)
  const belowOf = (limit: number) => scores.map(({ distance }) => (distance !== null && distance < limit ? 1 : 0))
  const sorts = [...new Set(pairs.map((pair) => pair.sort))].map((sort): SortTest => {
    const members = pairs.flatMap((pair, index) => (pair.sort === sort ? [index] : []))
    const { same, actual, other } = pairs[members[0]]
    const share = (values: readonly number[]) => members.reduce((sum, i) => sum + values[i], 0) / members.length
    const below = limits.map((limit) => share(belowOf(limit)))
    return { sort, same, pairs: members.length, rewarded: share(rewards), below, example: { actual, other } }
  })
  return {
    reward: reward.name,
    graded: rewards.some((value) => value !== 0 && value !== 1),
    pairs: pairs.length,
    ...precisionAndRecall(pairs, rewards),
    separation: separation(pairs, rewards),
    sorts,
    thresholds: limits.map((limit) => ({
      threshold: limit,
      own: limit === threshold,
      ...precisionAndRecall(pairs, belowOf(limit)),
    })),
  }
}

function precisionAndRecall(
  pairs: readonly StatePair[],
  rewards: readonly number[],
): { precision: number; recall: number } {
  const average = (which: (pair: StatePair) => boolean) => {
    const values = rewards.filter((_, index) => which(pairs[index]))
    return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
  }
  const [right, wrong] = [average((pair) => pair.same), average((pair) => !pair.same)]
  return {
    precision: right + wrong > 0 ? right / (right + wrong) : 0,
    recall: average((pair) => pair.same && pair.sort !== WORD_FOR_WORD),
  }
}

function separation(pairs: readonly StatePair[], rewards: readonly number[]): number {
  const same = rewards.filter((_, index) => pairs[index].same)
  const different = rewards.filter((_, index) => !pairs[index].same)
  let wins = 0
  for (const a of same) for (const b of different) wins += a > b ? 1 : a === b ? 0.5 : 0
  return same.length * different.length === 0 ? 0.5 : wins / (same.length * different.length)
}
