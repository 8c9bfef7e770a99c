import { describe, expect, it } from 'vitest'
import { UserError } from '../core/index.ts'
import { evaluateStage, policyStage, worldModelStage } from '../stages/index.ts'
import { checkStudy } from './check-study.ts'
import { detectableBefore } from './detectable.ts'
import { checkModels, planStudy } from './plan.ts'
import { defineStudy } from './study.ts'

const TINY = { 'environment.tasks.train': 2, 'environment.tasks.seen': 1, 'environment.tasks.unseen': 1 }

const good = defineStudy({
  experiment: { preset: 'mini' },
  seeds: [1, 2],
  arms: { base: [], RWML: { stages: [worldModelStage()], seeds: 1 }, 'policy RL': [policyStage()] },
  compare: [['base', 'RWML', 'Does it help?']],
})

describe('a study file', () => {
  it('that is right is taken as it is', () => {
    expect(checkStudy(good, 'study.ts')).toBe(good)
    const { runs, worlds } = planStudy(good)
    expect(worlds.map(({ name }) => name)).toEqual(['main'])
    expect(runs.map(({ world }) => world.tree.ends.map(({ arm }) => arm))).toEqual([
      ['base', 'RWML', 'policy RL'],
      ['base', 'policy RL'],
    ])
  })

  it('that is wrong is one clear line, and how it is written', () => {
    const wrong: [unknown, RegExp][] = [
      [null, /study\.ts: the study /],
      [{ ...good, seed: [1] }, /no field "seed"; did you mean "seeds"\? It has /],
      [{ ...good, seeds: undefined }, /seeds is undefined/],
      [{ arms: good.arms }, /seeds is missing; seeds is whole numbers/],
      [{ ...good, seeds: [1, 1] }, /seed 1 stands there twice/],
      [{ ...good, seeds: [1.5] }, /seeds.*whole/],
      [{ ...good, arms: {} }, /arms is empty/],
      [
        { ...good, arms: { ...good.arms, bad: 'rwml' } },
        /the arm "bad" is not written as it should be; arms is by name/,
      ],
      [
        { ...good, arms: { ...good.arms, bad: { stages: [], seeds: 9 } } },
        /the arm "bad" asks for 9 seeds, and there are 2/,
      ],
      [{ ...good, compare: [['base', 'RWLM']] }, /"RWLM", which there is not; did you mean "RWML"\?/],
      [{ ...good, compare: [['base', 'base']] }, /"base" against itself/],
      [{ ...good, compare: ['base'] }, /compare is pairs of arms/],
      [{ ...good, spread: -1 }, /spread/],
      [{ ...good, experiment: { method: 'rwml' } }, /the experiment of a study has no method/],
      [{ ...good, experiment: { presets: 'mini' } }, /experiment: an experiment has no field "presets"/],
    ]
    for (const [value, message] of wrong) {
      expect(() => checkStudy(value, 'study.ts'), String(message)).toThrow(message)
      expect(() => checkStudy(value, 'study.ts')).toThrow(UserError)
    }
  })

  it('about a split that nothing measures is refused', () => {
    const planned = (change: object) => () => detectableBefore(planStudy({ ...good, ...change }, TINY), null, () => {})
    expect(planned({ primary: 'unsene' })).toThrow(
      'primary is "unsene", which no evaluation measures; there is seen, unseen',
    )
    expect(planned({ primary: 'seen', evaluate: evaluateStage({ splits: ['unseen'] }) })).toThrow('there is unseen')
    expect(planned({ primary: 'seen' })).not.toThrow()
  })

  it('is refused before it begins where an arm has no model', () => {
    const settings = { model: { path: 'models/none' } }
    const plan = planStudy({ ...good, arms: { ...good.arms, other: { stages: [policyStage()], settings } } })
    expect(() => checkModels(plan)).toThrow(/the arm "other": no model at .*models\/none/)
    expect(() => checkModels(planStudy(good))).not.toThrow()
  })

  it('says what is wrong with settings', () => {
    const settings = (one: object) => () =>
      planStudy({ ...good, arms: { ...good.arms, other: { stages: [policyStage()], settings: one } } })
    expect(settings({ policy: { stepz: 3 } })).toThrow(/policy\.steps/)
    expect(settings({ seed: 3 })).toThrow(/the arm "other" sets seed/)
    expect(() => planStudy(good, { seed: 3 })).toThrow(/seed is not a setting of a study/)
    expect(() => planStudy({ ...good, experiment: { settings: { seed: 3 } } })).toThrow(/seed is not a setting/)
  })
})
