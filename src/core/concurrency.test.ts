import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { someAtOnce } from './concurrency.ts'

it('works at so many at once, and after a failure begins no more and lets the others end', async () => {
  let [open, most] = [0, 0]
  const ended: number[] = []
  const work = async (item: number, index: number) => {
    expect(index).toBe(item)
    most = Math.max(most, ++open)
    await sleep(item === 3 ? 1 : 10)
    open--
    if (item === 3) throw new Error('three')
    ended.push(item)
  }
  await expect(someAtOnce([0, 1, 2, 3, 4, 5, 6, 7], 2, undefined, work)).rejects.toThrow('three')
  expect([most, open]).toEqual([2, 0])
  expect(ended.toSorted()).toEqual([0, 1, 2])
  await expect(someAtOnce([0], 2, AbortSignal.abort(new Error('stopped')), work)).rejects.toThrow('stopped')
  expect(ended).toHaveLength(3)
})
