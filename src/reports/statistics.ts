/** Intervals for rates of repeated, clustered, paired measurements. Pure functions, nothing random. */

export interface Interval {
  low: number
  high: number
}

/** Several measurements of one task: they share the task's luck and count as one cluster. */
export interface Cluster {
  sum: number
  count: number
}

/** Two-sided 95 %. */
const Z = 1.959964
/** Two-sided 5 % error, 80 % power: 1.96 + 0.84. */
const DETECTABLE = 2.801585

export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Sample standard deviation; null for fewer than two values. */
export function standardDeviation(values: readonly number[]): number | null {
  const centre = mean(values)
  if (centre === null || values.length < 2) return null
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1))
}

/** Wilson's interval of a share `p` seen in `n` independent trials; `n` may be an effective size. */
export function wilson(p: number, n: number): Interval {
  if (!(n > 0)) return { low: 0, high: 1 }
  const spread = Z * Math.sqrt((p * (1 - p)) / n + (Z * Z) / (4 * n * n))
  const centre = p + (Z * Z) / (2 * n)
  const scale = 1 + (Z * Z) / n
  return { low: Math.max(0, (centre - spread) / scale), high: Math.min(1, (centre + spread) / scale) }
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
  return wilson(value, Math.min(total, Math.max(1, effective || groups)))
}

/** 95 % interval of a mean that is not a share. */
export function clusteredMeanInterval(clusters: readonly Cluster[]): Interval | null {
  const estimate = clusteredMean(clusters)
  if (!estimate || estimate.error === null) return null
  return { low: estimate.value - Z * estimate.error, high: estimate.value + Z * estimate.error }
}

/** Pearson's correlation; 0 where either side does not vary. */
export function correlation(a: readonly number[], b: readonly number[]): number {
  const [meanA, meanB] = [mean(a), mean(b)]
  if (meanA === null || meanB === null || a.length !== b.length) return 0
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
export function detectableDifference(interval: Interval): number {
  return (DETECTABLE * (interval.high - interval.low)) / (2 * Z)
}
