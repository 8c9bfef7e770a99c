import { expect, test } from 'vitest'
import type { Transition } from '../core/index.ts'
import { rougeReward } from '../rewards/index.ts'
import { armSchema } from './schema.ts'
import { worldModelResult } from './world-model.ts'

const transition = (taskId: string, next: string, valid = true): Transition => ({
  id: `${taskId} ${next}`,
  taskId,
  taskKind: 'k',
  instruction: 'i',
  initial: { from: 'environment', text: 'start' },
  history: [],
  action: { kind: 'text', text: 'look' },
  next: { from: 'environment', text: next },
  valid,
})

test('what became of each transition is kept by task, and adds up to the shares', async () => {
  const transitions = ['a b c d e', 'one two three', 'x'].map((next, i) => transition(`task ${i % 2}`, next, i < 2))
  const predicted = ['a b c d e', 'one two four', null].map((nextState) => ({ thinking: null, nextState }))
  const result = await worldModelResult('model', 'seen', transitions, predicted, {}, rougeReward())
  expect(result.outcomes).toEqual([
    { taskId: 'task 0', exact: [1, 0], reward: [1, 0], valid: [1, 0] },
    { taskId: 'task 1', exact: [0], reward: [0.6], valid: [1] },
  ])
  expect(result.exact).toBeCloseTo(1 / 3, 12)
  expect(result.rewarded).toBeCloseTo(1.6 / 3, 12)
  const arm = { arm: 'base', checkpoint: '.', policy: [], worldModel: [result] }
  expect(armSchema.parse(arm)).toEqual(arm)
  const { outcomes: _, ...older } = result
  expect(armSchema.parse({ ...arm, worldModel: [older] }).worldModel[0].outcomes).toBeUndefined()
})
