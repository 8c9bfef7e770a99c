import type { Tensor } from './tape.ts'
import { once } from './tape.ts'

/** Softmax over the last axis. */
export function softmax(x: Tensor): Tensor {
  const { graph } = x.tape
  const output = graph.node('Softmax', [x.value], { axis: -1 })
  return x.tape.operation(output, x.shape, [
    [
      x,
      (gradient) => {
        const weighted = graph.node('Mul', [gradient, output])
        const total = graph.node('ReduceSum', [weighted, graph.int64([-1])], { keepdims: 1 })
        return graph.node('Sub', [weighted, graph.node('Mul', [output, total])])
      },
    ],
  ])
}

/** Logarithm of the softmax over the last axis. */
export function logSoftmax(x: Tensor): Tensor {
  const { graph } = x.tape
  const output = graph.node('LogSoftmax', [x.value], { axis: -1 })
  return x.tape.operation(output, x.shape, [
    [
      x,
      (gradient) => {
        const total = graph.node('ReduceSum', [gradient, graph.int64([-1])], { keepdims: 1 })
        return graph.node('Sub', [gradient, graph.node('Mul', [graph.node('Exp', [output]), total])])
      },
    ],
  ])
}

/** `weight · x / √(mean(x²) + epsilon)` over the last axis of `x [rows, size]`. */
export function rmsNorm(x: Tensor, weight: Tensor, epsilon: number): Tensor {
  const { graph } = x.tape
  const size = x.shape.at(-1)
  if (typeof size !== 'number' || x.shape.length !== 2) throw new Error('rmsNorm needs [rows, size] with a fixed size')
  const [output, inverse] = graph.nodes('SimplifiedLayerNormalization', [x.value, weight.value], 2, {
    axis: -1,
    epsilon: { float: epsilon },
  })
  const normalised = once(() => graph.node('Mul', [x.value, inverse]))
  const product = once((gradient) => graph.node('Mul', [gradient, normalised(gradient)]))
  return x.tape.operation(output, x.shape, [
    [
      x,
      (gradient) => {
        const column = graph.node('Unsqueeze', [weight.value, graph.int64([1])])
        const along = graph.matmul(product(gradient), column, { alpha: 1 / size })
        const across = graph.node('Mul', [gradient, weight.value])
        const projected = graph.node('Sub', [across, graph.node('Mul', [normalised(gradient), along])])
        return graph.node('Mul', [projected, inverse])
      },
    ],
    [weight, (gradient) => graph.node('ReduceSum', [product(gradient), graph.int64([0])], { keepdims: 0 })],
  ])
}
