import {
  type Attribute,
  CONTRIB_DOMAIN,
  type Dimension,
  type ElementType,
  encodeModel,
  type NodeSpec,
  type TensorSpec,
  type ValueSpec,
} from './model.ts'

/** The name of a value in the graph. Values are made by `GraphBuilder` and used as inputs of further nodes. */
export type Value = string

type TypedData = Float32Array | Int32Array | BigInt64Array | Uint8Array

function elementType(data: TypedData): ElementType {
  if (data instanceof Float32Array) return 'float32'
  if (data instanceof Int32Array) return 'int32'
  if (data instanceof BigInt64Array) return 'int64'
  return 'bool'
}

/** Operators that live in Microsoft's domain rather than ONNX's own. */
const contribOperators = new Set(['FusedMatMul', 'QuickGelu', 'RotaryEmbedding', 'SkipSimplifiedLayerNormalization'])

/** Collects an ONNX graph, node by node, in execution order; `build()` gives bytes for `InferenceSession.create`. */
export class GraphBuilder {
  private readonly nodeSpecs: NodeSpec[] = []
  private readonly initializers: TensorSpec[] = []
  private readonly inputs: ValueSpec[] = []
  private readonly outputs: ValueSpec[] = []
  /** Names that values made by nodes have in the end: those of the outputs they are. */
  private readonly names = new Map<Value, string>()
  private readonly constants = new Map<string, Value>()
  private readonly name: string
  private counter = 0

  constructor(name: string) {
    this.name = name
  }

  private fresh(hint: string): Value {
    return `${hint}_${this.counter++}`
  }

  /** A graph input under its own name. Dimensions are numbers or symbols, e.g. `['batch', 'length', 256]`. */
  input(name: string, type: ElementType, dimensions: readonly Dimension[]): Value {
    this.inputs.push({ name, type, dimensions })
    return name
  }

  /** A graph output under its own name, for an existing value. What a node made takes that name: a copy would cost time. */
  output(name: string, value: Value, type: ElementType, dimensions: readonly Dimension[]): void {
    const made = this.nodeSpecs.some(({ outputs }) => outputs.includes(value))
    if (made && !this.names.has(value)) this.names.set(value, name)
    else this.nodeSpecs.push({ operator: 'Identity', domain: '', inputs: [value], outputs: [name], attributes: {} })
    this.outputs.push({ name, type, dimensions })
  }

  /** A tensor baked into the graph. The data is referenced until `build`; a Uint8Array holds booleans. */
  initializer(name: string, data: TypedData, dimensions: readonly number[]): Value {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    this.initializers.push({ name, type: elementType(data), dimensions, bytes })
    return name
  }

  /** A small constant tensor; equal constants share one initialiser. */
  constant(data: TypedData, dimensions: readonly number[]): Value {
    const type = elementType(data)
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    const key = `${type}|${dimensions.join(',')}|${bytes.toString('latin1')}`
    const known = this.constants.get(key)
    if (known) return known
    const value = this.initializer(this.fresh('constant'), data.slice() as TypedData, dimensions)
    this.constants.set(key, value)
    return value
  }

  /** A float32 scalar constant. */
  scalar(value: number): Value {
    return this.constant(Float32Array.of(value), [])
  }

  /** A one-dimensional int64 constant: shapes, axes, starts and ends. */
  int64(values: readonly number[]): Value {
    return this.constant(BigInt64Array.from(values, BigInt), [values.length])
  }

  /** Append a node with `count` outputs. An empty input name leaves an optional input out. */
  nodes(
    operator: string,
    inputs: readonly Value[],
    count: number,
    attributes: Record<string, Attribute> = {},
  ): Value[] {
    const outputs = Array.from({ length: count }, () => this.fresh(operator))
    const domain = contribOperators.has(operator) ? CONTRIB_DOMAIN : ''
    this.nodeSpecs.push({ operator, domain, inputs, outputs, attributes })
    return outputs
  }

  /** Append a node with one output. */
  node(operator: string, inputs: readonly Value[], attributes: Record<string, Attribute> = {}): Value {
    return this.nodes(operator, inputs, 1, attributes)[0]
  }

  /** `alpha · op(a) · op(b)` over the last two axes, leading axes broadcast; op transposes where asked. */
  matmul(a: Value, b: Value, options: { transA?: boolean; transB?: boolean; alpha?: number } = {}): Value {
    return this.node('FusedMatMul', [a, b], {
      transA: options.transA ? 1 : 0,
      transB: options.transB ? 1 : 0,
      alpha: { float: options.alpha ?? 1 },
    })
  }

  build(): Uint8Array {
    const final = (value: Value) => this.names.get(value) ?? value
    return encodeModel({
      name: this.name,
      nodes: this.nodeSpecs.map((node) => ({
        ...node,
        inputs: node.inputs.map(final),
        outputs: node.outputs.map(final),
      })),
      initializers: this.initializers,
      inputs: this.inputs,
      outputs: this.outputs,
    })
  }
}
