/** The two 16-bit floating-point formats: IEEE half, and bfloat16 (the upper half of a float32). */

/** An IEEE half in 16 bits to a number. */
export function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

let halves: Float32Array | undefined

/** Value of every half by its bits [65536]: a look-up is many times faster than the arithmetic. */
export function halfTable(): Float32Array {
  halves ??= Float32Array.from({ length: 65536 }, (_, bits) => halfToNumber(bits))
  return halves
}

/** Into `out`, of the same length, where it is given. */
export function fromFloat16(values: Uint16Array, out: Float32Array = new Float32Array(values.length)): Float32Array {
  const table = halfTable()
  for (let i = 0; i < out.length; i++) out[i] = table[values[i]]
  return out
}

/** Into `out`, of the same length, where it is given. */
export function fromBfloat16(values: Uint16Array, out: Float32Array = new Float32Array(values.length)): Float32Array {
  const bits = new Uint32Array(out.buffer, out.byteOffset, out.length)
  for (let i = 0; i < out.length; i++) bits[i] = values[i] << 16
  return out
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

/** float32 to IEEE half, rounding to nearest, ties to even; beyond 65504 it becomes an infinity, NaN stays NaN. */
export function toFloat16(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length)
  const out = new Uint16Array(values.length)
  for (let i = 0; i < bits.length; i++) {
    const sign = (bits[i] >>> 16) & 0x8000
    const size = bits[i] & 0x7fffffff
    if (size > 0x7f800000) out[i] = sign | 0x7e00
    else if (size >= 0x47800000) out[i] = sign | 0x7c00
    else if (size < 0x38800000) {
      // Subnormal: a whole number of steps of 2⁻²⁴. Adding 2²³ of them makes the float32 unit do the rounding.
      out[i] = sign | (Math.fround(Math.abs(values[i]) * 2 ** 24 + 2 ** 23) - 2 ** 23)
    } else {
      // The exponents' biases differ by 112; a carry out of the fraction is the next exponent, as it should be.
      out[i] = sign | ((size - 0x38000000 + 0xfff + ((size >>> 13) & 1)) >>> 13)
    }
  }
  return out
}
