import { describe, expect, it } from 'vitest'
import type { ModelConfig } from './config.ts'
import { ropeFrequencies } from './rope.ts'
import expected from './testing/rope.json' with { type: 'json' }

type Rope = Pick<ModelConfig, 'head_dim' | 'rope_theta' | 'rope_scaling'>

describe('rotary frequencies', () => {
  it.each(expected.cases)('are those of transformers: $config.rope_scaling', ({ config, inverse, scale }) => {
    const found = ropeFrequencies(config as Rope)
    expect(found.scale).toBeCloseTo(scale, 12)
    expect(found.inverse).toHaveLength(inverse.length)
    for (const [i, value] of inverse.entries()) expect(Math.abs(found.inverse[i] / value - 1)).toBeLessThan(1e-10)
  })

  it('are powers of the base where nothing is scaled', () => {
    const { inverse, scale } = ropeFrequencies({ head_dim: 8, rope_theta: 10000 })
    expect([...inverse]).toEqual([0, 1, 2, 3].map((i) => 10000 ** (-i / 4)))
    expect(scale).toBe(1)
  })
})
