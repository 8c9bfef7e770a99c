/** Intervals of clustered and paired measurements, on top of core's. Pure functions, nothing random. */
import { type Interval, mean, wilsonInterval } from '../core/index.ts'

/** Several measurements of one task: they share the task's luck and count as one cluster. */
export interface Cluster {
  sum: number
  count: number
}

/** Two-sided 95 %. */
const Z = 1.959964
/** Two-sided 5 % error, 80 % power: 1.96 + 0.84. */
const DETECTABLE = 2.801585

/** Wilson's interval of a share in [0, 1] of `trials`, which may be an effective number; rounding past the ends is forgiven. */
export function shareInterval(value: number, trials: number): Interval {
  return wilsonInterval(Math.min(trials, Math.max(0, value * trials)), trials)
}

/** Mean over all measurements and its standard error over clusters; null error for fewer than two clusters. */
export function clusteredMean(clusters: readonly Cluster[]): { value: number; error: number | null } | null {
  const used = clusters.filter((cluster) => cluster.count > 0)
  const count = used.reduce((sum, cluster) => sum + cluster.count, 0)
  if (count === 0) return null
  const value = used.reduce((sum, cluster) => sum + cluster.sum, 0) / count
  if (used.length < 2) return { value, error: null }
  const squares = used.reduce((sum, cluster) => sum + (cluster.sum - value * cluster.count) ** 2, 0)
  return { value, error: Math.sqrt((squares * used.length) / (used.length - 1)) / count }
}

/**
 * 95 % interval of a share: Wilson's at the number of independent trials that would have the clusters' error. Where the
 * error says nothing (all solved, none solved), every cluster counts once.
 */
export function clusteredShareInterval(clusters: readonly Cluster[]): Interval | null {
  const estimate = clusteredMean(clusters)
  if (!estimate) return null
  const { value, error } = estimate
  const total = clusters.reduce((sum, cluster) => sum + cluster.count, 0)
  const groups = clusters.filter((cluster) => cluster.count > 0).length
  const effective = error ? (value * (1 - value)) / error ** 2 : groups
  return shareInterval(value, Math.min(total, Math.max(1, effective || groups)))
}

/** 95 % interval of a mean that is not a share. */
export function clusteredMeanInterval(clusters: readonly Cluster[]): Interval | null {
  const estimate = clusteredMean(clusters)
  if (!estimate || estimate.error === null) return null
  return { low: estimate.value - Z * estimate.error, high: estimate.value + Z * estimate.error }
}

/** Pearson's correlation; 0 where either side does not vary. */
export function correlation(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) throw new Error(`${a.length} and ${b.length} values cannot be paired`)
  if (a.length === 0) return 0
  const [meanA, meanB] = [mean(a), mean(b)]
  let [ab, aa, bb] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    ab += (a[i] - meanA) * (b[i] - meanB)
    aa += (a[i] - meanA) ** 2
    bb += (b[i] - meanB) ** 2
  }
  const scale = Math.sqrt(aa * bb)
  return scale > 0 ? Math.max(-1, Math.min(1, ab / scale)) : 0
}

/**
 * 95 % interval of `b − a` from the two intervals (Zou and Donner's method of variance recovery; for paired measurements
 * give their correlation). It stays honest where one side is 0 or 1, which a normal interval does not.
 */
export function differenceInterval(
  a: { value: number; interval: Interval },
  b: { value: number; interval: Interval },
  paired = 0,
): Interval {
  const root = (x: number, y: number) => Math.sqrt(Math.max(0, x * x + y * y - 2 * paired * x * y))
  const difference = b.value - a.value
  return {
    low: difference - root(b.value - b.interval.low, a.interval.high - a.value),
    high: difference + root(b.interval.high - b.value, a.value - a.interval.low),
  }
}

/** The true difference that an interval of this width would detect four times in five. */
export function detectableFrom(interval: Interval): number {
  return (DETECTABLE * (interval.high - interval.low)) / (2 * Z)
}
