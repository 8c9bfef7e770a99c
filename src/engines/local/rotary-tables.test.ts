import { describe, expect, it } from 'vitest'
import { ropeFrequencies } from './rope.ts'
import { GrowingTables, rotaryTables } from './rotary-tables.ts'
import { decodeTables } from './sampler/decode-graph.ts'
import { tinyConfig } from './testing/weights.ts'

const yarn = tinyConfig({
  max_position_embeddings: 131072,
  rope_scaling: { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 32 },
})

describe('rotary tables', () => {
  it('hold the scaled cosine and sine of every position and frequency', () => {
    const { inverse, scale } = ropeFrequencies(yarn)
    const { cosine, sine } = rotaryTables(yarn, 5)
    expect(scale).toBeGreaterThan(1.1)
    expect(cosine[4 * 4 + 1]).toBe(Math.fround(scale * Math.cos(4 * inverse[1])))
    expect(sine[3 * 4 + 2]).toBe(Math.fround(scale * Math.sin(3 * inverse[2])))
  })

  it('grow by doubling, far below the context, and keep their beginning', () => {
    const tables = new GrowingTables((positions) => rotaryTables(yarn, positions))
    const short = tables.reaching(3)
    expect(tables.reaching(256)).toBe(short)
    const long = tables.reaching(257)
    expect([short.positions, long.positions]).toEqual([256, 512])
    expect(long.sine.subarray(0, short.sine.length)).toEqual(short.sine)
  })

  it('of the decode graphs leave values as they are, and scale queries', () => {
    const { cosine, sine } = decodeTables(yarn, 2)
    expect(cosine.subarray(0, 4)).toEqual(Float32Array.of(1, 1, 1, 1))
    expect(sine.subarray(0, 4)).toEqual(new Float32Array(4))
    const { scale } = ropeFrequencies(yarn)
    expect(cosine[4]).toBe(Math.fround(scale))
    expect(cosine[4 + 2 * 4]).toBe(Math.fround(scale / Math.sqrt(8)))
  })
})
