/**
 * Protocol buffers, as far as ONNX's graphs and Tinker's passes need them: varints, floats, bytes and nested messages. Nested
 * messages share their chunks with the parent, so a model of many megabytes is copied once, in `finish`; what is read is a view.
 */

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

const VARINT = 0
const FIXED64 = 1
const LENGTH_DELIMITED = 2
const FIXED32 = 5

/** Base-128 varint of a non-negative safe integer, or of a negative one as its 64-bit two's complement. */
function varint(value: number): Uint8Array {
  const out: number[] = []
  if (value < 0) {
    let rest = BigInt.asUintN(64, BigInt(value))
    for (; rest >= 0x80n; rest >>= 7n) out.push(Number(rest & 0x7fn) | 0x80)
    out.push(Number(rest))
    return Uint8Array.from(out)
  }
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) out.push((rest % 128) | 0x80)
  out.push(rest)
  return Uint8Array.from(out)
}

/** One message under construction. Fields are written in call order. */
export class MessageWriter {
  private readonly chunks: Uint8Array[] = []
  private length = 0

  private push(chunk: Uint8Array): void {
    this.chunks.push(chunk)
    this.length += chunk.length
  }

  private tag(field: number, wireType: number): void {
    this.push(varint(field * 8 + wireType))
  }

  /** An int32, int64, bool or enum field. */
  integer(field: number, value: number): this {
    this.tag(field, VARINT)
    this.push(varint(value))
    return this
  }

  /** A repeated int64 field in packed form. */
  packedIntegers(field: number, values: readonly number[]): this {
    const parts = values.map(varint)
    this.tag(field, LENGTH_DELIMITED)
    this.push(varint(parts.reduce((sum, part) => sum + part.length, 0)))
    for (const part of parts) this.push(part)
    return this
  }

  float(field: number, value: number): this {
    this.tag(field, FIXED32)
    const bytes = new Uint8Array(4)
    new DataView(bytes.buffer).setFloat32(0, value, true)
    this.push(bytes)
    return this
  }

  double(field: number, value: number): this {
    this.tag(field, FIXED64)
    const bytes = new Uint8Array(8)
    new DataView(bytes.buffer).setFloat64(0, value, true)
    this.push(bytes)
    return this
  }

  /** A bytes field. The array is referenced until `finish`, not copied. */
  bytes(field: number, value: Uint8Array): this {
    this.tag(field, LENGTH_DELIMITED)
    this.push(varint(value.length))
    this.push(value)
    return this
  }

  string(field: number, value: string): this {
    return this.bytes(field, encoder.encode(value))
  }

  message(field: number, value: MessageWriter): this {
    this.tag(field, LENGTH_DELIMITED)
    this.push(varint(value.length))
    for (const chunk of value.chunks) this.push(chunk)
    return this
  }

  finish(): Uint8Array<ArrayBuffer> {
    const out = new Uint8Array(this.length)
    let at = 0
    for (const chunk of this.chunks) {
      out.set(chunk, at)
      at += chunk.length
    }
    return out
  }
}

/** One message that was received. Fields may come in any order; those that nobody asks for are left alone. */
export class MessageReader {
  /** Values by field: integers, or the bytes of everything else. */
  private readonly fields = new Map<number, (number | Uint8Array)[]>()

  /** @throws SyntaxError where the bytes are no message */
  constructor(bytes: Uint8Array) {
    let at = 0
    const varint = (): number => {
      let value = 0
      for (let factor = 1; ; factor *= 128) {
        // Ten bytes are 64 bits; what is beyond a safe integer is a negative one, and none is expected.
        if (at >= bytes.length || factor > 2 ** 63) throw new SyntaxError('ends within a number')
        const byte = bytes[at++]
        value += (byte & 0x7f) * factor
        if (byte < 0x80) return value
      }
    }
    const take = (length: number): Uint8Array => {
      if (length > bytes.length - at) throw new SyntaxError('ends within a field')
      at += length
      return bytes.subarray(at - length, at)
    }
    while (at < bytes.length) {
      const tag = varint()
      const field = Math.floor(tag / 8)
      const type = tag % 8
      if (field === 0 || ![VARINT, FIXED64, LENGTH_DELIMITED, FIXED32].includes(type)) {
        throw new SyntaxError(`has a field ${field} of type ${type}`)
      }
      const value = type === VARINT ? varint() : take(type === FIXED64 ? 8 : type === FIXED32 ? 4 : varint())
      const values = this.fields.get(field)
      if (values) values.push(value)
      else this.fields.set(field, [value])
    }
  }

  /** 0 where it was left out, as zeros are. */
  integer(field: number): number {
    const value = this.fields.get(field)?.at(-1) ?? 0
    if (typeof value === 'number') return value
    throw new SyntaxError(`has no number in field ${field}`)
  }

  /** Null where it was left out. */
  bytes(field: number): Uint8Array | null {
    return this.all(field).at(-1) ?? null
  }

  string(field: number): string {
    const bytes = this.bytes(field)
    try {
      return bytes === null ? '' : decoder.decode(bytes)
    } catch {
      throw new SyntaxError(`has no text in field ${field}`)
    }
  }

  double(field: number): number {
    const bytes = this.bytes(field)
    if (bytes === null) return 0
    if (bytes.length !== 8) throw new SyntaxError(`has no number in field ${field}`)
    return new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true)
  }

  messages(field: number): MessageReader[] {
    return this.all(field).map((bytes) => new MessageReader(bytes))
  }

  private all(field: number): Uint8Array[] {
    return (this.fields.get(field) ?? []).map((value) => {
      if (typeof value !== 'number') return value
      throw new SyntaxError(`has a number in field ${field}`)
    })
  }
}
