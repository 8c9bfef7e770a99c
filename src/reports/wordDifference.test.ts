import fc from 'fast-check'
import { expect, test } from 'vitest'
import { movingAverage, smoothingWindow, sparkline } from './smoothing.ts'
import { wordDifference } from './wordDifference.ts'

const bare = (text: string) => text.replace(/\s+/g, '')

test('marks what is wrong and what is missing', () => {
  expect(wordDifference('you see a bread 1.', 'you see a knife 1.')).toEqual([
    { kind: 'same', text: 'you see a' },
    { kind: 'extra', text: ' bread' },
    { kind: 'missing', text: ' knife' },
    { kind: 'same', text: ' 1.' },
  ])
  expect(wordDifference('Nothing happens.', 'Nothing  happens.').every((run) => run.kind === 'same')).toBe(true)
  expect(wordDifference('', '')).toEqual([])
})

test('both texts can be read back, up to white space', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'drawer 1', ',', '\n', 'é', '🙂', '…'))
    .map((words) => words.join(' '))
  fc.assert(
    fc.property(text, text, (predicted, actual) => {
      const runs = wordDifference(predicted, actual)
      const spell = (without: string) =>
        runs
          .filter((run) => run.kind !== without)
          .map((run) => run.text)
          .join('')
      expect(bare(spell('missing'))).toBe(bare(predicted))
      expect(bare(spell('extra'))).toBe(bare(actual))
    }),
  )
})

test('very long texts are compared as wholes', () => {
  const long = 'word '.repeat(5000)
  expect(wordDifference(`${long}x`, long).map((run) => run.kind)).toEqual(['extra', 'missing'])
  expect(wordDifference(long, long).map((run) => run.kind)).toEqual(['same'])
})

test('smoothing keeps the ends and makes no points up', () => {
  expect(
    movingAverage(
      [
        [0, 1],
        [1, 4],
        [2, 1],
      ],
      3,
    ),
  ).toEqual([
    [0, 2.5],
    [1, 2],
    [2, 2.5],
  ])
  expect([1, 19, 20, 60].map(smoothingWindow)).toEqual([1, 1, 3, 7])
})

test('sparklines span the range in at most their width', () => {
  expect(sparkline([0, 1, 2, 3])).toBe('▁▃▆█')
  expect(sparkline([5, 5])).toBe('▁▁')
  expect(sparkline([])).toBe('')
  expect([
    ...sparkline(
      Array.from({ length: 1000 }, (_, i) => i),
      40,
    ),
  ]).toHaveLength(40)
})
