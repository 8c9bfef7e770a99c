import { ropeFrequencies } from './rope.ts'

/** Cosines and sines of position × frequency, [positions, head_dim / 2] each, as the RotaryEmbedding operator reads them. */
export interface RotaryTables {
  positions: number
  cosine: Float32Array
  sine: Float32Array
}

type Rope = Parameters<typeof ropeFrequencies>[0]

/** Tables of the first positions, all multiplied by a factor. */
export function rotaryTables(config: Rope, positions: number, factor = 1): RotaryTables {
  const { inverse, scale } = ropeFrequencies(config)
  const half = inverse.length
  const cosine = new Float32Array(positions * half)
  const sine = new Float32Array(positions * half)
  for (let position = 0; position < positions; position++) {
    for (let i = 0; i < half; i++) {
      const angle = position * inverse[i]
      cosine[position * half + i] = factor * scale * Math.cos(angle)
      sine[position * half + i] = factor * scale * Math.sin(angle)
    }
  }
  return { positions, cosine, sine }
}

/** Tables are at least this long. */
const FEWEST_POSITIONS = 256

/**
 * Tables for the longest sequence so far: those of a whole context of 131072 positions would be far larger than a short
 * sequence needs, and graphs take them as inputs.
 */
export class GrowingTables {
  private tables: RotaryTables | undefined
  private readonly build: (positions: number) => RotaryTables

  constructor(build: (positions: number) => RotaryTables) {
    this.build = build
  }

  /** Tables of at least so many positions; their length doubles, so that it seldom changes. */
  reaching(positions: number): RotaryTables {
    if (!this.tables || this.tables.positions < positions) {
      this.tables = this.build(Math.max(FEWEST_POSITIONS, 2 ** Math.ceil(Math.log2(positions))))
    }
    return this.tables
  }
}
