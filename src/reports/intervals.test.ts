import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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

interface Clustered {
  /** Outcomes by task. */
  first: number[][]
  second: number[][]
  mean: number
  error: number
  difference: number
  differenceError: number
}

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

describe('beside the referee', () => {
  const path = join(import.meta.dirname, '..', 'core', 'testing', 'statistics.reference.json')
  const { cases } = JSON.parse(readFileSync(path, 'utf8')) as { cases: { clustered: Clustered[] } }
  const sum = (list: number[]) => list.reduce((total, value) => total + value, 0)
  const clusters = (tasks: number[][]) => tasks.map((list) => ({ sum: sum(list), count: list.length }))

  test.each(cases.clustered)('the error clustered by task is statsmodels’ ($mean)', (one) => {
    const { value, error } = clusteredMean(clusters(one.first)) as { value: number; error: number }
    expect(value).toBeCloseTo(one.mean, 9)
    expect(error).toBeCloseTo(one.error, 9)
    const paired = one.first.map((list, task) => one.second[task].map((right, i) => right - list[i]))
    const difference = clusteredMean(clusters(paired)) as { value: number; error: number }
    expect(difference.value).toBeCloseTo(one.difference, 9)
    expect(difference.error).toBeCloseTo(one.differenceError, 9)
    // The error of a paired difference follows from both arms' and the correlation of what tasks add to them.
    const arms = [one.first, one.second].map((tasks) => {
      const { value, error } = clusteredMean(clusters(tasks)) as { value: number; error: number }
      return { error, residuals: clusters(tasks).map(({ sum, count }) => sum - value * count) }
    })
    const r = correlation(arms[0].residuals, arms[1].residuals)
    const [a, b] = arms.map((arm) => arm.error)
    expect(Math.sqrt(a * a + b * b - 2 * r * a * b)).toBeCloseTo(one.differenceError, 9)
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
