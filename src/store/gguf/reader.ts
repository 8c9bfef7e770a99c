import { closeSync, fstatSync, openSync } from 'node:fs'
import { UserError } from '../../core/index.ts'
import { readExactly } from '../read-exactly.ts'
import { elements, type TensorInfo, type TensorSource } from '../tensors.ts'
import { BLOCK_FORMATS, type BlockFormat, OTHER_FORMATS } from './blocks.ts'
import { Cursor } from './cursor.ts'

/**
 * The GGUF file format, versions 2 and 3: magic, counts, typed metadata, a table of tensors, then their data at multiples of
 * an alignment. Read by hand and not with @huggingface/gguf: that one reads zeros where a file is cut off, and brings 6 MB of
 * other things along.
 */

export type GgufValue = number | boolean | string | number[] | boolean[] | string[]

const MAGIC = 0x46554747
const DEFAULT_ALIGNMENT = 32
const MOST_DIMENSIONS = 4
/** Far more than any vocabulary, the longest list there is. */
const LONGEST_LIST = 4_000_000
/** Fewest bytes an entry can take: lengths, type, and a value or two. */
const LEAST_METADATA = 13
const LEAST_TENSOR = 32
/** Data is decoded in pieces of about this many bytes. */
const PIECE = 1 << 22

const STRING = 8
const LIST = 9
/** Scalars by the number of their type: bytes, and how to read one. */
const SCALARS: ReadonlyMap<number, [bytes: number, read: (cursor: Cursor) => number | boolean]> = new Map([
  [0, [1, (cursor) => cursor.u8()]],
  [1, [1, (cursor) => cursor.i8()]],
  [2, [2, (cursor) => cursor.u16()]],
  [3, [2, (cursor) => cursor.i16()]],
  [4, [4, (cursor) => cursor.u32()]],
  [5, [4, (cursor) => cursor.i32()]],
  [6, [4, (cursor) => decimal(cursor.f32())]],
  [7, [1, (cursor) => cursor.u8() !== 0]],
  [10, [8, (cursor) => cursor.u64()]],
  [11, [8, (cursor) => cursor.i64()]],
  [12, [8, (cursor) => cursor.f64()]],
])

/** The shortest decimal number that this float32 stands for: 1e-5, not 0.000009999999747378752. */
function decimal(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
  return value
}

interface StoredTensor extends TensorInfo {
  position: number
  format: BlockFormat
}

/** An open GGUF file whose header has been checked against itself and against the file's size. Shapes: outermost first. */
export class GgufReader implements TensorSource {
  readonly path: string
  readonly metadata: ReadonlyMap<string, GgufValue>
  readonly tensors: ReadonlyMap<string, StoredTensor>
  private readonly file: number

  /** @throws UserError if the file is missing, no GGUF, damaged, or holds a tensor in a format that is not read. */
  constructor(path: string) {
    this.path = path
    try {
      this.file = openSync(path, 'r')
    } catch {
      throw new UserError(`${path} cannot be read: give a GGUF file`)
    }
    try {
      const size = fstatSync(this.file).size
      const cursor = new Cursor(this.file, size, path)
      const counts = readHead(cursor, path)
      this.metadata = readMetadata(cursor, counts.metadata, path)
      this.tensors = readTensors(cursor, counts.tensors, this.alignment(), size, path)
    } catch (error) {
      this.close()
      throw error
    }
  }

  private alignment(): number {
    const value = this.metadata.get('general.alignment') ?? DEFAULT_ALIGNMENT
    if (typeof value === 'number' && value >= 8 && value <= 2 ** 20 && Number.isInteger(value / 8)) return value
    throw new UserError(`${this.path}: its general.alignment is ${value}; the file is damaged`)
  }

  read(name: string): Float32Array {
    const tensor = this.tensors.get(name)
    if (!tensor) throw new Error(`${this.path} has no tensor ${name}`)
    const { format, position, bytes } = tensor
    const out = new Float32Array(elements(tensor.shape))
    const step = Math.ceil(PIECE / format.bytes) * format.bytes
    for (let at = 0; at < bytes; at += step) {
      const piece = readExactly(this.file, Math.min(step, bytes - at), position + at)
      // It fitted when the file was opened.
      if (!piece) throw new UserError(`${this.path} became shorter while it was read: is something writing to it?`)
      out.set(format.decode(piece), (at / format.bytes) * format.values)
    }
    return out
  }

  close(): void {
    closeSync(this.file)
  }
}

function readHead(cursor: Cursor, path: string): { tensors: number; metadata: number } {
  if (cursor.left < 24 || cursor.u32() !== MAGIC) throw new UserError(`${path} is not a GGUF file, or a damaged one`)
  const version = cursor.u32()
  if (version !== 2 && version !== 3) {
    const foreign = version > 0xffff ? 'written on a big-endian machine' : `of version ${version}`
    throw new UserError(`${path} is a GGUF file ${foreign}; versions 2 and 3, little-endian, can be read`)
  }
  const tensors = cursor.u64()
  const metadata = cursor.u64()
  if (tensors * LEAST_TENSOR + metadata * LEAST_METADATA > cursor.left) {
    throw new UserError(
      `${path} announces ${tensors} tensors and ${metadata} entries, more than it has room for; it is truncated or damaged`,
    )
  }
  return { tensors, metadata }
}

function readMetadata(cursor: Cursor, count: number, path: string): Map<string, GgufValue> {
  const metadata = new Map<string, GgufValue>()
  for (let i = 0; i < count; i++) {
    const key = cursor.string()
    if (metadata.has(key)) throw new UserError(`${path} has two entries ${show(key)}; it is damaged`)
    metadata.set(key, readValue(cursor, cursor.u32(), `${path}: ${show(key)}`))
  }
  return metadata
}

function readValue(cursor: Cursor, type: number, where: string): GgufValue {
  const scalar = SCALARS.get(type)
  if (scalar) return scalar[1](cursor)
  if (type === STRING) return cursor.string()
  if (type !== LIST) throw new UserError(`${where} has type ${type}, which there is not; the file is damaged`)
  const elementType = cursor.u32()
  const count = cursor.u64()
  const element = SCALARS.get(elementType)
  if (!element && elementType !== STRING) {
    throw new UserError(`${where} is a list of type ${elementType}, which is not read; is the file damaged?`)
  }
  // A string takes at least its length.
  if (count > LONGEST_LIST || count * (element ? element[0] : 8) > cursor.left) {
    throw new UserError(
      `${where} announces ${count} entries, more than there is room for; the file is truncated or damaged`,
    )
  }
  const read = (): number | boolean | string => (element ? element[1](cursor) : cursor.string())
  return Array.from({ length: count }, read) as GgufValue
}

function readTensors(
  cursor: Cursor,
  count: number,
  alignment: number,
  size: number,
  path: string,
): Map<string, StoredTensor> {
  const table: (StoredTensor & { name: string })[] = []
  for (let i = 0; i < count; i++) table.push(readTensorInfo(cursor, alignment, path))
  const start = Math.ceil(cursor.position / alignment) * alignment
  let covered = 0
  for (const { name, position, bytes } of table.toSorted((a, b) => a.position - b.position)) {
    if (position < covered) throw new UserError(`${path}: the data of ${show(name)} overlaps another's; it is damaged`)
    covered = position + bytes
    if (start + covered > size) {
      throw new UserError(`${path} ends before the data of ${show(name)}; it is truncated, fetch it again`)
    }
  }
  const tensors = new Map<string, StoredTensor>()
  for (const { name, ...info } of table) {
    if (tensors.has(name)) throw new UserError(`${path} has two tensors ${show(name)}; it is damaged`)
    tensors.set(name, { ...info, position: start + info.position })
  }
  return tensors
}

/** One line of the table; its position is still relative to where all data starts. */
function readTensorInfo(cursor: Cursor, alignment: number, path: string): StoredTensor & { name: string } {
  const name = cursor.string()
  const where = `${path}: ${show(name)}`
  const rank = cursor.u32()
  if (rank < 1 || rank > MOST_DIMENSIONS) throw new UserError(`${where} has ${rank} dimensions; the file is damaged`)
  const dimensions = Array.from({ length: rank }, () => cursor.u64())
  const type = cursor.u32()
  const position = cursor.u64()
  const format = BLOCK_FORMATS.get(type)
  if (!format) {
    const known = [...BLOCK_FORMATS.values()].map((one) => one.name).join(', ')
    throw new UserError(`${where} is stored as ${OTHER_FORMATS[type] ?? `type ${type}`}; ${known} can be read`)
  }
  const values = elements(dimensions)
  const whole = dimensions.every((one) => one >= 1) && dimensions[0] % format.values === 0
  if (!whole || !Number.isSafeInteger(values) || position % alignment !== 0) {
    throw new UserError(`${where} has shape [${dimensions}] in ${format.name} at ${position}; the file is damaged`)
  }
  // The innermost dimension comes first in the file.
  const shape = dimensions.toReversed()
  return { name, shape, dtype: format.name, bytes: (values / format.values) * format.bytes, position, format }
}

/** A name from the file in a message: short, and without what would break the line. */
function show(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name).slice(1, -1)
}
