import { expect, it } from 'vitest'
import { sftStage, worldModelStage } from '../stages/index.ts'
import { METHODS, requireNames } from './method.ts'

it('has one name for every stage and for every model', () => {
  for (const method of METHODS) requireNames(method)
  const later = { name: 'later', from: 'world-model-rl' }
  const twice = (second: typeof later & { arm?: string }) => ({
    name: 'm',
    stages: [worldModelStage(), worldModelStage(second)],
  })
  expect(() => requireNames(twice({ ...later, name: 'world-model-rl' }))).toThrow(/two stages called "world-model-rl"/)
  expect(() => requireNames(twice(later))).toThrow(/one name in its results \(after world-model RL\)/)
  requireNames(twice({ ...later, arm: 'later' }))
  // Of this sort each is called after its stage.
  const learns = ['expert actions'] as const
  requireNames({ name: 'm', stages: [sftStage({ learns }), sftStage({ learns, name: 'again', from: 'sft' })] })
})
