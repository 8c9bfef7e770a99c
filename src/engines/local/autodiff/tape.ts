import type { Dimension, GraphBuilder, Value } from '../onnx/index.ts'

/** A value in the graph with its shape (numbers or symbols, for broadcasting rules) and whether gradients reach it. */
export interface Tensor {
  readonly tape: Tape
  readonly value: Value
  readonly shape: readonly Dimension[]
  readonly needsGradient: boolean
}

/**
 * One input of an operation with its rule: from the gradient of the output to that of the input, as graph nodes. A rule
 * that delivers its gradient another way (`rowGradient`) returns nothing.
 */
export type GradientRule = [input: Tensor, rule: (gradient: Value) => Value | undefined]

/** The gradient of a tensor as far as it has been added up. */
type GradientOf = (tensor: Tensor) => Value | undefined

interface Operation {
  /** One rule call per operation: the gradients of all outputs, in order. */
  outputs: Tensor[]
  inputs: [input: Tensor, rule: (gradients: Value[], gradientOf: GradientOf) => Value | undefined][]
}

/** A gradient that touches only some rows of a parameter: `rows[i]` is to be added to row `index[i]`. */
export interface RowGradient {
  parameter: Value
  /** Name of the graph input that holds the row numbers. */
  index: Value
  rows: Value
  width: Dimension
}

/** Element type of 64-bit integers in ONNX. */
const INT64 = 7

/**
 * Reverse-mode differentiation of a graph under construction. Operations append forward nodes at once and remember
 * their gradient rules; `gradients` walks them backwards and appends the nodes of the backward pass to the same graph.
 * First order only: the backward nodes are not themselves on the tape.
 */
export class Tape {
  readonly graph: GraphBuilder
  /**
   * Row gradients found by `gradients`. They leave the graph as outputs and are added by a plain loop, because adding
   * rows with repeated numbers inside the graph races between threads.
   */
  readonly rowGradients: RowGradient[] = []
  private readonly operations: Operation[] = []

  constructor(graph: GraphBuilder) {
    this.graph = graph
  }

  /** A value without gradient: data, masks, indices. */
  constant(value: Value, shape: readonly Dimension[]): Tensor {
    return { tape: this, value, shape, needsGradient: false }
  }

  /** A float32 graph input with a gradient. */
  parameter(name: string, shape: readonly Dimension[]): Tensor {
    return { tape: this, value: this.graph.input(name, 'float32', shape), shape, needsGradient: true }
  }

  /** Record an operation whose forward nodes produced `value`. */
  operation(value: Value, shape: readonly Dimension[], rules: GradientRule[]): Tensor {
    const live = rules.filter(([input]) => input.needsGradient)
    const output: Tensor = { tape: this, value, shape, needsGradient: live.length > 0 }
    const inputs = live.map(([input, rule]): Operation['inputs'][number] => [input, ([gradient]) => rule(gradient)])
    if (live.length > 0) this.operations.push({ outputs: [output], inputs })
    return output
  }

  /** Record an operation with several outputs from one input. All outputs must be used. */
  parts(
    input: Tensor,
    outputs: readonly { value: Value; shape: readonly Dimension[] }[],
    rule: (gradients: Value[]) => Value,
  ): Tensor[] {
    const tensors = outputs.map((output): Tensor => ({ ...output, tape: this, needsGradient: input.needsGradient }))
    if (input.needsGradient) this.operations.push({ outputs: tensors, inputs: [[input, rule]] })
    return tensors
  }

  /**
   * `x` itself, but backwards its gradient is passed on only when those of `parameters`, which nothing before it uses, have
   * been computed. A runtime that walks from one output to all it hangs on would else follow the gradient of the first layer
   * through all others, and hold what their weights' gradients are computed from until the end.
   */
  boundary(x: Tensor, parameters: readonly Tensor[]): Tensor {
    if (!x.needsGradient) return x
    const { graph } = this
    const output: Tensor = { ...x, tape: this, value: graph.node('Identity', [x.value]) }
    const rule = ([gradient]: Value[], gradientOf: GradientOf) => {
      const awaited = parameters.map(gradientOf).filter((value) => value !== undefined)
      // Nothing of each of them, as numbers that may stand in a shape: the runtime cannot know them without the gradient.
      const nothing = awaited.map((value) => {
        const none = graph.node('Slice', [value, graph.int64([0]), graph.int64([0]), graph.int64([0])])
        return graph.node('Reshape', [graph.node('Cast', [none], { to: INT64 }), graph.int64([0])])
      })
      const shape = graph.node('Concat', [graph.node('Shape', [gradient]), ...nothing], { axis: 0 })
      return graph.node('Reshape', [gradient, shape])
    }
    this.operations.push({ outputs: [output], inputs: [[x, rule]] })
    return output
  }

  /**
   * Gradients of a scalar (or of the sum of a tensor, with `seed` all ones of its shape) with respect to tensors.
   * A tensor the loss does not depend on has gradient `undefined`.
   */
  gradients(loss: Tensor, seed: Value, of: readonly Tensor[]): (Value | undefined)[] {
    const parts = new Map<Value, Value[]>([[loss.value, [seed]]])
    const total = new Map<Value, Value>()
    const sum = (name: Value): Value | undefined => {
      const values = parts.get(name)
      if (!values) return undefined
      const known = total.get(name)
      if (known) return known
      const result = values.length === 1 ? values[0] : values.reduce((a, b) => this.graph.node('Add', [a, b]))
      total.set(name, result)
      return result
    }
    for (const { outputs, inputs } of this.operations.toReversed()) {
      const gradients = outputs.map((output) => sum(output.value)).filter((gradient) => gradient !== undefined)
      if (gradients.length === 0) continue
      if (gradients.length < outputs.length) throw new Error(`an output beside ${outputs[0].value} is not used`)
      for (const [input, rule] of inputs) {
        const part = rule(gradients, ({ value }) => sum(value))
        if (part === undefined) continue
        const list = parts.get(input.value)
        if (list) list.push(part)
        else parts.set(input.value, [part])
      }
    }
    return of.map((tensor) => sum(tensor.value))
  }
}

/** A rule's shared sub-expression: computed from the first gradient it is asked for, then reused. */
export function once<T>(compute: (gradient: Value) => T): (gradient: Value) => T {
  let result: { value: T } | undefined
  return (gradient) => {
    result ??= { value: compute(gradient) }
    return result.value
  }
}
