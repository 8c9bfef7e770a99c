import type { Dimension, Value } from '../onnx/index.ts'
import type { Tensor } from './tape.ts'

/**
 * Rows of `x [n, …]` at `index`, each row used at most once or, if more often, with zero gradient (padding).
 * `inverse` has one entry per row of `x`: where in the output its gradient stands. So the backward pass is a gather
 * too: no scatter, hence no race between threads.
 *
 * With `unused`, entries of `inverse` may also be the output's row count: the row was not used, its gradient is zero.
 */
export function permuteRows(
  x: Tensor,
  index: Value,
  inverse: Value,
  rows: Dimension,
  options: { unused?: boolean } = {},
): Tensor {
  const { graph } = x.tape
  const width = x.shape.at(-1)
  if (typeof width !== 'number' || x.shape.length !== 2) throw new Error('permuteRows needs [rows, width]')
  return x.tape.operation(
    graph.node('Gather', [x.value, index], { axis: 0 }),
    [rows, width],
    [
      [
        x,
        (gradient) => {
          const zero = () => graph.constant(new Float32Array(width), [1, width])
          const padded = options.unused ? graph.node('Concat', [gradient, zero()], { axis: 0 }) : gradient
          return graph.node('Gather', [padded, inverse], { axis: 0 })
        },
      ],
    ],
  )
}

/** `permuteRows` into several outputs at once; `inverse` numbers their rows one after the other. */
export function distributeRows(x: Tensor, indices: readonly Value[], inverse: Value): Tensor[] {
  const { graph } = x.tape
  const outputs = indices.map((index) => ({
    value: graph.node('Gather', [x.value, index], { axis: 0 }),
    shape: [`rows of ${index}`, x.shape[1]],
  }))
  return x.tape.parts(x, outputs, (gradients) =>
    graph.node('Gather', [graph.node('Concat', gradients, { axis: 0 }), inverse], { axis: 0 }),
  )
}

/** int64 graph inputs that cut batches of rows: `[batch, length, −1]`, the rows of each to keep, and how many those leave. */
export interface Cut {
  shape: Value
  end: Value
  /** `[0, 0, 0, 0, length − end, 0]`: as zeros after them, beside the batch and the width. */
  padding: Value
}

/** The first rows of every batch in `x [batch · length, width]`, in its order. */
export function firstRows(x: Tensor, { shape, end, padding }: Cut): Tensor {
  const { graph } = x.tape
  const width = x.shape[1]
  if (typeof width !== 'number') throw new Error('firstRows needs [rows, width]')
  const rows = graph.int64([-1, width])
  const batches = graph.node('Reshape', [x.value, shape])
  const kept = graph.node('Slice', [batches, graph.int64([0]), end, graph.int64([1])])
  return x.tape.operation(
    graph.node('Reshape', [kept, rows]),
    [`rows to ${end}`, width],
    [
      [
        x,
        (gradient) => {
          const batches = graph.node('Reshape', [gradient, graph.node('Shape', [kept])])
          return graph.node('Reshape', [graph.node('Pad', [batches, padding]), rows])
        },
      ],
    ],
  )
}

/** Embedding: rows of `table [n, width]` at the graph input `index [rows]`, with repeats. Its gradient is by rows. */
export function embed(table: Tensor, index: Value, rows: Dimension): Tensor {
  const output = table.tape.graph.node('Gather', [table.value, index], { axis: 0 })
  return table.tape.operation(
    output,
    [rows, table.shape[1]],
    [
      [
        table,
        (gradient) => {
          table.tape.rowGradients.push({ parameter: table.value, index, rows: gradient, width: table.shape[1] })
          return undefined
        },
      ],
    ],
  )
}

/**
 * Rotary position embedding in the rotate-half convention on `x [rows, heads · size]`; `cosine` and `sine` are tables
 * [positions, size / 2], `positions` [rows, 1] int64. The gradient is the rotation backwards.
 */
export function rotary(x: Tensor, positions: Value, cosine: Value, sine: Value, negativeSine: Value): Tensor {
  const { graph } = x.tape
  const rotate = (value: Value, table: Value) => {
    const batch = graph.node('Unsqueeze', [value, graph.int64([1])])
    const rotated = graph.node('RotaryEmbedding', [batch, positions, cosine, table])
    return graph.node('Squeeze', [rotated, graph.int64([1])])
  }
  return x.tape.operation(rotate(x.value, sine), x.shape, [[x, (gradient) => rotate(gradient, negativeSine)]])
}
