/** Group-relative advantages (GRPO): how much better a sample did than the others of its prompt. */

export interface AdvantageOptions {
  /** `std`: divide by the standard deviation of the group; `none`: mean only (Dr. GRPO). */
  scale: 'std' | 'none'
  /** Added to the standard deviation. */
  epsilon: number
  /**
   * What mean and standard deviation run over. `trajectory`: every attempt counts once. `step`: every step sample counts
   * once, so long attempts weigh more.
   */
  level: 'trajectory' | 'step'
}

export const DEFAULT_ADVANTAGES: AdvantageOptions = { scale: 'std', epsilon: 1e-6, level: 'trajectory' }

/**
 * `(r − mean) / (std + ε)` for each attempt of one group; every step of an attempt gets the attempt's value. `std` is the
 * sample standard deviation (n − 1), as in other trainers. Where all rewards are exactly equal, a group of one included,
 * the advantages are exactly 0.
 * @param steps Step samples of each attempt; used at level `step` only.
 */
export function groupAdvantages(
  rewards: readonly number[],
  options: AdvantageOptions = DEFAULT_ADVANTAGES,
  steps?: readonly number[],
): number[] {
  for (const reward of rewards) if (!Number.isFinite(reward)) throw new Error(`a reward is not a number: ${reward}`)
  if (groupOutcome(rewards) !== 'mixed') return rewards.map(() => 0)
  const counts = rewards.map((_, index) => (options.level === 'step' ? (steps?.[index] ?? 1) : 1))
  const total = sum(counts)
  const mean = sum(rewards.map((reward, index) => reward * counts[index])) / total
  const deviations = rewards.map((reward) => reward - mean)
  if (options.scale === 'none') return deviations
  const variance = sum(deviations.map((deviation, index) => deviation ** 2 * counts[index])) / Math.max(total - 1, 1)
  return deviations.map((deviation) => deviation / (Math.sqrt(variance) + options.epsilon))
}

/** A group teaches only where it is `mixed`. The others have exactly equal rewards: all at least 1, all at most 0, or between. */
export type GroupOutcome = 'mixed' | 'allPass' | 'allFail' | 'allSame'

/** Exact comparison, never a tolerance on the variance: rounding must not decide which groups count. */
export function groupOutcome(rewards: readonly number[]): GroupOutcome {
  const [first] = rewards
  if (rewards.length === 0) return 'allSame'
  if (rewards.some((reward) => reward !== first)) return 'mixed'
  if (first >= 1) return 'allPass'
  return first <= 0 ? 'allFail' : 'allSame'
}

/** How many groups had which outcome. */
export function countOutcomes(groups: readonly (readonly number[])[]): Record<GroupOutcome, number> {
  const counts: Record<GroupOutcome, number> = { mixed: 0, allPass: 0, allFail: 0, allSame: 0 }
  for (const rewards of groups) counts[groupOutcome(rewards)]++
  return counts
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
