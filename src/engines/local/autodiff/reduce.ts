import type { Tensor } from './tape.ts'

/** Sum over one axis, which stays with size 1. */
export function sum(x: Tensor, axis: number): Tensor {
  const { graph } = x.tape
  const shape = x.shape.map((dimension, i) => (i === axis ? 1 : dimension))
  const output = graph.node('ReduceSum', [x.value, graph.int64([axis])], { keepdims: 1 })
  return x.tape.operation(output, shape, [
    [x, (gradient) => graph.node('Expand', [gradient, graph.node('Shape', [x.value])])],
  ])
}

/** Mean over one axis, which stays with size 1. */
export function mean(x: Tensor, axis: number): Tensor {
  const { graph } = x.tape
  const shape = x.shape.map((dimension, i) => (i === axis ? 1 : dimension))
  const output = graph.node('ReduceMean', [x.value, graph.int64([axis])], { keepdims: 1 })
  return x.tape.operation(output, shape, [
    [
      x,
      (gradient) => {
        const size = graph.node('Shape', [x.value], { start: axis, end: axis + 1 })
        const share = graph.node('Div', [gradient, graph.node('Cast', [size], { to: 1 })])
        return graph.node('Expand', [share, graph.node('Shape', [x.value])])
      },
    ],
  ])
}
