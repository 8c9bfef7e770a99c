import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Random, wilsonInterval } from '../core/index.ts'
import {
  clusteredMean,
  clusteredMeanInterval,
  clusteredShareInterval,
  correlation,
  detectableFrom,
  differenceInterval,
} from './intervals.ts'

describe('clusters', () => {
  test('of one measurement each give Wilson’s interval, nearly', () => {
    const clusters = Array.from({ length: 200 }, (_, task) => ({ sum: task < 60 ? 1 : 0, count: 1 }))
    const [ours, wilson] = [clusteredShareInterval(clusters), wilsonInterval(60, 200)]
    expect(ours?.low).toBeCloseTo(wilson.low, 3)
    expect(ours?.high).toBeCloseTo(wilson.high, 3)
  })

  test('that repeat the same outcome are no more evidence than one measurement', () => {
    const once = Array.from({ length: 50 }, (_, task) => ({ sum: task < 20 ? 1 : 0, count: 1 }))
    const thrice = once.map(({ sum, count }) => ({ sum: 3 * sum, count: 3 * count }))
    expect(clusteredShareInterval(thrice)?.low).toBeCloseTo(clusteredShareInterval(once)?.low ?? 0, 6)
  })

  test('all at 0 or 1 still leave room', () => {
    const interval = clusteredShareInterval(Array.from({ length: 30 }, () => ({ sum: 0, count: 3 })))
    expect(interval?.low).toBe(0)
    expect(interval?.high).toBeGreaterThan(0.05)
  })

  test('of nothing give nothing', () => {
    expect(clusteredMean([])).toBeNull()
    expect(clusteredShareInterval([{ sum: 0, count: 0 }])).toBeNull()
    expect(clusteredMeanInterval([{ sum: 12, count: 1 }])).toBeNull()
  })
})

describe('a difference', () => {
  test('lies within its interval, whatever the shares and the correlation', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(
        share,
        share,
        fc.integer({ min: 1, max: 500 }),
        fc.double({ min: -1, max: 1, noNaN: true }),
        (a, b, n, r) => {
          const side = (value: number) => ({ value, interval: wilsonInterval(value * n, n) })
          const { low, high } = differenceInterval(side(a), side(b), r)
          expect(low).toBeLessThanOrEqual(b - a + 1e-12)
          expect(high).toBeGreaterThanOrEqual(b - a - 1e-12)
        },
      ),
    )
  })

  test('covers the truth about 95 times in 100, paired tasks included', () => {
    let covered = 0
    const rounds = 400
    for (let round = 0; round < rounds; round++) {
      const random = new Random('coverage', round)
      const tasks = Array.from({ length: 120 }, () => random.next())
      const arm = (level: number) =>
        tasks.map((ease) => {
          const sum = [0, 1, 2].filter(() => random.chance(Math.min(1, 2 * level * ease))).length
          return { sum, count: 3 }
        })
      const [a, b] = [arm(0.15), arm(0.3)]
      const side = (clusters: { sum: number; count: number }[]) => ({
        value: clusteredMean(clusters)?.value ?? 0,
        interval: clusteredShareInterval(clusters) ?? { low: 0, high: 1 },
      })
      const rates = (clusters: { sum: number; count: number }[]) => clusters.map(({ sum, count }) => sum / count)
      const { low, high } = differenceInterval(side(a), side(b), correlation(rates(a), rates(b)))
      if (low <= 0.15 && 0.15 <= high) covered++
    }
    expect(covered / rounds).toBeGreaterThan(0.92)
    expect(covered / rounds).toBeLessThan(0.985)
  })

  test('that an interval would detect is wider than half of it', () => {
    expect(detectableFrom({ low: -0.05, high: 0.05 })).toBeCloseTo(0.0715, 3)
  })
})

test('correlation', () => {
  expect(correlation([1, 2, 3], [2, 4, 6])).toBeCloseTo(1)
  expect(correlation([1, 1], [0, 5])).toBe(0)
  expect(() => correlation([1], [])).toThrow('cannot be paired')
})
