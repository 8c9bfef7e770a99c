import type { Dimension, Value } from '../onnx/index.ts'
import type { Tensor } from './tape.ts'
import { once } from './tape.ts'

/** NumPy broadcasting; symbols must be equal or meet a 1. */
export function broadcastShape(a: readonly Dimension[], b: readonly Dimension[]): Dimension[] {
  const rank = Math.max(a.length, b.length)
  return Array.from({ length: rank }, (_, i) => {
    const x = a[i - rank + a.length] ?? 1
    const y = b[i - rank + b.length] ?? 1
    if (x !== y && x !== 1 && y !== 1) throw new Error(`cannot broadcast [${a}] with [${b}]`)
    return x === 1 ? y : x
  })
}

/** Sum a gradient of shape `from` over the axes along which `to` was broadcast. */
function sumTo(tensor: Tensor, gradient: Value, from: readonly Dimension[], to: readonly Dimension[]): Value {
  const { graph } = tensor.tape
  const extra = from.length - to.length
  let result = gradient
  const inner = to.flatMap((dimension, i) => (dimension === 1 && from[i + extra] !== 1 ? [i + extra] : []))
  if (inner.length > 0) result = graph.node('ReduceSum', [result, graph.int64(inner)], { keepdims: 1 })
  const leading = Array.from({ length: extra }, (_, i) => i)
  if (extra > 0) result = graph.node('ReduceSum', [result, graph.int64(leading)], { keepdims: 0 })
  return result
}

function binary(
  operator: string,
  a: Tensor,
  b: Tensor,
  ruleA: (gradient: Value) => Value,
  ruleB: (gradient: Value) => Value,
): Tensor {
  const shape = broadcastShape(a.shape, b.shape)
  return a.tape.operation(a.tape.graph.node(operator, [a.value, b.value]), shape, [
    [a, (gradient) => sumTo(a, ruleA(gradient), shape, a.shape)],
    [b, (gradient) => sumTo(b, ruleB(gradient), shape, b.shape)],
  ])
}

export function add(a: Tensor, b: Tensor): Tensor {
  const pass = (gradient: Value) => gradient
  return binary('Add', a, b, pass, pass)
}

export function sub(a: Tensor, b: Tensor): Tensor {
  const { graph } = a.tape
  return binary(
    'Sub',
    a,
    b,
    (gradient) => gradient,
    (gradient) => graph.node('Neg', [gradient]),
  )
}

export function mul(a: Tensor, b: Tensor): Tensor {
  const { graph } = a.tape
  return binary(
    'Mul',
    a,
    b,
    (gradient) => graph.node('Mul', [gradient, b.value]),
    (gradient) => graph.node('Mul', [gradient, a.value]),
  )
}

/** Which of two operands an element came from; ties go to the first, so that a gradient is never counted twice. */
function choose(operator: 'Min' | 'Max', a: Tensor, b: Tensor): Tensor {
  const { graph } = a.tape
  const compare = operator === 'Min' ? 'LessOrEqual' : 'GreaterOrEqual'
  const first = once(() => graph.node(compare, [a.value, b.value]))
  const zero = graph.scalar(0)
  return binary(
    operator,
    a,
    b,
    (gradient) => graph.node('Where', [first(gradient), gradient, zero]),
    (gradient) => graph.node('Where', [first(gradient), zero, gradient]),
  )
}

export function minimum(a: Tensor, b: Tensor): Tensor {
  return choose('Min', a, b)
}

export function maximum(a: Tensor, b: Tensor): Tensor {
  return choose('Max', a, b)
}

/** `condition ? a : b`; the condition is a boolean value of the broadcast shape, without gradient. */
export function where(condition: Value, a: Tensor, b: Tensor): Tensor {
  const { graph } = a.tape
  const shape = broadcastShape(a.shape, b.shape)
  const zero = graph.scalar(0)
  return a.tape.operation(graph.node('Where', [condition, a.value, b.value]), shape, [
    [a, (gradient) => sumTo(a, graph.node('Where', [condition, gradient, zero]), shape, a.shape)],
    [b, (gradient) => sumTo(b, graph.node('Where', [condition, zero, gradient]), shape, b.shape)],
  ])
}

/** Limit to [low, high]; the gradient is zero outside, one inside and on the limits. */
export function clip(x: Tensor, low: number, high: number): Tensor {
  const { graph } = x.tape
  const output = graph.node('Clip', [x.value, graph.scalar(low), graph.scalar(high)])
  return x.tape.operation(output, x.shape, [
    [x, (gradient) => graph.node('Where', [graph.node('Equal', [output, x.value]), gradient, graph.scalar(0)])],
  ])
}

export function neg(x: Tensor): Tensor {
  const { graph } = x.tape
  return x.tape.operation(graph.node('Neg', [x.value]), x.shape, [[x, (gradient) => graph.node('Neg', [gradient])]])
}

/** `factor · x` for a constant factor. */
export function scale(x: Tensor, factor: number): Tensor {
  const { graph } = x.tape
  const multiply = (value: Value) => graph.node('Mul', [value, graph.scalar(factor)])
  return x.tape.operation(multiply(x.value), x.shape, [[x, multiply]])
}

export function exp(x: Tensor): Tensor {
  const { graph } = x.tape
  const output = graph.node('Exp', [x.value])
  return x.tape.operation(output, x.shape, [[x, (gradient) => graph.node('Mul', [gradient, output])]])
}

/** Natural logarithm. */
export function log(x: Tensor): Tensor {
  const { graph } = x.tape
  const output = graph.node('Log', [x.value])
  return x.tape.operation(output, x.shape, [[x, (gradient) => graph.node('Div', [gradient, x.value])]])
}

/** `silu(gate) · up` with silu(x) = x · sigmoid(x): the activation of a SwiGLU layer. Equal shapes. */
export function swiglu(gate: Tensor, up: Tensor): Tensor {
  const { graph } = gate.tape
  // QuickGelu is x · sigmoid(alpha · x).
  const silu = graph.node('QuickGelu', [gate.value], { alpha: { float: 1 } })
  return gate.tape.operation(graph.node('Mul', [silu, up.value]), gate.shape, [
    [
      gate,
      (gradient) => {
        // silu' = s + silu · (1 − s), with s the sigmoid.
        const s = graph.node('Sigmoid', [gate.value])
        const slope = graph.node('Add', [silu, graph.node('Sub', [s, graph.node('Mul', [silu, s])])])
        return graph.node('Mul', [graph.node('Mul', [gradient, up.value]), slope])
      },
    ],
    [up, (gradient) => graph.node('Mul', [gradient, silu])],
  ])
}
