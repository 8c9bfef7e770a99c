/** Every method and control by its name, from the first stage to the last, on the shipped miniature. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stageRecord } from '../stages/index.ts'
import { RunFolder } from '../store/index.ts'
import { METHODS } from './method.ts'
import { play } from './testing/tiny-run.ts'

/** The stages of each that train, and of a control what it is. */
const TRAINS: Record<string, { stages: string[]; control?: string }> = {
  react: { stages: [] },
  rft: { stages: ['rft'] },
  imitation: { stages: ['imitation'] },
  iwm: { stages: ['iwm'] },
  rwml: { stages: ['world-model-rl', 'policy-rl'] },
  'rwml-only': { stages: ['world-model-rl'] },
  'policy-rl': { stages: ['policy-rl'] },
  'world-model-sft': { stages: ['world-model-sft', 'policy-rl'] },
  'world-model-sft-only': { stages: ['world-model-sft'] },
  interleaved: { stages: ['interleaved'] },
  'mismatched-targets': { stages: ['world-model-rl', 'policy-rl'], control: 'mismatched targets' },
  'coin-flip': { stages: ['world-model-rl', 'policy-rl'], control: 'coin flip' },
  'permuted-advantages': { stages: ['world-model-rl', 'policy-rl'], control: 'permuted advantages' },
  'permuted-policy': { stages: ['policy-rl'], control: 'permuted advantages' },
  'random-data': { stages: ['world-model-rl', 'policy-rl'] },
}

/** More attempts, so that some task is solved; a penalty, so that groups differ. */
const settings = {
  'collect.rollouts': 4,
  'collect.maxSteps': 12,
  'policy.tasks': 4,
  'policy.maxSteps': 12,
  'evaluate.maxSteps': 4,
}

type First = Record<string, number>
const firstWorldModelSteps: Record<string, First> = {}

const weights = (folder: string) => readFileSync(join(folder, 'model.safetensors'))

describe('every method, end to end', () => {
  it('is in the table', () => {
    expect(METHODS.map(({ name }) => name).sort()).toEqual(Object.keys(TRAINS).sort())
  })

  it.each(METHODS.map((method) => [method.name, method] as const))(
    '%s',
    async (name, method) => {
      const { stages, control } = TRAINS[name]
      const { out, artifacts, of } = await play(name, method, settings)
      const run = RunFolder.open(out)
      for (const stage of method.stages)
        expect([stage.name, stageRecord(run, stage.name)?.finished]).toEqual([stage.name, true])

      const [base, ...trained] = artifacts.arms
      expect([...artifacts.models.keys()].slice(1)).toEqual(stages)
      expect(trained).toHaveLength(stages.length)
      for (const arm of trained) {
        expect(arm.control).toBe(control)
        expect(weights(arm.path).equals(weights(base.path))).toBe(false)
      }
      for (const stage of stages) {
        expect(of(stage).length).toBeGreaterThan(1)
        for (const line of of(stage)) expect(Number.isFinite(line.loss)).toBe(true)
      }
      const evaluated = artifacts.evaluation!.arms
      expect(evaluated.map(({ arm }) => arm)).toEqual(artifacts.arms.map(({ arm }) => arm))
      for (const arm of evaluated) {
        expect(arm.policy.map(({ split }) => split)).toEqual(['seen', 'unseen'])
        expect(arm.worldModel.map(({ split }) => split)).toEqual(['seen', 'unseen'])
        for (const { transitions } of arm.worldModel) expect(transitions).toBeGreaterThan(0)
      }
      if (stages.includes('world-model-rl')) firstWorldModelSteps[name] = of('world-model-rl')[0]
    },
    120_000,
  )

  it('asks the controls the same questions as RWML, and teaches something else', () => {
    const { rwml, ...others } = firstWorldModelSteps
    for (const control of ['mismatched-targets', 'coin-flip', 'permuted-advantages']) {
      const { parseRate, answerTokens, gradientNorm } = others[control]
      expect([control, parseRate, answerTokens]).toEqual([control, rwml.parseRate, rwml.answerTokens])
      expect([control, gradientNorm]).not.toEqual([control, rwml.gradientNorm])
    }
    expect(others['rwml-only'].gradientNorm).toBe(rwml.gradientNorm)
  })
})
