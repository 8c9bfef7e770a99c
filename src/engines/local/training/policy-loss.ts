import type { KlTerm, Loss } from '../../engine.ts'
import { MAXIMUM_EXPONENT } from '../../loss-metrics.ts'
import { add, clip, exp, maximum, minimum, mul, neg, scale, sub, type Tensor, where } from '../autodiff/index.ts'

/** Per-row columns [rows, 1] that a loss may need. */
export interface LossInputs {
  logprobs: Tensor
  entropy: Tensor
  advantages: Tensor
  oldLogprobs: Tensor
  refLogprobs: Tensor
}

function clampedExp(x: Tensor): Tensor {
  return exp(clip(x, -MAXIMUM_EXPONENT, MAXIMUM_EXPONENT))
}

function klEstimate({ logprobs, refLogprobs }: LossInputs, estimator: KlTerm['estimator']): Tensor {
  const difference = sub(logprobs, refLogprobs)
  if (estimator === 'k1') return difference
  if (estimator === 'k2') return scale(mul(difference, difference), 0.5)
  const one = difference.tape.constant(difference.tape.graph.scalar(1), [])
  return sub(add(clampedExp(neg(difference)), difference), one)
}

/** The loss of each row, before its weight: what `Loss` says, to be minimised. */
export function lossRows(loss: Loss, inputs: LossInputs): Tensor {
  const { logprobs, advantages } = inputs
  const { tape } = logprobs
  let rows: Tensor
  if (loss.kind === 'cross_entropy') rows = neg(logprobs)
  else {
    const ratio = clampedExp(sub(logprobs, inputs.oldLogprobs))
    const limited = clip(ratio, 1 - loss.clipLow, 1 + loss.clipHigh)
    let objective = minimum(mul(ratio, advantages), mul(limited, advantages))
    if (loss.dualClip !== undefined) {
      const floored = maximum(objective, scale(advantages, loss.dualClip))
      const negative = tape.graph.node('Less', [advantages.value, tape.graph.scalar(0)])
      objective = where(negative, floored, objective)
    }
    rows = neg(objective)
    if (loss.entropy) rows = sub(rows, scale(inputs.entropy, loss.entropy))
  }
  if (loss.kl) rows = add(rows, scale(klEstimate(inputs, loss.kl.estimator), loss.kl.coefficient))
  return rows
}
