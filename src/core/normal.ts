/** The standard normal distribution, to about 14 digits. */

/** The point up to which a condition holds, where it holds at the lower end and not at the upper. */
export function bisect(from: number, to: number, holds: (value: number) => boolean): number {
  let [low, high] = [from, to]
  for (let round = 0; round < 100 && high - low > 1e-15; round++) {
    const middle = (low + high) / 2
    if (holds(middle)) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** P(Z ≤ z) of the standard normal distribution. */
export function normalCdf(z: number): number {
  const x = Math.abs(z)
  if (x > 38) return z < 0 ? 0 : 1
  const density = Math.exp(-(x * x) / 2) / Math.sqrt(2 * Math.PI)
  let tail: number
  if (x < 3) {
    // Series of the integral from 0: x + x³/3 + x⁵/(3·5) + …
    let term = x
    let sum = x
    for (let n = 3; term > 1e-17 * sum; n += 2) {
      term *= (x * x) / n
      sum += term
    }
    tail = 0.5 - density * sum
  } else {
    // Continued fraction of the tail, from its far end.
    let fraction = x
    for (let n = 60; n >= 1; n--) fraction = x + n / fraction
    tail = density / fraction
  }
  return z < 0 ? tail : 1 - tail
}

/** Inverse of `normalCdf`, for 0 < p < 1. */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) throw new Error(`a quantile needs a probability between 0 and 1, not ${p}`)
  // By symmetry through the lower tail, which keeps its digits.
  if (p > 0.5) return -normalQuantile(1 - p)
  return bisect(-38, 0, (z) => normalCdf(z) < p)
}
