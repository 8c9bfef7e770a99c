import { closeSync, fstatSync, openSync } from 'node:fs'
import { z } from 'zod'
import { UserError } from '../core/index.ts'
import { writePiecesAtomic } from './atomic.ts'
import { fromBfloat16, fromFloat16, toBfloat16, toFloat16 } from './float16.ts'
import { fill, readExactly } from './read-exactly.ts'
import { elements, type RowSource, rowWidth, type TensorInfo } from './tensors.ts'

/**
 * The safetensors file format: an 8-byte little-endian header length, a JSON header naming each tensor's type, shape
 * and byte range, then the bytes. Floating-point tensors only, converted to float32 on reading.
 */

export interface FloatTensor {
  shape: number[]
  data: Float32Array
}

const headerSchema = z.record(
  z.string(),
  z.object({
    dtype: z.string(),
    shape: z.array(z.int().nonnegative()),
    data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
  }),
)

const metadataSchema = z.record(z.string(), z.string())

/** The format's own limit, so that a lying length cannot make us allocate without bound. */
const MAXIMUM_HEADER = 100_000_000

/** The types that are read and written, by the name in the header, with the bytes of one value. */
export const FLOAT_TYPES = { F32: 4, F16: 2, BF16: 2 } as const

export type FloatType = keyof typeof FLOAT_TYPES

const elementBytes = new Map<string, number>(Object.entries(FLOAT_TYPES))

function decode(dtype: string, bytes: Uint8Array<ArrayBuffer>): Float32Array {
  if (dtype === 'F32') return new Float32Array(bytes.buffer)
  const values = new Uint16Array(bytes.buffer)
  return dtype === 'F16' ? fromFloat16(values) : fromBfloat16(values)
}

function encode(dtype: FloatType, values: Float32Array): Uint8Array {
  const encoded = dtype === 'F32' ? values : dtype === 'F16' ? toFloat16(values) : toBfloat16(values)
  return new Uint8Array(encoded.buffer, encoded.byteOffset, encoded.byteLength)
}

function parseHeader(bytes: Uint8Array, path: string): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (typeof header === 'object' && header !== null && !Array.isArray(header)) return { ...header }
  } catch {
    // Said below.
  }
  throw new UserError(`${path}: its header is no JSON object; the file is damaged or not in safetensors format`)
}

interface StoredTensor extends TensorInfo {
  /** Where its data begins in the file. */
  position: number
}

/** An open safetensors file whose header has been checked against itself and against the file's size. */
export class SafetensorsReader implements RowSource {
  readonly path: string
  readonly tensors: ReadonlyMap<string, StoredTensor>
  readonly metadata: Record<string, string>
  private readonly file: number
  /** Rows as they are stored, where that is not as float32. */
  private stored = new Uint16Array(0)

  /** @throws UserError if the file is missing, truncated, or its header contradicts itself or the file. */
  constructor(path: string) {
    this.path = path
    try {
      this.file = openSync(path, 'r')
    } catch {
      throw new UserError(`${path} cannot be read: give a file in safetensors format`)
    }
    try {
      const { tensors, metadata } = checkedHeader(this.file, path)
      this.tensors = tensors
      this.metadata = metadata
    } catch (error) {
      this.close()
      throw error
    }
  }

  read(name: string): Float32Array {
    const tensor = this.tensor(name)
    const bytes = readExactly(this.file, tensor.bytes, tensor.position)
    if (!bytes) throw this.shorter()
    return decode(tensor.dtype, bytes)
  }

  readRows(name: string, first: number, target: Float32Array): void {
    const { dtype, shape, position } = this.tensor(name)
    const start = first * rowWidth(shape)
    const as32 = dtype === 'F32'
    if (!as32 && this.stored.length < target.length) this.stored = new Uint16Array(target.length)
    const values = as32 ? target : this.stored.subarray(0, target.length)
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
    if (!fill(this.file, bytes, position + start * values.BYTES_PER_ELEMENT)) throw this.shorter()
    if (dtype === 'F16') fromFloat16(values as Uint16Array, target)
    if (dtype === 'BF16') fromBfloat16(values as Uint16Array, target)
  }

  private tensor(name: string): StoredTensor {
    const tensor = this.tensors.get(name)
    if (!tensor) throw new Error(`${this.path} has no tensor ${name}`)
    return tensor
  }

  /** It fitted when the file was opened. */
  private shorter(): UserError {
    return new UserError(`${this.path} became shorter while it was read: is something writing to it?`)
  }

  close(): void {
    closeSync(this.file)
  }
}

function checkedHeader(
  file: number,
  path: string,
): { tensors: Map<string, StoredTensor>; metadata: Record<string, string> } {
  const size = fstatSync(file).size
  const prefix = size < 8 ? undefined : readExactly(file, 8, 0)
  if (!prefix)
    throw new UserError(`${path} is shorter than a safetensors header; it is damaged, fetch or save it again`)
  const length = Number(new DataView(prefix.buffer).getBigUint64(0, true))
  if (length > MAXIMUM_HEADER || 8 + length > size) {
    throw new UserError(`${path} announces a header of ${length} bytes but has ${size} in all; it is damaged`)
  }
  const bytes = readExactly(file, length, 8)
  if (!bytes) throw new UserError(`${path} ends inside its header; it is damaged`)
  const { __metadata__, ...entries } = parseHeader(bytes, path)
  const header = headerSchema.safeParse(entries)
  const metadata = metadataSchema.safeParse(__metadata__ ?? {})
  if (!header.success)
    throw new UserError(`${path}: header entry ${header.error.issues[0].path.join('.')} is malformed`)
  if (!metadata.success) throw new UserError(`${path}: its __metadata__ is not a table of strings`)

  const tensors = new Map<string, StoredTensor>()
  let covered = 0
  const byPosition = Object.entries(header.data).sort(
    ([, { data_offsets: a }], [, { data_offsets: b }]) => a[0] - b[0] || a[1] - b[1],
  )
  for (const [name, { dtype, shape, data_offsets }] of byPosition) {
    const [begin, end] = data_offsets
    const width = elementBytes.get(dtype)
    if (!width) throw new UserError(`${path}: ${name} has type ${dtype}; F32, F16 and BF16 can be read`)
    const expected = elements(shape) * width
    if (end - begin !== expected) {
      throw new UserError(`${path}: ${name} with shape [${shape}] needs ${expected} bytes but claims ${end - begin}`)
    }
    if (8 + length + end > size)
      throw new UserError(`${path} ends before the data of ${name}; it is truncated, fetch or save it again`)
    if (begin !== covered) throw new UserError(`${path}: the data of ${name} overlaps or leaves a gap; it is damaged`)
    covered = end
    tensors.set(name, { shape, dtype, bytes: expected, position: 8 + length + begin })
  }
  if (8 + length + covered !== size) {
    throw new UserError(
      `${path}: its tensors cover ${covered} bytes, the file holds ${size - 8 - length}; it is damaged`,
    )
  }
  return { tensors, metadata: metadata.data }
}

export interface SafetensorsFile {
  tensors: Map<string, FloatTensor>
  metadata: Record<string, string>
}

/** All tensors of a file at once. @throws UserError as `SafetensorsReader` does. */
export function readSafetensors(path: string): SafetensorsFile {
  const reader = new SafetensorsReader(path)
  try {
    const tensors = new Map<string, FloatTensor>()
    for (const [name, { shape }] of reader.tensors) tensors.set(name, { shape: [...shape], data: reader.read(name) })
    return { tensors, metadata: reader.metadata }
  } finally {
    reader.close()
  }
}

/** A tensor to write. `data` is asked for once, when its turn comes: a getter need not keep it. */
export interface WritableTensor {
  shape: readonly number[]
  readonly data: Float32Array
}

/** Write tensors (and string metadata) in order, as F32 or rounded. The file appears whole or not at all. */
export function writeSafetensors(
  path: string,
  tensors: ReadonlyMap<string, WritableTensor>,
  options: { dtype?: FloatType; metadata?: Record<string, string> } = {},
): void {
  const { dtype = 'F32', metadata } = options
  const header: Record<string, unknown> = metadata ? { __metadata__: metadata } : {}
  let at = 0
  for (const [name, { shape }] of tensors) {
    const bytes = elements(shape) * FLOAT_TYPES[dtype]
    header[name] = { dtype, shape, data_offsets: [at, at + bytes] }
    at += bytes
  }
  const text = Buffer.from(JSON.stringify(header))
  // Spaces up to a multiple of 8, so that the data is aligned.
  const length = Math.ceil(text.length / 8) * 8
  const head = new Uint8Array(8 + length).fill(0x20)
  new DataView(head.buffer).setBigUint64(0, BigInt(length), true)
  head.set(text, 8)
  writePiecesAtomic(path, pieces(head, tensors, dtype), head.length + at)
}

function* pieces(
  head: Uint8Array,
  tensors: ReadonlyMap<string, WritableTensor>,
  dtype: FloatType,
): Generator<Uint8Array> {
  yield head
  for (const [name, tensor] of tensors) {
    const { data } = tensor
    if (data.length !== elements(tensor.shape)) {
      throw new Error(`${name} has ${data.length} values for a shape of [${tensor.shape}]`)
    }
    yield encode(dtype, data)
  }
}
