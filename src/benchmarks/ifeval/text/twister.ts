/**
 * The Mersenne Twister MT19937 of Matsumoto and Nishimura (1998), with whole numbers and normal deviates drawn from it as
 * Python draws them. The reference's language detection samples; only with the same numbers can verdicts be the same.
 */
const SIZE = 624
const SHIFT = 397

export class Twister {
  private readonly state = new Uint32Array(SIZE)
  private at = SIZE
  private spare: number | null = null

  /** `seed` is one 32-bit number. */
  constructor(seed: number) {
    const { state } = this
    state[0] = 19650218
    for (let i = 1; i < SIZE; i++) state[i] = Math.imul(state[i - 1] ^ (state[i - 1] >>> 30), 1812433253) + i
    let i = 1
    const wrap = () => {
      if (++i < SIZE) return
      state[0] = state[SIZE - 1]
      i = 1
    }
    for (let k = 0; k < SIZE; k++) {
      state[i] = (state[i] ^ Math.imul(state[i - 1] ^ (state[i - 1] >>> 30), 1664525)) + seed
      wrap()
    }
    for (let k = 1; k < SIZE; k++) {
      state[i] = (state[i] ^ Math.imul(state[i - 1] ^ (state[i - 1] >>> 30), 1566083941)) - i
      wrap()
    }
    state[0] = 0x80000000
  }

  /** A whole number from 0 to `bound` - 1. */
  below(bound: number): number {
    const bits = 32 - Math.clz32(bound)
    for (;;) {
      const drawn = this.next() >>> (32 - bits)
      if (drawn < bound) return drawn
    }
  }

  /** A normal deviate with mean 0 and deviation 1. They come in pairs; the second waits. */
  normal(): number {
    if (this.spare !== null) {
      const drawn = this.spare
      this.spare = null
      return drawn
    }
    const angle = this.uniform() * 2 * Math.PI
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()))
    this.spare = Math.sin(angle) * radius
    return Math.cos(angle) * radius
  }

  /** In [0, 1), with 53 bits. */
  private uniform(): number {
    const high = this.next() >>> 5
    const low = this.next() >>> 6
    return (high * 2 ** 26 + low) / 2 ** 53
  }

  private next(): number {
    if (this.at >= SIZE) this.twist()
    let y = this.state[this.at++]
    y ^= y >>> 11
    y ^= (y << 7) & 0x9d2c5680
    y ^= (y << 15) & 0xefc60000
    return (y ^ (y >>> 18)) >>> 0
  }

  private twist(): void {
    const { state } = this
    for (let i = 0; i < SIZE; i++) {
      const y = (state[i] & 0x80000000) | (state[(i + 1) % SIZE] & 0x7fffffff)
      state[i] = state[(i + SHIFT) % SIZE] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0)
    }
    this.at = 0
  }
}
