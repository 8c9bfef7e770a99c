import { importLogs, messagesOf, Random, transitionsOf } from 'rwml'
import { expect, it } from 'vitest'
import { conversation, tools } from './shop.ts'

const logs = (seed: number, count: number): string => {
  const random = new Random('shop', seed)
  const entries = Array.from({ length: count }, (_, i) => ({ id: `${i}`, tools, messages: conversation(random) }))
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
}

it('writes logs that are read without a fault, the same for a seed', () => {
  expect(logs(1, 20)).toBe(logs(1, 20))
  expect(logs(1, 20)).not.toBe(logs(2, 20))
  const { splits, bad } = importLogs([{ path: 'shop.jsonl', content: Buffer.from(logs(0, 200)) }], { skipBad: false })
  expect(bad).toEqual([])
  const trajectories = [...splits.values()].flat()
  const transitions = trajectories.flatMap(transitionsOf)
  const who = transitions.map(({ next }) => (next.from === 'tool' ? next.results[0].name : next.from))
  expect([...new Set(who)].sort()).toEqual(['order', 'price', 'stock', 'user'])
  // An order of more than there is fails, and the customer hears of it.
  expect(transitions.some(({ valid }) => !valid)).toBe(true)
  const last = trajectories.map(({ task, initial, turns }) =>
    messagesOf({ instruction: task.instruction, initial, turns }).at(-1),
  )
  expect(last.every((message) => message?.role === 'user')).toBe(true)
})
