import { describe, expect, it } from 'vitest'
import { drawRestricted, drawToken, mostProbable } from './draw.ts'

const row = { values: Float32Array.of(9, 9, 0.1, 0.4, 0, 0.3, 0.2, 9), offset: 2, size: 5 }

describe('drawing', () => {
  it('inverts the cumulative distribution in id order', () => {
    expect([0, 0.05, 0.11, 0.49, 0.51, 0.79, 0.81, 0.999].map((u) => drawToken(row, u))).toEqual([
      0, 0, 1, 1, 3, 3, 4, 4,
    ])
  })

  it('gives what rounding leaves over to the last possible token', () => {
    expect(drawToken({ values: Float32Array.of(0.5, 0.4999, 0), offset: 0, size: 3 }, 0.99999)).toBe(1)
  })

  it('keeps to the top-k and then to the nucleus', () => {
    const draws = (topK: number, topP: number) =>
      new Set(Array.from({ length: 100 }, (_, i) => drawRestricted(row, i / 100, topK, topP)))
    expect(draws(2, 1)).toEqual(new Set([1, 3]))
    expect(draws(0, 0.69)).toEqual(new Set([1, 3]))
    expect(draws(0, 0.75)).toEqual(new Set([1, 3, 4]))
    // 0.4 is 57 % of the top two.
    expect(draws(2, 0.5)).toEqual(new Set([1]))
  })

  it('takes the lowest id among equals', () => {
    expect(mostProbable(row)).toBe(1)
    expect(mostProbable({ values: Float32Array.of(0.5, 0.5), offset: 0, size: 2 })).toBe(0)
  })
})
