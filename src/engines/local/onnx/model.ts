/**
 * ONNX messages (ModelProto, GraphProto, NodeProto, TensorProto, ValueInfoProto) in bytes. Field numbers are those of
 * the public `onnx.proto`; only what the local engine emits is here: no subgraphs, no external data, no strings.
 */
import { MessageWriter } from '../../protobuf.ts'

/** ONNX opset whose operators the engine emits, and the version of Microsoft's contributed operators. */
const OPSET = 20
const CONTRIB_OPSET = 1
const IR_VERSION = 9

/** Microsoft's contributed operators (FusedMatMul and others). */
export const CONTRIB_DOMAIN = 'com.microsoft'

export type ElementType = 'float32' | 'int32' | 'int64' | 'bool'

const elementTypes: Record<ElementType, number> = { float32: 1, int32: 6, int64: 7, bool: 9 }

/** A dimension: a number, or a name for a size known only at run time. */
export type Dimension = number | string

/** Numbers are integer attributes, `{ float }` floating-point ones. */
export type Attribute = number | string | readonly number[] | { float: number }

export interface NodeSpec {
  operator: string
  domain: string
  inputs: readonly string[]
  outputs: readonly string[]
  attributes: Record<string, Attribute>
}

export interface ValueSpec {
  name: string
  type: ElementType
  dimensions: readonly Dimension[]
}

export interface TensorSpec {
  name: string
  type: ElementType
  dimensions: readonly number[]
  /** Little-endian, row-major. */
  bytes: Uint8Array
}

export interface ModelSpec {
  name: string
  nodes: readonly NodeSpec[]
  initializers: readonly TensorSpec[]
  inputs: readonly ValueSpec[]
  outputs: readonly ValueSpec[]
}

function attributeMessage(name: string, value: Attribute): MessageWriter {
  const message = new MessageWriter().string(1, name)
  if (typeof value === 'number') return message.integer(3, value).integer(20, 2)
  if (typeof value === 'string') return message.string(4, value).integer(20, 3)
  if ('float' in value) return message.float(2, value.float).integer(20, 1)
  return message.packedIntegers(8, value).integer(20, 7)
}

function nodeMessage(node: NodeSpec): MessageWriter {
  const message = new MessageWriter()
  for (const input of node.inputs) message.string(1, input)
  for (const output of node.outputs) message.string(2, output)
  // The first output is unique in the graph, so it names the node in the runtime's errors and profiles.
  message.string(3, node.outputs[0]).string(4, node.operator)
  for (const [name, value] of Object.entries(node.attributes)) message.message(5, attributeMessage(name, value))
  return message.string(7, node.domain)
}

function tensorMessage(tensor: TensorSpec): MessageWriter {
  return new MessageWriter()
    .packedIntegers(1, tensor.dimensions)
    .integer(2, elementTypes[tensor.type])
    .string(8, tensor.name)
    .bytes(9, tensor.bytes)
}

function valueMessage(value: ValueSpec): MessageWriter {
  const shape = new MessageWriter()
  for (const dimension of value.dimensions) {
    const message = new MessageWriter()
    shape.message(1, typeof dimension === 'number' ? message.integer(1, dimension) : message.string(2, dimension))
  }
  const tensor = new MessageWriter().integer(1, elementTypes[value.type]).message(2, shape)
  return new MessageWriter().string(1, value.name).message(2, new MessageWriter().message(1, tensor))
}

/** The bytes of a `.onnx` file. */
export function encodeModel(model: ModelSpec): Uint8Array {
  const graph = new MessageWriter()
  for (const node of model.nodes) graph.message(1, nodeMessage(node))
  graph.string(2, model.name)
  for (const tensor of model.initializers) graph.message(5, tensorMessage(tensor))
  for (const value of model.inputs) graph.message(11, valueMessage(value))
  for (const value of model.outputs) graph.message(12, valueMessage(value))
  return new MessageWriter()
    .integer(1, IR_VERSION)
    .string(2, 'rwml')
    .message(7, graph)
    .message(8, new MessageWriter().string(1, '').integer(2, OPSET))
    .message(8, new MessageWriter().string(1, CONTRIB_DOMAIN).integer(2, CONTRIB_OPSET))
    .finish()
}
