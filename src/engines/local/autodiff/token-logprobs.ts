import type { Value } from '../onnx/index.ts'
import type { Tensor } from './tape.ts'
import { once } from './tape.ts'

/** Per row [rows, 1]: the target's log-probability and the entropy of the whole distribution, in nats. */
export interface TokenLogprobs {
  logprobs: Tensor
  entropy: Tensor
  /** Logits [rows, vocab] and log Σ exp of each row [rows, 1]: their difference is every token's log-probability. */
  logits: Value
  logSum: Value
}

/**
 * Language-model head and log-probability of one target a row: logits = `hidden [rows, d] · headᵀ`, head `[vocab, d]`;
 * `targets` is a graph input [rows] of token ids.
 *
 * The vocabulary-sized gradient (one-hot − p) is never formed: its dense part goes through the probabilities with the
 * per-row factor moved to the small side of each product, its one-hot part becomes a gather and a row gradient.
 */
export function tokenLogprobs(hidden: Tensor, head: Tensor, targets: Value): TokenLogprobs {
  const { tape } = hidden
  const { graph } = tape
  const rows = hidden.shape[0]
  const last = graph.int64([1])

  const logits = graph.matmul(hidden.value, head.value, { transB: true })
  const p = graph.node('Softmax', [logits], { axis: -1 })
  // log Σ exp from the largest logit and its probability: two maxima, much cheaper than ReduceLogSumExp here.
  const largest = graph.node('ReduceMax', [logits, last], { keepdims: 1 })
  const surest = graph.node('Log', [graph.node('ReduceMax', [p, last], { keepdims: 1 })])
  const logSum = graph.node('Sub', [largest, surest])
  const chosen = graph.node('GatherElements', [logits, graph.node('Unsqueeze', [targets, last])], { axis: 1 })
  const logprob = graph.node('Sub', [chosen, logSum])
  const logprobs = tape.operation(
    logprob,
    [rows, 1],
    [
      [
        hidden,
        (gradient) => {
          const expected = graph.matmul(p, head.value)
          const target = graph.node('Gather', [head.value, targets], { axis: 0 })
          return graph.node('Mul', [graph.node('Sub', [target, expected]), gradient])
        },
      ],
      [
        head,
        (gradient) => {
          const weighted = graph.node('Mul', [hidden.value, gradient])
          tape.rowGradients.push({ parameter: head.value, index: targets, rows: weighted, width: head.shape[1] })
          return graph.matmul(p, weighted, { transA: true, alpha: -1 })
        },
      ],
    ],
  )

  // Row-wise dot products of p and logits, as a batch of 1×vocab by vocab×1.
  const dot = graph.matmul(graph.node('Unsqueeze', [p, last]), graph.node('Unsqueeze', [logits, last]), {
    transB: true,
  })
  const entropy = graph.node('Sub', [logSum, graph.node('Squeeze', [dot, last])])
  const slope = once((gradient) => {
    // d entropy / d logit = −p · (log p + entropy)
    const centred = graph.node('Add', [logits, graph.node('Sub', [entropy, logSum])])
    return graph.node('Mul', [graph.node('Mul', [p, centred]), graph.node('Neg', [gradient])])
  })
  return {
    logits,
    logSum,
    logprobs,
    entropy: tape.operation(
      entropy,
      [rows, 1],
      [
        [hidden, (gradient) => graph.matmul(slope(gradient), head.value)],
        [head, (gradient) => graph.matmul(slope(gradient), hidden.value, { transA: true })],
      ],
    ),
  }
}
