import { elements } from '../tensors.ts'

/** What a test writes into a GGUF file: numbers become 32-bit ones, whole or not. */
export type GgufEntry = number | boolean | string | string[] | number[]

export interface GgufTensor {
  /** Outermost first. */
  shape: number[]
  /** Number of the format, e.g. 0 = F32. */
  type: number
  bytes: Uint8Array
}

/** Values as an F32 tensor. */
export function f32Tensor(shape: number[], values: Float32Array = new Float32Array(elements(shape))): GgufTensor {
  return { shape, type: 0, bytes: new Uint8Array(values.buffer, values.byteOffset, values.byteLength) }
}

function number(value: number, size: 4 | 8): Buffer {
  const bytes = Buffer.alloc(size)
  if (size === 8) bytes.writeBigUInt64LE(BigInt(value))
  else bytes.writeUInt32LE(value)
  return bytes
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([number(bytes.length, 8), bytes])
}

function scalar(value: number | boolean | string): [type: number, bytes: Buffer] {
  if (typeof value === 'string') return [8, text(value)]
  if (typeof value === 'boolean') return [7, Buffer.of(value ? 1 : 0)]
  if (Number.isInteger(value)) return [4, number(value, 4)]
  const float = Buffer.alloc(4)
  float.writeFloatLE(value)
  return [6, float]
}

function entry(value: GgufEntry): Buffer {
  if (!Array.isArray(value)) {
    const [type, bytes] = scalar(value)
    return Buffer.concat([number(type, 4), bytes])
  }
  const items = value.map(scalar)
  const type = items[0]?.[0] ?? 8
  return Buffer.concat([number(9, 4), number(type, 4), number(items.length, 8), ...items.map(([, bytes]) => bytes)])
}

/** The bytes of a GGUF file, version 3, data aligned to 32. */
export function ggufFile(metadata: Record<string, GgufEntry>, tensors: Record<string, GgufTensor>): Buffer {
  const padded = (bytes: Uint8Array) => Buffer.concat([bytes, Buffer.alloc((32 - (bytes.length % 32)) % 32)])
  const entries = Object.entries(metadata).map(([key, value]) => Buffer.concat([text(key), entry(value)]))
  let at = 0
  const table = Object.entries(tensors).map(([name, { shape, type, bytes }]) => {
    const dimensions = shape.toReversed().map((one) => number(one, 8))
    const line = Buffer.concat([text(name), number(shape.length, 4), ...dimensions, number(type, 4), number(at, 8)])
    at += Math.ceil(bytes.length / 32) * 32
    return line
  })
  const head = [Buffer.from('GGUF'), number(3, 4), number(table.length, 8), number(entries.length, 8)]
  const data = Object.values(tensors).map(({ bytes }) => padded(bytes))
  return Buffer.concat([padded(Buffer.concat([...head, ...entries, ...table])), ...data])
}
