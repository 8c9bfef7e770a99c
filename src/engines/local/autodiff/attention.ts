import type { Value } from '../onnx/index.ts'
import type { Tensor } from './tape.ts'
import { once } from './tape.ts'

/**
 * A set of keys that queries attend to. Queries, keys and values are rows `[…, size]`; the shape values (int64 graph
 * inputs ending in −1) view them as batches `[batch, length, size]`, one matmul per batch entry.
 */
export interface KeySet {
  keys: Tensor
  values: Tensor
  queryShape: Value
  keyShape: Value
  /** Added to the scores, broadcast over `[batch, queries, keys]`: 0 or a large negative number. */
  mask: Value
}

/**
 * Softmax attention of query rows over one or several key sets at once: `softmax(scale · q·kᵀ + mask) · v`, the
 * softmax running over all sets together. All sets view the same query rows, each in its own batches; the first set's
 * batches are the coarsest. `widths` (int64 input) holds the key counts of the sets, in order.
 */
export function attention(queries: Tensor, sets: readonly KeySet[], scale: number, widths?: Value): Tensor {
  const { tape, value: q } = queries
  const { graph } = tape
  const view = (value: Value, shape: Value) => graph.node('Reshape', [value, shape])
  const rows = graph.int64([-1, queries.shape[1] as number])
  const outer = sets[0].queryShape

  const views = sets.map((set) => ({
    q: view(q, set.queryShape),
    k: view(set.keys.value, set.keyShape),
    v: view(set.values.value, set.keyShape),
  }))
  const scores = sets.map((set, i) => {
    const product = graph.matmul(views[i].q, views[i].k, { transB: true, alpha: scale })
    const masked = graph.node('Add', [product, set.mask])
    return i === 0 ? masked : view(masked, outer)
  })
  const joined = scores.length === 1 ? scores[0] : graph.node('Concat', scores, { axis: -1 })
  const softmax = graph.node('Softmax', [joined], { axis: -1 })
  const shares =
    sets.length === 1 ? [softmax] : graph.nodes('Split', [softmax, widths ?? ''], sets.length, { axis: -1 })
  const probabilities = shares.map((share, i) => (i === 0 ? share : view(share, sets[i].queryShape)))
  const outputs = probabilities.map((p, i) => view(graph.matmul(p, views[i].v), rows))
  const output = outputs.reduce((a, b) => graph.node('Add', [a, b]))

  // Σ_j p_j · dp_j equals output · gradient, which is cheaper over the head size than over the keys.
  const along = once((gradient) =>
    graph.node('ReduceSum', [graph.node('Mul', [gradient, output]), graph.int64([-1])], { keepdims: 1 }),
  )
  const slopes = sets.map((set, i) =>
    once((gradient) => {
      const product = graph.matmul(view(gradient, set.queryShape), views[i].v, { transB: true })
      const centred = graph.node('Sub', [product, view(along(gradient), set.queryShape)])
      return graph.node('Mul', [probabilities[i], centred])
    }),
  )
  return tape.operation(output, queries.shape, [
    [
      queries,
      (gradient) =>
        sets
          .map((_, i) => view(graph.matmul(slopes[i](gradient), views[i].k, { alpha: scale }), rows))
          .reduce((a, b) => graph.node('Add', [a, b])),
    ],
    ...sets.flatMap((set, i): [Tensor, (gradient: Value) => Value][] => [
      [
        set.keys,
        (gradient) => view(graph.matmul(slopes[i](gradient), views[i].q, { transA: true, alpha: scale }), rows),
      ],
      [
        set.values,
        (gradient) => view(graph.matmul(probabilities[i], view(gradient, set.queryShape), { transA: true }), rows),
      ],
    ]),
  ])
}
