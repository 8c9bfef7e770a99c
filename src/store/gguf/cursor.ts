import { UserError } from '../../core/index.ts'
import { readExactly } from '../read-exactly.ts'

const CHUNK = 1 << 20

const text = new TextDecoder()

/**
 * Reads a binary header from front to back, little-endian, through a small buffer. Nothing it does goes past the end of the
 * file: a length that a damaged file lies about ends in a `UserError`, not in memory.
 */
export class Cursor {
  private readonly file: number
  private readonly size: number
  private readonly path: string
  private chunk: Uint8Array = new Uint8Array(0)
  private view = new DataView(this.chunk.buffer)
  /** Where the chunk begins in the file. */
  private start = 0
  /** Next byte to read, in the chunk. */
  private at = 0

  constructor(file: number, size: number, path: string) {
    this.file = file
    this.size = size
    this.path = path
  }

  /** Position of the next byte in the file. */
  get position(): number {
    return this.start + this.at
  }

  /** Bytes from here to the end. */
  get left(): number {
    return this.size - this.position
  }

  /** Make `count` bytes lie in the chunk from `at` on, and go past them. Returns where they begin. */
  private take(count: number): number {
    if (count > this.left) {
      throw new UserError(`${this.path} ends inside its header; it is truncated or damaged, fetch it again`)
    }
    if (this.at + count > this.chunk.length) {
      const position = this.position
      const chunk = readExactly(this.file, Math.min(Math.max(CHUNK, count), this.size - position), position)
      if (!chunk) throw new UserError(`${this.path} became shorter while it was read`)
      this.chunk = chunk
      this.view = new DataView(chunk.buffer)
      this.start = position
      this.at = 0
    }
    this.at += count
    return this.at - count
  }

  u8(): number {
    const at = this.take(1)
    return this.view.getUint8(at)
  }
  i8(): number {
    const at = this.take(1)
    return this.view.getInt8(at)
  }
  u16(): number {
    const at = this.take(2)
    return this.view.getUint16(at, true)
  }
  i16(): number {
    const at = this.take(2)
    return this.view.getInt16(at, true)
  }
  u32(): number {
    const at = this.take(4)
    return this.view.getUint32(at, true)
  }
  i32(): number {
    const at = this.take(4)
    return this.view.getInt32(at, true)
  }
  f32(): number {
    const at = this.take(4)
    return this.view.getFloat32(at, true)
  }
  f64(): number {
    const at = this.take(8)
    return this.view.getFloat64(at, true)
  }
  /** As a number: beyond 2⁵³ it is rounded, and so beyond every size that a file can have. */
  u64(): number {
    const at = this.take(8)
    return Number(this.view.getBigUint64(at, true))
  }
  i64(): number {
    const at = this.take(8)
    return Number(this.view.getBigInt64(at, true))
  }
  /** A 64-bit length and so many bytes of UTF-8. */
  string(): string {
    const length = this.u64()
    const at = this.take(length)
    return text.decode(this.chunk.subarray(at, at + length))
  }
}
