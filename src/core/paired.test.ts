import { expect, it } from 'vitest'
import { comparePaired, pairedTTest } from './paired.ts'

it('takes no p from what rounding leaves of equal differences', () => {
  // 0.4 − 0.3, 0.7 − 0.6 and 0.9 − 0.8 differ in the last bits.
  const { interval, tTest } = pairedTTest([0.3, 0.6, 0.8], [0.4, 0.7, 0.9])
  expect(tTest).toBeNull()
  expect(interval.low).toBe(interval.high)
  expect(pairedTTest([0.3, 0.6, 0.8], [0.4, 0.7, 0.91]).tTest).toBeLessThan(0.05)
  const pairs = [0.3, 0.6, 0.8].map((first, seed) => ({ seed, task: 'a', first, second: first + 0.1 }))
  expect(comparePaired(pairs, { seed: 0 }).overSeeds!.tTest).toBeNull()
})
