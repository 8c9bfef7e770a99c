import type { Dimension } from '../onnx/index.ts'
import { add } from './elementwise.ts'
import type { Tensor } from './tape.ts'

export interface MatmulOptions {
  transA?: boolean
  transB?: boolean
  /** Factor on the product. */
  alpha?: number
}

/** `alpha · op(a) · op(b)` over the last two axes; leading axes must be the same in both. */
export function matmul(a: Tensor, b: Tensor, options: MatmulOptions = {}): Tensor {
  const { graph } = a.tape
  const { transA = false, transB = false, alpha = 1 } = options
  const rank = a.shape.length
  if (rank !== b.shape.length || a.shape.slice(0, -2).some((dimension, i) => dimension !== b.shape[i])) {
    throw new Error(`matmul of [${a.shape}] and [${b.shape}]: leading axes differ`)
  }
  const rows: Dimension = a.shape[rank - (transA ? 1 : 2)]
  const columns: Dimension = b.shape[rank - (transB ? 2 : 1)]
  const output = graph.matmul(a.value, b.value, { transA, transB, alpha })
  return a.tape.operation(
    output,
    [...a.shape.slice(0, -2), rows, columns],
    [
      [
        a,
        (gradient) =>
          transA
            ? graph.matmul(b.value, gradient, { transA: transB, transB: true, alpha })
            : graph.matmul(gradient, b.value, { transB: !transB, alpha }),
      ],
      [
        b,
        (gradient) =>
          transB
            ? graph.matmul(gradient, a.value, { transA: true, transB: transA, alpha })
            : graph.matmul(a.value, gradient, { transA: !transA, alpha }),
      ],
    ],
  )
}

/** A linear layer on rows: `x [n, in] · weightᵀ + bias`, weight `[out, in]` as on disk, bias `[out]` where there is one. */
export function linear(x: Tensor, weight: Tensor, bias?: Tensor): Tensor {
  const product = matmul(x, weight, { transB: true })
  return bias ? add(product, bias) : product
}
