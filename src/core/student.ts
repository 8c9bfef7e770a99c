/** Student's t distribution, to about 12 digits. */
import { bisect } from './normal.ts'

/** P(T ≤ t) with so many degrees of freedom (more than 0, not necessarily whole). */
export function studentCdf(t: number, degrees: number): number {
  if (!(degrees > 0)) throw new Error(`Student's distribution needs degrees of freedom above 0, not ${degrees}`)
  const tail = 0.5 * incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5)
  return t > 0 ? 1 - tail : tail
}

/** P(|T| ≥ |t|), which keeps its digits where it is small. */
export function studentTwoSided(t: number, degrees: number): number {
  return 2 * studentCdf(-Math.abs(t), degrees)
}

/** Inverse of `studentCdf`, for 0 < p < 1. */
export function studentQuantile(p: number, degrees: number): number {
  if (!(p > 0 && p < 1)) throw new Error(`a quantile needs a probability between 0 and 1, not ${p}`)
  // By symmetry through the lower tail; in 1 / (1 − t), which maps all of it to (0, 1].
  if (p > 0.5) return -studentQuantile(1 - p, degrees)
  const place = bisect(0, 1, (x) => x === 0 || studentCdf(1 - 1 / x, degrees) < p)
  return 1 - 1 / place
}

/** Regularised incomplete beta function I_x(a, b), by its continued fraction (Lentz's method). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x))
  // The fraction converges fast on this side of the mean, and the other side follows by symmetry.
  return x < (a + 1) / (a + b + 2) ? (front * fraction(x, a, b)) / a : 1 - (front * fraction(1 - x, b, a)) / b
}

function fraction(x: number, a: number, b: number): number {
  const guard = (value: number) => (Math.abs(value) < 1e-300 ? 1e-300 : value)
  let numerator = 1
  let denominator = 1 / guard(1 - ((a + b) * x) / (a + 1))
  let value = denominator
  for (let m = 1; m <= 500; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    let factor = 1
    for (const term of [even, odd]) {
      denominator = 1 / guard(1 + term * denominator)
      numerator = guard(1 + term / numerator)
      factor = numerator * denominator
      value *= factor
    }
    if (Math.abs(factor - 1) < 1e-16) break
  }
  return value
}

/** ln Γ(x) for x > 0: Stirling's series, from a place where it has converged. */
function logGamma(x: number): number {
  let shift = 0
  let z = x
  while (z < 12) shift += Math.log(z++)
  const square = 1 / (z * z)
  const series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))) / z
  return (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series - shift
}
