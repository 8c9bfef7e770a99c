import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Embedder } from '../embedders/index.ts'
import { equivalentThreshold, mapThreshold } from './map-threshold.ts'

describe('mapThreshold', () => {
  // Thresholds by numpy.quantile(to, share).
  it.each([
    [0.2, [0.05, 0.1, 0.15, 0.3, 0.5, 0.6, 0.7, 0.9], [0.02, 0.2, 0.08, 0.35, 0.4, 0.9, 0.8, 0.6], 3 / 8, 0.29375],
    [0.2, [0, 0.1, 0.4], [0.3, 0, 0.7], 2 / 3, 0.43333333333333],
    [0.3, [0.1, 0.3, 0.3, 0.5], [0.2, 0.2, 0.2, 0.9], 1 / 4, 0.2],
  ])('is numpy’s quantile at the share below %d', (threshold, from, to, share, expected) => {
    const mapped = mapThreshold(threshold, from, to)
    expect(mapped.share).toBeCloseTo(share, 12)
    expect(mapped.threshold).toBeCloseTo(expected, 12)
  })

  it('lets as many through, where no two distances are the same', () => {
    const distances = fc.uniqueArray(fc.integer({ min: 1, max: 1000 }), { minLength: 2, maxLength: 40 })
    fc.assert(
      fc.property(distances, fc.nat(), (to, at) => {
        const from = to.map((_, index) => index / to.length)
        const below = 1 + (at % (to.length - 1))
        const { threshold } = mapThreshold(below / to.length, from, to)
        expect(to.filter((distance) => distance < threshold)).toHaveLength(below)
      }),
    )
  })

  it('says where nothing can be said', () => {
    expect(() => mapThreshold(0.1, [0.2, 0.3], [0, 1])).toThrow(/none of 2 pairs lie below 0.1/)
    expect(() => mapThreshold(0.5, [0.2, 0.3], [0, 1])).toThrow(/all of 2 pairs lie below 0.5/)
    expect(() => mapThreshold(0.25, [0.2, 0.3, 0.4], [0, 0, 1])).toThrow(/cannot tell these states apart/)
    expect(() => mapThreshold(0.5, [0.2], [0, 1])).toThrow(/there are 1 .* and 2/)
  })
})

it('maps a threshold by pairs of states', async () => {
  /** Places a text at a multiple of the angle, in degrees, that it names. */
  const compass = (times: number): Embedder => ({
    name: `compass × ${times}`,
    semantic: true,
    embed: async (texts) =>
      texts.map((text) => {
        const angle = (times * Number(text) * Math.PI) / 180
        return Float32Array.of(Math.cos(angle), Math.sin(angle))
      }),
  })
  const pairs = [10, 20, 30, 40].map((angle) => ({
    sort: 'turned',
    same: false,
    actual: '0',
    other: String(angle),
    from: 'environment' as const,
  }))
  const distance = (angle: number) => 1 - Math.cos((angle * Math.PI) / 180)
  const { threshold, share } = await equivalentThreshold(
    { embedder: compass(1), threshold: distance(25) },
    compass(2),
    pairs,
  )
  expect(share).toBe(0.5)
  expect(threshold).toBeCloseTo((distance(40) + distance(60)) / 2, 6)
})
