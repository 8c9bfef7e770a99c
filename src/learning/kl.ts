import type { KlTerm } from '../engines/index.ts'

/** e^20 is large enough to push back hard and small enough not to overflow a sum. */
const LARGEST_EXPONENT = 20

/**
 * KL(π ‖ π_ref) estimated from one token sampled from π, with Δ = log π − log π_ref:
 * k1 = Δ (unbiased, may be negative), k2 = ½Δ² (its gradient is right in expectation), k3 = e^{−Δ} + Δ − 1 (unbiased, never
 * negative). The exponent is clamped.
 */
export function klEstimate(estimator: KlTerm['estimator'], logprob: number, referenceLogprob: number): number {
  const delta = logprob - referenceLogprob
  switch (estimator) {
    case 'k1':
      return delta
    case 'k2':
      return (delta * delta) / 2
    case 'k3':
      // expm1 keeps the small differences that e^{−Δ} − 1 would round away.
      return Math.expm1(Math.min(LARGEST_EXPONENT, -delta)) + delta
  }
}
