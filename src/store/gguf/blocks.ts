import { fromBfloat16, fromFloat16, halfTable } from '../float16.ts'

/**
 * llama.cpp's tensor formats to float32 (its `ggml-quants.c` describes them). Weights are stored in blocks: a few scales, and
 * small whole numbers that they stretch. Values are those of the reference bit for bit.
 */
export interface BlockFormat {
  name: string
  /** Values in a block, and the bytes it takes. */
  values: number
  bytes: number
  /** Whole blocks to their values. */
  decode(bytes: Uint8Array<ArrayBuffer>): Float32Array
}

/** One block: its bytes begin at `at`, its values go to `out` from `to` on. `half` reads a float16 at a byte. */
type DecodeBlock = (bytes: Uint8Array, at: number, out: Float32Array, to: number, half: (at: number) => number) => void

function blockwise(name: string, values: number, size: number, decodeBlock: DecodeBlock): BlockFormat {
  const decode = (bytes: Uint8Array) => {
    const table = halfTable()
    const half = (at: number) => table[bytes[at] | (bytes[at + 1] << 8)]
    const blocks = bytes.length / size
    const out = new Float32Array(blocks * values)
    for (let i = 0; i < blocks; i++) decodeBlock(bytes, i * size, out, i * values, half)
    return out
  }
  return { name, values, bytes: size, decode }
}

/** 32 values of four bits, the first 16 in the lower halves of the bytes. */
const q4_0 = blockwise('Q4_0', 32, 18, (bytes, at, out, to, half) => {
  const scale = half(at)
  for (let i = 0; i < 16; i++) {
    const pair = bytes[at + 2 + i]
    out[to + i] = scale * ((pair & 15) - 8)
    out[to + i + 16] = scale * ((pair >> 4) - 8)
  }
})

const q4_1 = blockwise('Q4_1', 32, 20, (bytes, at, out, to, half) => {
  const [scale, least] = [half(at), half(at + 2)]
  for (let i = 0; i < 16; i++) {
    const pair = bytes[at + 4 + i]
    out[to + i] = scale * (pair & 15) + least
    out[to + i + 16] = scale * (pair >> 4) + least
  }
})

/** As with four bits; the fifth ones of all 32 values stand together. */
const q5_0 = blockwise('Q5_0', 32, 22, (bytes, at, out, to, half) => {
  const scale = half(at)
  for (let i = 0; i < 16; i++) {
    const pair = bytes[at + 6 + i]
    out[to + i] = scale * ((pair & 15) + 16 * bit(bytes, at + 2, i) - 16)
    out[to + i + 16] = scale * ((pair >> 4) + 16 * bit(bytes, at + 2, i + 16) - 16)
  }
})

const q5_1 = blockwise('Q5_1', 32, 24, (bytes, at, out, to, half) => {
  const [scale, least] = [half(at), half(at + 2)]
  for (let i = 0; i < 16; i++) {
    const pair = bytes[at + 8 + i]
    out[to + i] = scale * ((pair & 15) + 16 * bit(bytes, at + 4, i)) + least
    out[to + i + 16] = scale * ((pair >> 4) + 16 * bit(bytes, at + 4, i + 16)) + least
  }
})

const q8_0 = blockwise('Q8_0', 32, 34, (bytes, at, out, to, half) => {
  const scale = half(at)
  for (let i = 0; i < 32; i++) out[to + i] = scale * signed(bytes[at + 2 + i])
})

/** 256 values in eight groups of 32, each with a scale and an offset of six bits that two float16 stretch. */
const q4_k = blockwise('Q4_K', 256, 144, (bytes, at, out, to, half) => {
  for (let group = 0; group < 8; group++) {
    const { scale, least } = scaleOf(bytes, at, group, half)
    const shift = 4 * (group & 1)
    for (let i = 0; i < 32; i++) {
      const value = (bytes[at + 16 + 32 * (group >> 1) + i] >> shift) & 15
      out[to + 32 * group + i] = scale * value - least
    }
  }
})

const q5_k = blockwise('Q5_K', 256, 176, (bytes, at, out, to, half) => {
  for (let group = 0; group < 8; group++) {
    const { scale, least } = scaleOf(bytes, at, group, half)
    const shift = 4 * (group & 1)
    for (let i = 0; i < 32; i++) {
      const low = (bytes[at + 48 + 32 * (group >> 1) + i] >> shift) & 15
      const high = (bytes[at + 16 + i] >> group) & 1
      out[to + 32 * group + i] = scale * (low + 16 * high) - least
    }
  }
})

/** 256 values of six bits in groups of 16, each with a signed scale of eight bits. */
const q6_k = blockwise('Q6_K', 256, 210, (bytes, at, out, to, half) => {
  const scale = half(at + 208)
  for (let i = 0; i < 256; i++) {
    const [part, quarter, column] = [i >> 7, (i >> 5) & 3, i & 31]
    const low = (bytes[at + 64 * part + 32 * (quarter & 1) + column] >> (4 * (quarter >> 1))) & 15
    const high = (bytes[at + 128 + 32 * part + column] >> (2 * quarter)) & 3
    out[to + i] = scale * signed(bytes[at + 192 + (i >> 4)]) * ((low | (high << 4)) - 32)
  }
})

function bit(bytes: Uint8Array, at: number, index: number): number {
  return (bytes[at + (index >> 3)] >> (index & 7)) & 1
}

function signed(byte: number): number {
  return (byte << 24) >> 24
}

/** Scale and offset of one group of a Q4_K or Q5_K block: twelve bytes hold eight of each. */
function scaleOf(
  bytes: Uint8Array,
  at: number,
  group: number,
  half: (at: number) => number,
): { scale: number; least: number } {
  const packed = (i: number) => bytes[at + 4 + i]
  const late = group >= 4
  const scale = late ? (packed(group + 4) & 15) | ((packed(group - 4) >> 6) << 4) : packed(group) & 63
  const least = late ? (packed(group + 4) >> 4) | ((packed(group) >> 6) << 4) : packed(group + 4) & 63
  return { scale: half(at) * scale, least: half(at + 2) * least }
}

/** Formats by their number in a GGUF file. */
export const BLOCK_FORMATS: ReadonlyMap<number, BlockFormat> = new Map([
  [0, { name: 'F32', values: 1, bytes: 4, decode: (bytes) => new Float32Array(bytes.buffer) }],
  [1, { name: 'F16', values: 1, bytes: 2, decode: (bytes) => fromFloat16(new Uint16Array(bytes.buffer)) }],
  [2, q4_0],
  [3, q4_1],
  [6, q5_0],
  [7, q5_1],
  [8, q8_0],
  [12, q4_k],
  [13, q5_k],
  [14, q6_k],
  [30, { name: 'BF16', values: 1, bytes: 2, decode: (bytes) => fromBfloat16(new Uint16Array(bytes.buffer)) }],
])

/** Names of formats that are not read, for messages. */
export const OTHER_FORMATS: Readonly<Record<number, string>> = {
  ...{ 9: 'Q8_1', 10: 'Q2_K', 11: 'Q3_K', 15: 'Q8_K', 16: 'IQ2_XXS', 17: 'IQ2_XS', 18: 'IQ3_XXS', 19: 'IQ1_S' },
  ...{ 20: 'IQ4_NL', 21: 'IQ3_S', 22: 'IQ2_S', 23: 'IQ4_XS', 24: 'I8', 25: 'I16', 26: 'I32', 27: 'I64', 28: 'F64' },
  ...{ 29: 'IQ1_M', 34: 'TQ1_0', 35: 'TQ2_0', 39: 'MXFP4' },
}
