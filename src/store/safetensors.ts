import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { z } from 'zod'
import { UserError } from '../core/index.ts'
import { writeFileAtomic } from './atomic.ts'

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

const elementBytes = new Map([
  ['F32', 4],
  ['F16', 2],
  ['BF16', 2],
])

/** An IEEE half in 16 bits to a number. */
export function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

/** float32 to bfloat16, rounding to nearest, ties to even; NaN stays NaN. */
export function toBfloat16(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length)
  const out = new Uint16Array(values.length)
  for (let i = 0; i < bits.length; i++) {
    const x = bits[i]
    const nan = (x & 0x7fffffff) > 0x7f800000
    out[i] = nan ? (x >>> 16) | 0x40 : (x + 0x7fff + ((x >>> 16) & 1)) >>> 16
  }
  return out
}

function decode(dtype: string, bytes: Uint8Array<ArrayBuffer>): Float32Array {
  if (dtype === 'F32') return new Float32Array(bytes.buffer)
  const halves = new Uint16Array(bytes.buffer)
  const out = new Float32Array(halves.length)
  if (dtype === 'F16') {
    for (let i = 0; i < out.length; i++) out[i] = halfToNumber(halves[i])
    return out
  }
  const bits = new Uint32Array(out.buffer)
  for (let i = 0; i < out.length; i++) bits[i] = halves[i] << 16
  return out
}

function readExactly(file: number, length: number, position: number): Uint8Array<ArrayBuffer> | undefined {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; ) {
    const count = readSync(file, bytes, at, Math.min(length - at, 1 << 30), position + at)
    if (count === 0) return undefined
    at += count
  }
  return bytes
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

export interface SafetensorsFile {
  tensors: Map<string, FloatTensor>
  metadata: Record<string, string>
}

/**
 * Read all tensors as float32 (from F32, F16 or BF16).
 * @throws UserError if the file is missing, truncated, or its header contradicts itself or the file.
 */
export function readSafetensors(path: string): SafetensorsFile {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    throw new UserError(`${path} cannot be read: give a file in safetensors format`)
  }
  try {
    const size = fstatSync(file).size
    const prefix = readExactly(file, 8, 0)
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

    const tensors = new Map<string, FloatTensor>()
    let covered = 0
    const byPosition = Object.entries(header.data).sort(
      ([, { data_offsets: a }], [, { data_offsets: b }]) => a[0] - b[0] || a[1] - b[1],
    )
    for (const [name, { dtype, shape, data_offsets }] of byPosition) {
      const [begin, end] = data_offsets
      const width = elementBytes.get(dtype)
      if (!width) throw new UserError(`${path}: ${name} has type ${dtype}; F32, F16 and BF16 can be read`)
      const expected = shape.reduce((a, b) => a * b, 1) * width
      if (end - begin !== expected) {
        throw new UserError(`${path}: ${name} with shape [${shape}] needs ${expected} bytes but claims ${end - begin}`)
      }
      const data = 8 + length + end <= size ? readExactly(file, expected, 8 + length + begin) : undefined
      if (!data) throw new UserError(`${path} ends before the data of ${name}; it is truncated, fetch or save it again`)
      if (begin !== covered) throw new UserError(`${path}: the data of ${name} overlaps or leaves a gap; it is damaged`)
      covered = end
      tensors.set(name, { shape, data: decode(dtype, data) })
    }
    if (8 + length + covered !== size) {
      throw new UserError(
        `${path}: its tensors cover ${covered} bytes, the file holds ${size - 8 - length}; it is damaged`,
      )
    }
    return { tensors, metadata: metadata.data }
  } finally {
    closeSync(file)
  }
}

/** Write tensors (and string metadata) in order, as F32 or rounded to BF16. The file appears whole or not at all. */
export function writeSafetensors(
  path: string,
  tensors: ReadonlyMap<string, { shape: readonly number[]; data: Float32Array }>,
  options: { dtype?: 'F32' | 'BF16'; metadata?: Record<string, string> } = {},
): void {
  const { dtype = 'F32', metadata } = options
  const header: Record<string, unknown> = metadata ? { __metadata__: metadata } : {}
  const chunks: Uint8Array[] = []
  let at = 0
  for (const [name, { shape, data }] of tensors) {
    const encoded = dtype === 'F32' ? data : toBfloat16(data)
    const bytes = new Uint8Array(encoded.buffer, encoded.byteOffset, encoded.byteLength)
    header[name] = { dtype, shape, data_offsets: [at, at + bytes.length] }
    chunks.push(bytes)
    at += bytes.length
  }
  const text = Buffer.from(JSON.stringify(header))
  // Spaces up to a multiple of 8, so that the data is aligned.
  const length = Math.ceil(text.length / 8) * 8
  const out = new Uint8Array(8 + length + at)
  new DataView(out.buffer).setBigUint64(0, BigInt(length), true)
  out.fill(0x20, 8, 8 + length)
  out.set(text, 8)
  let position = 8 + length
  for (const chunk of chunks) {
    out.set(chunk, position)
    position += chunk.length
  }
  writeFileAtomic(path, out)
}
