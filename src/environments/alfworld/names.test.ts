import fc from 'fast-check'
import { expect, it } from 'vitest'
import { listedNames } from './listing.ts'
import { baseName, displayNames, joined, listWithArticles } from './names.ts'

it('numbers from the highest down, in the order of lower-case identifiers', () => {
  const names = displayNames(['Drawer_bar_b', 'Drawer_bar_A', 'drawer_bar_c', 'Mug_bar_1'])
  expect([...names].sort()).toEqual([
    ['Drawer_bar_A', 'drawer 3'],
    ['Drawer_bar_b', 'drawer 2'],
    ['Mug_bar_1', 'mug 1'],
    ['drawer_bar_c', 'drawer 1'],
  ])
})

it('tells a basin from what it is in', () => {
  expect(baseName('Sink_bar__plus_01_bar_SinkBasin')).toBe('sinkbasin')
  expect(baseName('Sink_bar__plus_01')).toBe('sink')
})

it('lists nothing, one, two and more', () => {
  expect(listWithArticles([])).toBe('nothing')
  expect(listWithArticles(['apple 1'])).toBe('a apple 1')
  expect(listWithArticles(['apple 1', 'mug 2'])).toBe('a apple 1, and a mug 2')
  expect(joined(['a', 'b', 'c'])).toBe('a, b, and c')
})

const name = fc.tuple(fc.constantFrom('apple', 'mug', 'cd', 'alarmclock'), fc.integer({ min: 1, max: 30 }))

it('reads back any list that it writes', () => {
  fc.assert(
    fc.property(fc.array(name), (pairs) => {
      const names = pairs.map(([type, number]) => `${type} ${number}`)
      expect(listedNames(listWithArticles(names))).toEqual(names)
    }),
  )
})
