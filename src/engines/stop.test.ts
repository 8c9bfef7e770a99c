import { expect, it } from 'vitest'
import { endOfStop, endsWithStop } from './stop.ts'

it('recognises stop sequences at the end only', () => {
  expect(endsWithStop([1, 2, 3], [[2, 3]])).toBe(true)
  expect(endsWithStop([2, 3, 1], [[2, 3]])).toBe(false)
  expect(endsWithStop([3], [[2, 3], []])).toBe(false)
})

it('finds the first stop sequence to end, whatever their order', () => {
  expect(endOfStop([1, 2, 3, 2, 3], [[3, 2], [2, 3], []])).toBe(3)
  expect(endOfStop([1, 2, 3], [[3, 2]])).toBeNull()
})
