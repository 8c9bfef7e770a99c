/** Means, intervals and tests for comparing runs. Pure functions; whatever is random takes a seed. */
import { bisect, normalQuantile } from './normal.ts'
import { hash32, uniform } from './random.ts'

export interface Interval {
  low: number
  high: number
}

/** Arithmetic mean; NaN of nothing. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Sample standard deviation (n − 1); 0 of fewer than two values. */
export function sd(values: readonly number[]): number {
  if (values.length < 2) return 0
  const centre = mean(values)
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1))
}

/** Value below which the share `q` of the sorted values lies, interpolated between neighbours. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const place = q * (sorted.length - 1)
  const below = Math.floor(place)
  const above = Math.min(below + 1, sorted.length - 1)
  return sorted[below] + (place - below) * (sorted[above] - sorted[below])
}

export interface BootstrapOptions {
  seed: number
  /** Resamples; default 2,000. */
  samples?: number
  /** Coverage; default 0.95. */
  level?: number
  /** Default: the mean. */
  statistic?: (values: readonly number[]) => number
}

/** Percentile bootstrap interval of a statistic. */
export function bootstrapInterval(values: readonly number[], options: BootstrapOptions): Interval {
  const { seed, samples = 2000, level = 0.95, statistic = mean } = options
  if (values.length === 0) throw new Error('a bootstrap interval needs at least one value')
  const estimates: number[] = []
  for (let sample = 0; sample < samples; sample++) {
    const base = hash32(seed, 'bootstrap', sample)
    estimates.push(statistic(values.map((_, draw) => values[Math.floor(uniform(base, draw) * values.length)])))
  }
  return { low: quantile(estimates, (1 - level) / 2), high: quantile(estimates, (1 + level) / 2) }
}

/** Wilson score interval of a proportion: sound for few trials and near 0 and 1. */
export function wilsonInterval(successes: number, trials: number, level = 0.95): Interval {
  if (!(trials > 0 && successes >= 0 && successes <= trials)) {
    throw new Error(`${successes} successes in ${trials} trials are no proportion`)
  }
  const z = normalQuantile((1 + level) / 2)
  const p = successes / trials
  const centre = p + z ** 2 / (2 * trials)
  const spread = z * Math.sqrt((p * (1 - p)) / trials + z ** 2 / (4 * trials ** 2))
  const scale = 1 + z ** 2 / trials
  return { low: Math.max(0, (centre - spread) / scale), high: Math.min(1, (centre + spread) / scale) }
}

/**
 * Exact two-sided McNemar test from the two counts of discordant pairs: tasks that only the first, and only the second
 * method solved. Returns the p-value.
 */
export function mcNemarTest(onlyFirst: number, onlySecond: number): number {
  const trials = onlyFirst + onlySecond
  let tail = 0
  // log of C(trials, k) / 2^trials, built up term by term: the powers would underflow.
  let logTerm = -trials * Math.LN2
  for (let k = 0; k <= Math.min(onlyFirst, onlySecond); k++) {
    tail += Math.exp(logTerm)
    logTerm += Math.log((trials - k) / (k + 1))
  }
  return Math.min(1, 2 * tail)
}

/** Up to this many non-zero differences, every pattern of signs is tried: 2^14 of them. */
const EXACT_PAIRS = 14

/**
 * Two-sided paired permutation test on the mean difference: signs of the differences are flipped. Exact for few pairs,
 * else from seeded random flips, counting the observed one among them. Returns the p-value.
 */
export function pairedPermutationTest(
  first: readonly number[],
  second: readonly number[],
  options: { seed: number; permutations?: number },
): number {
  if (first.length !== second.length) throw new Error(`${first.length} and ${second.length} values cannot be paired`)
  const differences = first.map((value, index) => value - second[index]).filter((difference) => difference !== 0)
  const observed = Math.abs(differences.reduce((sum, value) => sum + value, 0))
  // Sums in another order differ in their last digits; a tie must count as one.
  const limit = observed * (1 - 1e-12)
  const total = (flips: (index: number) => boolean) =>
    Math.abs(differences.reduce((sum, value, index) => sum + (flips(index) ? -value : value), 0))
  let extreme = 0
  if (differences.length <= EXACT_PAIRS) {
    const patterns = 2 ** differences.length
    for (let bits = 0; bits < patterns; bits++) if (total((index) => ((bits >> index) & 1) === 1) >= limit) extreme++
    return extreme / patterns
  }
  const { seed, permutations = 10_000 } = options
  for (let round = 0; round < permutations; round++) {
    const base = hash32(seed, 'permutation', round)
    if (total((index) => uniform(base, index) < 0.5) >= limit) extreme++
  }
  return (extreme + 1) / (permutations + 1)
}

/** Holm's correction: adjusted p-values in the order given, to be held against the error rate of the whole family. */
export function holmCorrection(pValues: readonly number[]): number[] {
  const order = pValues.map((_, index) => index).sort((a, b) => pValues[a] - pValues[b])
  const adjusted = new Array<number>(pValues.length)
  let largest = 0
  for (const [rank, index] of order.entries()) {
    largest = Math.max(largest, Math.min(1, pValues[index] * (pValues.length - rank)))
    adjusted[index] = largest
  }
  return adjusted
}

export interface PowerOptions {
  /** Two-sided error rate; default 0.05. */
  alpha?: number
  /** Probability of seeing a true difference of that size; default 0.8. */
  power?: number
}

/**
 * Smallest rise over a base proportion that a comparison of two independent groups of `trials` each would detect (normal
 * approximation). Null when even a rise to 1 would go unseen.
 */
export function detectableDifference(base: number, trials: number, options: PowerOptions = {}): number | null {
  const { zAlpha, zPower } = powerQuantiles(options)
  return smallestDetectable(1 - base, (difference) => {
    const raised = base + difference
    const pooled = (base + raised) / 2
    const underNull = zAlpha * Math.sqrt(2 * pooled * (1 - pooled))
    const underDifference = zPower * Math.sqrt(base * (1 - base) + raised * (1 - raised))
    return difference * Math.sqrt(trials) - underNull - underDifference
  })
}

/**
 * The same for paired outcomes (McNemar), which needs the share of pairs whose two outcomes differ. Null when more pairs
 * would be needed whatever the difference.
 */
export function detectablePairedDifference(
  discordant: number,
  pairs: number,
  options: PowerOptions = {},
): number | null {
  const { zAlpha, zPower } = powerQuantiles(options)
  return smallestDetectable(discordant, (difference) => {
    const underDifference = zPower * Math.sqrt(Math.max(0, discordant - difference ** 2))
    return difference * Math.sqrt(pairs) - zAlpha * Math.sqrt(discordant) - underDifference
  })
}

function powerQuantiles({ alpha = 0.05, power = 0.8 }: PowerOptions): { zAlpha: number; zPower: number } {
  return { zAlpha: normalQuantile(1 - alpha / 2), zPower: normalQuantile(power) }
}

/** Root of a surplus that is negative at 0 and grows, by bisection; null where it is still negative at the largest. */
function smallestDetectable(largest: number, surplus: (difference: number) => number): number | null {
  if (!(largest > 0) || surplus(largest) < 0) return null
  return bisect(0, largest, (difference) => surplus(difference) < 0)
}
