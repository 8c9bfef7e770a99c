import type { Datum, Loss } from './engine.ts'

/** Exponents of probability ratios are kept within ±this, so that one far-off token cannot overflow a whole step. */
export const MAXIMUM_EXPONENT = 20

/** Sums over trained tokens, in double precision; `means` turns them into the metrics of a step. */
export class LossMetrics {
  private tokens = 0
  private readonly sums: Record<string, number> = {}
  private largest = 0
  private readonly loss: Loss

  constructor(loss: Loss) {
    this.loss = loss
  }

  private sum(name: string, value: number): void {
    this.sums[name] = (this.sums[name] ?? 0) + value
  }

  /** Count the token at position t of a datum, given its new log-probability and, where it is known, the entropy there (nats). */
  add(datum: Datum, t: number, logprob: number, entropy?: number): void {
    this.tokens++
    if (entropy !== undefined) this.sum('entropy', entropy)
    if (datum.refLogprobs) this.sum('kl', klEstimate(logprob - datum.refLogprobs[t], this.loss.kl?.estimator ?? 'k3'))
    if (this.loss.kind !== 'ppo' || !datum.oldLogprobs) return
    const difference = logprob - datum.oldLogprobs[t]
    const ratio = clampedExp(difference)
    const advantage = datum.advantages?.[t] ?? 0
    const clipped =
      (advantage > 0 && ratio > 1 + this.loss.clipHigh) ||
      (advantage < 0 && ratio < 1 - this.loss.clipLow) ||
      (advantage < 0 && this.loss.dualClip !== undefined && ratio > this.loss.dualClip)
    this.sum('clipShare', clipped ? 1 : 0)
    this.sum('ratio', ratio)
    this.sum('logprobDifference', Math.abs(difference))
    this.largest = Math.max(this.largest, Math.abs(difference))
  }

  means(): Record<string, number> {
    const count = Math.max(1, this.tokens)
    const means = Object.fromEntries(Object.entries(this.sums).map(([name, sum]) => [name, sum / count]))
    if ('logprobDifference' in means) means.logprobDifferenceMax = this.largest
    return means
  }
}

function clampedExp(x: number): number {
  return Math.exp(Math.max(-MAXIMUM_EXPONENT, Math.min(MAXIMUM_EXPONENT, x)))
}

/** An estimate of KL(π, π_ref) from one token's Δ = log π − log π_ref. */
export function klEstimate(difference: number, estimator: 'k1' | 'k2' | 'k3'): number {
  if (estimator === 'k1') return difference
  if (estimator === 'k2') return 0.5 * difference * difference
  return clampedExp(-difference) + difference - 1
}
