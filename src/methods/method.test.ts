import { expect, it } from 'vitest'
import { EmbeddingService } from '../embedders/index.ts'
import { resolveConfig, rewardBy, type StageContext, sftStage, worldModelStage } from '../stages/index.ts'
import { METHODS, requireNames, runMethod } from './method.ts'
import { miniPreset } from './mini.ts'

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

it('does not begin where what a later stage needs is not there', async () => {
  const embedder = new EmbeddingService({ url: 'http://127.0.0.1:9/v1', model: 'm', retries: 0 })
  const begun: string[] = []
  const first = {
    name: 'first',
    title: 'First',
    options: {},
    run: async () => ({ notes: [String(begun.push('first'))] }),
  }
  const running = (settings: Record<string, unknown>, stage = rewardBy({ embedder })) => {
    const { config } = resolveConfig(miniPreset, settings)
    return runMethod({ name: 'm', stages: [first, stage] }, { config } as StageContext)
  }
  await expect(running({})).rejects.toThrow('m at http://127.0.0.1:9/v1 cannot be reached')
  await expect(running({ 'reward.kind': 'judge' }, rewardBy({}))).rejects.toThrow('no judge is given')
  expect(begun).toEqual([])
})
