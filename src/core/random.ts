/**
 * Counter-based random numbers: every draw is a hash of its coordinates (seed, stage, step, episode, sample, token), never
 * the next value of a shared stream. So a draw does not depend on what was drawn before, and a replayed wave draws the same.
 */

const encoder = new TextEncoder()

/** 32-bit mix of one coordinate into a state (murmur3's finaliser over an odd-multiplied sum). */
function mix(state: number, value: number): number {
  let x = (state ^ Math.imul(value | 0, 0xcc9e2d51)) >>> 0
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return ((x ^ (x >>> 16)) + 0x9e3779b9) >>> 0
}

export type Coordinate = number | string

/** A 32-bit hash of the coordinates; also the way to derive a sub-seed. Strings are hashed as UTF-8 bytes. */
export function hash32(...coordinates: Coordinate[]): number {
  let state = 0x243f6a88
  for (const coordinate of coordinates) {
    if (typeof coordinate === 'number') {
      state = mix(state, coordinate)
      const high = Math.floor(coordinate / 2 ** 32)
      if (high !== 0 && high !== -1) state = mix(state, high)
    } else {
      const bytes = encoder.encode(coordinate)
      state = mix(state, bytes.length + 0x1000000)
      for (const byte of bytes) state = mix(state, byte)
    }
  }
  return mix(state, coordinates.length)
}

/** Uniform in [0, 1) with 53 bits, a pure function of the coordinates. */
export function uniform(...coordinates: Coordinate[]): number {
  const base = hash32(...coordinates)
  const high = mix(base, 1) >>> 5
  const low = mix(base, 2) >>> 6
  return (high * 67108864 + low) / 9007199254740992
}

/** A small generator over one seed, for code that draws an unknown number of values (generators of worlds and texts). */
export class Random {
  private readonly seed: number
  private counter = 0
  constructor(...coordinates: Coordinate[]) {
    this.seed = hash32(...coordinates)
  }
  /** Uniform in [0, 1). */
  next(): number {
    return uniform(this.seed, this.counter++)
  }
  /** Integer in [low, high], both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }
  chance(probability: number): boolean {
    return this.next() < probability
  }
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('pick from an empty list')
    return items[Math.floor(this.next() * items.length)]
  }
  /** One item, with probability proportional to its weight. */
  weighted<T>(items: readonly T[], weight: (item: T) => number): T {
    const total = items.reduce((sum, item) => sum + weight(item), 0)
    if (!(total > 0)) throw new Error('weighted pick needs a positive total weight')
    let left = this.next() * total
    for (const item of items) {
      left -= weight(item)
      if (left < 0) return item
    }
    return items[items.length - 1]
  }
  /** A new array in random order (Fisher–Yates). */
  shuffle<T>(items: readonly T[]): T[] {
    const out = [...items]
    for (let i = out.length - 1; i > 0; i--) {
      const j = Math.floor(this.next() * (i + 1))
      ;[out[i], out[j]] = [out[j], out[i]]
    }
    return out
  }
}
