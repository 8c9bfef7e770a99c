/**
 * Keys and values of many token sequences, in the layout the decode graphs read without copying: per layer one array
 * [slots, kvHeads, capacity, headSize] for keys and one for values. A slot holds one sequence; the batch of a run is a
 * contiguous range of slots, so slots are swapped to bring the active ones together.
 */
import type { DecoderShape } from './decode-graph.ts'

/** Added to the attention score of a cache row that holds no token. */
const MASKED = -1e30

/** Rows per slot grow in these steps: attention reads every row of the capacity, used or not. */
export function capacityFor(rows: number): number {
  const step = rows <= 256 ? 32 : rows <= 1024 ? 64 : 256
  return Math.max(32, Math.ceil(rows / step) * step)
}

export class KvArena {
  /** Rows per slot. */
  capacity = 32
  slots = 0
  /** Valid rows of each slot. */
  readonly lengths: number[] = []
  /** [slots, capacity]: 0 on valid rows. */
  mask = new Float32Array(0)
  private readonly shape: DecoderShape
  /** Keys then values, layer by layer; each may be larger than slots × kvHeads × capacity × headSize. */
  private arrays: Float32Array[]
  private scratch = new Float32Array(0)

  constructor(shape: DecoderShape) {
    this.shape = shape
    this.arrays = Array.from({ length: 2 * shape.layers }, () => new Float32Array(0))
  }

  /** Bytes of keys and values of one token. */
  static bytesPerToken(shape: DecoderShape): number {
    return 2 * shape.layers * shape.keyValueHeads * shape.headSize * 4
  }

  private get rowBlock(): number {
    return this.capacity * this.shape.headSize
  }

  private get slotSize(): number {
    return this.shape.keyValueHeads * this.rowBlock
  }

  /** The cache of `count` slots from `first`, without copying: kind 0 = keys, 1 = values. */
  view(layer: number, kind: 0 | 1, first: number, count: number): Float32Array {
    return this.arrays[2 * layer + kind].subarray(first * this.slotSize, (first + count) * this.slotSize)
  }

  maskView(first: number, count: number): Float32Array {
    return this.mask.subarray(first * this.capacity, (first + count) * this.capacity)
  }

  /** Make room for `slots` slots of `rows` rows each; what is stored stays. */
  reserve(slots: number, rows: number): void {
    const capacity = Math.max(this.capacity, capacityFor(rows))
    if (slots <= this.slots && capacity === this.capacity) return
    const oldBlock = this.rowBlock
    const oldSlots = this.slots
    this.capacity = capacity
    this.slots = Math.max(slots, oldSlots)
    const { keyValueHeads, headSize } = this.shape
    const needed = this.slots * this.slotSize
    const block = this.rowBlock
    for (let i = 0; i < this.arrays.length; i++) {
      const old = this.arrays[i]
      // Half as much again when it must grow, so that it seldom does; blocks only ever move up: last one first.
      const array = old.length >= needed ? old : new Float32Array(old.length === 0 ? needed : Math.ceil(needed * 1.5))
      if (array === old && block === oldBlock) continue
      for (let slot = oldSlots - 1; slot >= 0; slot--) {
        const size = this.lengths[slot] * headSize
        if (size === 0) continue
        for (let head = keyValueHeads - 1; head >= 0; head--) {
          const from = (slot * keyValueHeads + head) * oldBlock
          const to = (slot * keyValueHeads + head) * block
          if (array === old) array.copyWithin(to, from, from + size)
          else array.set(old.subarray(from, from + size), to)
        }
      }
      this.arrays[i] = array
    }
    while (this.lengths.length < this.slots) this.lengths.push(0)
    this.mask = new Float32Array(this.slots * this.capacity).fill(MASKED)
    for (let slot = 0; slot < this.slots; slot++)
      this.mask.fill(0, slot * capacity, slot * capacity + this.lengths[slot])
  }

  /** Declare that the first `length` rows of a slot are valid (fewer or more than before). */
  setLength(slot: number, length: number): void {
    const start = slot * this.capacity
    const old = this.lengths[slot]
    if (length > old) this.mask.fill(0, start + old, start + length)
    else this.mask.fill(MASKED, start + length, start + old)
    this.lengths[slot] = length
  }

  /** Make slot `to` hold the first `length` rows of slot `from`. */
  copy(from: number, to: number, length: number): void {
    const { keyValueHeads, headSize } = this.shape
    for (const array of this.arrays) {
      for (let head = 0; head < keyValueHeads; head++) {
        const source = from * this.slotSize + head * this.rowBlock
        array.copyWithin(to * this.slotSize + head * this.rowBlock, source, source + length * headSize)
      }
    }
    this.setLength(to, length)
  }

  /** Exchange the contents of two slots. */
  swap(a: number, b: number): void {
    const { keyValueHeads, headSize } = this.shape
    const [lengthA, lengthB] = [this.lengths[a], this.lengths[b]]
    if (this.scratch.length < this.rowBlock) this.scratch = new Float32Array(this.rowBlock)
    for (const array of this.arrays) {
      for (let head = 0; head < keyValueHeads; head++) {
        const atA = a * this.slotSize + head * this.rowBlock
        const atB = b * this.slotSize + head * this.rowBlock
        const kept = lengthB === 0 ? undefined : array.subarray(atA, atA + lengthA * headSize)
        if (kept) this.scratch.set(kept)
        if (lengthB > 0) array.copyWithin(atA, atB, atB + lengthB * headSize)
        if (kept) array.set(this.scratch.subarray(0, kept.length), atB)
        else array.copyWithin(atB, atA, atA + lengthA * headSize)
      }
    }
    this.setLength(a, lengthB)
    this.setLength(b, lengthA)
  }

  /**
   * Append `count` new rows to a slot from one layer's output of a run, [slots, packedHeads, length, headSize] at entry
   * `entry`. Every layer is written before `setLength` declares the rows valid.
   */
  write(layer: number, slot: number, rows: Float32Array, entry: number, length: number, count: number): void {
    const { heads, keyValueHeads, headSize, packedHeads } = this.shape
    const size = count * headSize
    for (let kind = 0; kind < 2; kind++) {
      const array = this.arrays[2 * layer + kind]
      for (let head = 0; head < keyValueHeads; head++) {
        const from = (entry * packedHeads + heads + kind * keyValueHeads + head) * length * headSize
        const to = slot * this.slotSize + head * this.rowBlock + this.lengths[slot] * headSize
        if (size <= 256) for (let i = 0; i < size; i++) array[to + i] = rows[from + i]
        else array.set(rows.subarray(from, from + size), to)
      }
    }
  }

  /** Drop the slots from `slots` on. */
  truncate(slots: number): void {
    this.slots = slots
    this.lengths.length = slots
  }

  /** Forget everything; the memory is kept for what comes next. */
  clear(): void {
    this.capacity = 32
    this.truncate(0)
  }
}
