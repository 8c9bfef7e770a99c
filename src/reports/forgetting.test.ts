import { expect, it } from 'vitest'
import type { BenchmarkResult } from '../benchmarks/index.ts'
import { forgettingSection } from './sections/forgetting.ts'
import { fixtureInput } from './testing/fixture.ts'

const result = (right: number): BenchmarkResult => ({
  benchmark: 'gsm8k',
  title: 'GSM8K',
  questions: 100,
  leftOut: 2,
  measures: [{ name: 'right', unit: 'share', better: 'up', value: right / 100, interval: { low: 0.1, high: 0.9 } }],
  notes: ['as published'],
  outcomes: Array.from({ length: 100 }, (_, index) => ({ id: `${index}`, score: index < right ? 1 : 0 })),
})

it('shows every arm beside the base, with paired intervals, and nothing where nothing was measured', () => {
  const arms = [
    { arm: 'base', checkpoint: 'base', results: [result(60)] },
    { arm: 'after', checkpoint: 'after', results: [result(40)] },
    { arm: 'same', checkpoint: 'same', results: [result(60)] },
  ]
  const input = fixtureInput()
  expect(forgettingSection({ ...input, forgetting: [] })).toBe(null)
  const table = forgettingSection({ ...input, forgetting: [{ stage: 'forgetting', arms }] })?.blocks[0]
  if (table?.block !== 'table') throw new Error('no table')
  const [[name, base, after, same]] = table.rows
  expect(name).toEqual({ text: 'GSM8K', below: '100 questions, 2 left out: too long' })
  expect([base.text, base.below]).toEqual(['60.0%', '[10.0 to 90.0]'])
  expect(after.below).toMatch(/^−20\.0 points \[−2\d\.0 to −1\d\.0\]$/)
  expect([after.tone, same.tone, same.below]).toEqual(['bad', undefined, '±0.0 points [0.0 to 0.0]'])
})
