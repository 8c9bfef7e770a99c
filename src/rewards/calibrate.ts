import { UserError } from '../core/index.ts'
import { cosineDistance, type Embedder } from '../embedders/index.ts'

export interface Calibration {
  /** Call two texts the same where their distance is below this. */
  threshold: number
  /** Probability that a different pair lies further apart than a same pair (AUC); 0.5 = no use, 1 = perfect. */
  separation: number
  /** Of the pairs called the same, the share that is, were both sorts of pair equally common. */
  precision: number
  /** Of the same pairs, the share called the same. */
  recall: number
  /** Whether `precision` reached what was asked for with some recall; if not, do not train on this reward. */
  reliable: boolean
}

/** Precision asked for where nothing else is said: one wrong reward in twenty. */
export const DEFAULT_PRECISION = 0.95

/**
 * Finds the threshold with the highest recall among those with at least the wanted precision, from distances of pairs
 * known to be the same state and pairs known to be different. Precision comes first: a rewarded wrong answer teaches
 * something false. Where no threshold reaches it, the one with the best precision is returned, not `reliable`.
 */
export function calibrateThreshold(
  same: readonly number[],
  different: readonly number[],
  precision: number = DEFAULT_PRECISION,
): Calibration {
  if (same.length === 0 || different.length === 0) {
    throw new UserError('calibration needs distances of same pairs and of different pairs; one of the lists is empty')
  }
  const [near, far] = [sorted(same), sorted(different)]
  const separation = separationOf(near, far)
  let best: Calibration | null = null
  for (const threshold of candidates(near, far)) {
    const recall = below(near, threshold) / near.length
    const wrong = below(far, threshold) / far.length
    const found = recall > 0 ? recall / (recall + wrong) : 0
    const candidate = { threshold, separation, precision: found, recall, reliable: found >= precision && recall > 0 }
    if (best === null || isBetter(candidate, best)) best = candidate
  }
  return best!
}

export interface PairTexts {
  same: readonly (readonly [string, string])[]
  different: readonly (readonly [string, string])[]
}

export interface EmbedderCandidate {
  embedder: Embedder
  calibration: Calibration
}

/** A recall that is higher by this much makes a better embedder; by less, it may be the luck of the pairs. */
const CLEARLY_BETTER = 0.05

/**
 * Calibrates each embedder on the same pairs and picks the best: a reliable one before an unreliable one, then one with a
 * clearly higher recall, else the first given. `candidates` holds it and then the others, for the report.
 */
export async function chooseEmbedder(
  embedders: readonly Embedder[],
  pairs: PairTexts,
  precision: number = DEFAULT_PRECISION,
): Promise<EmbedderCandidate & { candidates: EmbedderCandidate[] }> {
  if (embedders.length === 0) throw new UserError('choosing an embedder needs at least one to choose from')
  const candidates: EmbedderCandidate[] = []
  for (const embedder of embedders) {
    const same = await pairDistances(embedder, pairs.same)
    const different = await pairDistances(embedder, pairs.different)
    candidates.push({ embedder, calibration: calibrateThreshold(same, different, precision) })
  }
  const best = candidates.reduce((best, one) => (isClearlyBetter(one.calibration, best.calibration) ? one : best))
  return { ...best, candidates: [best, ...candidates.filter((one) => one !== best)] }
}

/** Cosine distance of each pair of texts. */
export async function pairDistances(
  embedder: Embedder,
  pairs: readonly (readonly [string, string])[],
): Promise<number[]> {
  const vectors = await embedder.embed(pairs.flat())
  return pairs.map((_, index) => cosineDistance(vectors[2 * index], vectors[2 * index + 1]))
}

/** Half-way between neighbouring distances, and one above them all: every way to split the pairs. */
function candidates(near: readonly number[], far: readonly number[]): number[] {
  const values = [...new Set([...near, ...far])].sort((a, b) => a - b)
  return values.map((value, index) => (index + 1 < values.length ? (value + values[index + 1]) / 2 : value + 1e-6))
}

/** Candidates come in rising order, so on a tie the lower threshold stays. */
function isBetter(a: Calibration, b: Calibration): boolean {
  if (a.reliable !== b.reliable) return a.reliable
  if (a.reliable) return a.recall > b.recall
  return a.precision > b.precision || (a.precision === b.precision && a.recall > b.recall)
}

function isClearlyBetter(a: Calibration, b: Calibration): boolean {
  return a.reliable === b.reliable ? a.recall > b.recall + CLEARLY_BETTER : a.reliable
}

function separationOf(near: readonly number[], far: readonly number[]): number {
  let wins = 0
  for (const distance of near) wins += far.length - (below(far, distance) + atMost(far, distance)) / 2
  return wins / (near.length * far.length)
}

function sorted(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b)
}

/** How many of the sorted values are below the limit. */
function below(values: readonly number[], limit: number): number {
  return count(values, (value) => value < limit)
}

function atMost(values: readonly number[], limit: number): number {
  return count(values, (value) => value <= limit)
}

/** Length of the leading part that fulfils a condition, by bisection. */
function count(values: readonly number[], holds: (value: number) => boolean): number {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(values[middle])) low = middle + 1
    else high = middle
  }
  return low
}
