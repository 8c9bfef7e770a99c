import type { Loss } from '../engine.ts'
import { MAXIMUM_EXPONENT } from '../loss-metrics.ts'

/** What the loss of one token depends on. */
export interface TokenInputs {
  logprob: number
  advantage: number
  oldLogprob: number
  refLogprob: number
}

export interface TokenLoss {
  value: number
  /** Its derivative by the token's log-probability. */
  slope: number
}

/** The loss of one token before its weight, as the local engine computes it. Entropy terms need whole distributions. */
export function tokenLoss(loss: Loss, inputs: TokenInputs): TokenLoss {
  const { value, slope } = loss.kind === 'cross_entropy' ? { value: -inputs.logprob, slope: -1 } : policy(loss, inputs)
  if (!loss.kl) return { value, slope }
  const { coefficient, estimator } = loss.kl
  const kl = divergence(inputs.logprob - inputs.refLogprob, estimator)
  return { value: value + coefficient * kl.value, slope: slope + coefficient * kl.slope }
}

function policy(loss: Extract<Loss, { kind: 'ppo' }>, { logprob, oldLogprob, advantage }: TokenInputs): TokenLoss {
  const ratio = exponential(logprob - oldLogprob)
  const limited = Math.min(Math.max(ratio.value, 1 - loss.clipLow), 1 + loss.clipHigh)
  let value = ratio.value * advantage
  let slope = ratio.slope * advantage
  if (limited * advantage < value) {
    value = limited * advantage
    slope = 0
  }
  if (loss.dualClip !== undefined && advantage < 0 && loss.dualClip * advantage > value) {
    value = loss.dualClip * advantage
    slope = 0
  }
  return { value: -value, slope: -slope }
}

function divergence(difference: number, estimator: 'k1' | 'k2' | 'k3'): TokenLoss {
  if (estimator === 'k1') return { value: difference, slope: 1 }
  if (estimator === 'k2') return { value: 0.5 * difference * difference, slope: difference }
  const inverse = exponential(-difference)
  return { value: inverse.value + difference - 1, slope: 1 - inverse.slope }
}

/** e^x within limits, and its derivative. */
function exponential(x: number): TokenLoss {
  const value = Math.exp(Math.max(-MAXIMUM_EXPONENT, Math.min(MAXIMUM_EXPONENT, x)))
  return { value, slope: Math.abs(x) < MAXIMUM_EXPONENT ? value : 0 }
}
