/** One token from a probability row: inverse transform, top-k, top-p, greedy. */

/** A row of probabilities inside a larger array: `size` entries from `offset`. */
export interface Row {
  values: Float32Array
  offset: number
  size: number
}

/** The most probable token; the lowest id on a tie. */
export function mostProbable({ values, offset, size }: Row): number {
  let best = 0
  for (let i = 1; i < size; i++) if (values[offset + i] > values[offset + best]) best = i
  return best
}

/** The `count` most probable tokens, the most probable first; ties go to the lower id. */
export function mostProbableTokens({ values, offset, size }: Row, count: number): number[] {
  const best: number[] = []
  for (let i = 0; i < size; i++) {
    const p = values[offset + i]
    if (best.length === count && p <= values[offset + best[count - 1]]) continue
    let at = Math.min(best.length, count - 1)
    while (at > 0 && values[offset + best[at - 1]] < p) {
      best[at] = best[at - 1]
      at--
    }
    best[at] = i
  }
  return best
}

/**
 * The token at quantile `u` ∈ [0, 1) of the distribution, tokens in id order. A row in single precision need not sum to
 * one: what is missing at the end goes to the last token with any probability.
 */
export function drawToken({ values, offset, size }: Row, u: number): number {
  let left = u
  let last = 0
  for (let i = 0; i < size; i++) {
    const p = values[offset + i]
    if (p > 0) {
      left -= p
      if (left < 0) return i
      last = i
    }
  }
  return last
}

/**
 * The token at quantile `u` of the distribution restricted to its `topK` most probable tokens (0 = all), and of these to
 * the fewest whose probabilities reach `topP` of their sum; ties go to the lower id.
 */
export function drawRestricted(row: Row, u: number, topK: number, topP: number): number {
  const { values, offset, size } = row
  const order = Array.from({ length: size }, (_, i) => i).sort(
    (a, b) => values[offset + b] - values[offset + a] || a - b,
  )
  const candidates = topK > 0 ? order.slice(0, topK) : order
  const total = candidates.reduce((sum, i) => sum + values[offset + i], 0)
  let kept = 0
  let mass = 0
  while (kept < candidates.length && (kept === 0 || mass < topP * total)) mass += values[offset + candidates[kept++]]
  let left = u * mass
  for (let i = 0; i < kept; i++) {
    left -= values[offset + candidates[i]]
    if (left < 0) return candidates[i]
  }
  return candidates[kept - 1]
}
