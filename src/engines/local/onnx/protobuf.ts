/**
 * The writing half of protocol buffers, as far as ONNX needs it: varints, floats, bytes and nested messages. Nested
 * messages share their chunks with the parent, so a model of many megabytes is copied once, in `finish`.
 */

const encoder = new TextEncoder()

const VARINT = 0
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

  finish(): Uint8Array {
    const out = new Uint8Array(this.length)
    let at = 0
    for (const chunk of this.chunks) {
      out.set(chunk, at)
      at += chunk.length
    }
    return out
  }
}
