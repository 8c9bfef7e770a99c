import type { Dimension, Value } from '../onnx/index.ts'
import type { Tensor } from './tape.ts'

/** The same elements in another shape. Symbols are resolved by `dimensions`, one −1 at most. */
export function reshape(x: Tensor, dimensions: readonly number[], shape: readonly Dimension[]): Tensor {
  const { graph } = x.tape
  return x.tape.operation(graph.node('Reshape', [x.value, graph.int64(dimensions)]), shape, [
    [x, (gradient) => graph.node('Reshape', [gradient, graph.node('Shape', [x.value])])],
  ])
}

export function transpose(x: Tensor, permutation: readonly number[]): Tensor {
  const { graph } = x.tape
  const inverse = permutation.map((_, i) => permutation.indexOf(i))
  return x.tape.operation(
    graph.node('Transpose', [x.value], { perm: permutation }),
    permutation.map((axis) => x.shape[axis]),
    [[x, (gradient) => graph.node('Transpose', [gradient], { perm: inverse })]],
  )
}

/** Join along an axis; `size` names the joined dimension. */
export function concat(parts: readonly Tensor[], axis: number, size: Dimension): Tensor {
  const { graph } = parts[0].tape
  const values = parts.map((part) => part.value)
  const length = (value: Value) => graph.node('Shape', [value], { start: axis, end: axis + 1 })
  const shape = parts[0].shape.map((dimension, i) => (i === axis ? size : dimension))
  return parts[0].tape.operation(
    graph.node('Concat', values, { axis }),
    shape,
    parts.map((part, i) => [
      part,
      (gradient) => {
        const start = values.slice(0, i).map(length)
        const from = start.length === 0 ? graph.int64([0]) : start.reduce((a, b) => graph.node('Add', [a, b]))
        const to = graph.node('Add', [from, length(part.value)])
        return graph.node('Slice', [gradient, from, to, graph.int64([axis])])
      },
    ]),
  )
}

/** Elements [start, end) along an axis, for sizes known when the graph is built. */
export function slice(x: Tensor, axis: number, start: number, end: number): Tensor {
  const { graph } = x.tape
  const shape = x.shape.map((dimension, i) => (i === axis ? end - start : dimension))
  const output = graph.node('Slice', [x.value, graph.int64([start]), graph.int64([end]), graph.int64([axis])])
  return x.tape.operation(output, shape, [
    [
      x,
      (gradient) => {
        const size = graph.node('Shape', [x.value], { start: axis, end: axis + 1 })
        const before = graph.int64([start])
        const after = graph.node('Sub', [size, graph.int64([end])])
        const pads = graph.node('Concat', [before, after], { axis: 0 })
        return graph.node('Pad', [gradient, pads, '', graph.int64([axis])])
      },
    ],
  ])
}
