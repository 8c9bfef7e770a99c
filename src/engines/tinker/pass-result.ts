import { UserError } from '../../core/index.ts'
import type { Datum, ForwardBackwardResult, Loss } from '../engine.ts'
import { LossMetrics } from '../loss-metrics.ts'
import type { Connection } from './connection.ts'
import { RESUME } from './failures.ts'
import { inputsAt } from './passes.ts'
import { tokenLoss } from './token-loss.ts'
import type { PassOutput } from './wire.ts'

/**
 * The new log-probabilities along the tokens of each datum, 0 where it is not trained on, from the outputs of a pass's parts.
 * @throws ServiceError where they are of other data, UserError where they are not finite
 */
export function logprobRows(
  outputs: readonly PassOutput[],
  data: readonly Datum[],
  connection: Connection,
): number[][] {
  const rows = outputs.flatMap(({ loss_fn_outputs: some }) => some)
  if (rows.length !== data.length) throw connection.trouble(`sent results of ${rows.length} data for ${data.length}`)
  return data.map(({ tokens, weights }, i) => {
    const { data: values } = rows[i].logprobs
    if (values.length !== tokens.length - 1) {
      throw connection.trouble(`sent ${values.length} log-probabilities for ${tokens.length - 1} targets`)
    }
    return weights.map((weight, t) => {
      if (weight === 0) return 0
      if (Number.isFinite(values[t - 1])) return values[t - 1]
      throw new UserError(
        `${connection.where}: the loss is not finite (log-probability ${values[t - 1]} of token ${t} of datum ${i}): ${RESUME} with a lower learning rate`,
      )
    })
  })
}

/** What a pass came to, computed here from the new log-probabilities along the tokens of each datum. */
export function passResult(data: readonly Datum[], loss: Loss, logprobs: number[][]): ForwardBackwardResult {
  const metrics = new LossMetrics(loss)
  let [sum, trained, total] = [0, 0, 0]
  data.forEach((datum, i) => {
    total += datum.tokens.length
    datum.weights.forEach((weight, t) => {
      if (weight === 0) return
      trained++
      sum += weight * tokenLoss(loss, inputsAt(datum, logprobs[i], t)).value
      metrics.add(datum, t, logprobs[i][t])
    })
  })
  return { loss: sum, metrics: metrics.means(), tokens: { trained, total }, logprobs }
}
