import { describe, expect, it } from 'vitest'
import type { Environment } from '../environments/index.ts'
import { checkExperiment } from './check-experiment.ts'
import { defineConfig, methodOf, settingsOf } from './experiment.ts'

class Own implements Environment {
  readonly name = 'own'
  splits() {
    return ['train']
  }
  tasks() {
    return []
  }
  open(): never {
    throw new Error('never opened')
  }
}

const stage = { name: 's', title: 'S', options: {}, run: async () => ({ notes: [] }) }

describe('checkExperiment', () => {
  it('gives back what is right, instances of classes included', () => {
    for (const right of [
      {},
      defineConfig({ preset: 'mini', method: 'policy-rl', settings: { seed: 3 }, out: 'runs/x' }),
      { environment: new Own() },
      { method: { name: 'mine', stages: [stage] } },
    ]) {
      expect(checkExperiment(right, 'x.ts')).toBe(right)
    }
  })

  const wrong: [unknown, RegExp][] = [
    [42, /x\.ts: the experiment must be an object, not a number/],
    [{ enviroment: new Own() }, /no field "enviroment"; did you mean "environment"\? It has preset, method/],
    [{ environment: { name: 'a', splits: () => [], tasks: () => [] } }, /environment\.open is missing: .*function; see docs\/own-environment\.md/],
    [{ environment: { ...new Own(), splits: 'train', tasks() {}, open() {} } }, /environment\.splits must be a function/],
    [{ environment: { splits() {}, tasks() {}, open() {} } }, /environment\.name is missing/],
    [{ agent: { name: 'a' } }, /agent\.showsActions is missing/],
    [{ preset: 3 }, /preset must be text, not a number/],
    [{ method: { name: 'm', stages: [] } }, /method\.stages must not be empty/],
    [{ method: { name: 'm', stages: [{ ...stage, run: undefined }] } }, /method\.stages\[0\]\.run is missing: it must be a function/],
    [{ settings: 'seed=1' }, /settings must be an object, not text/],
  ] // biome-ignore format: one line a case
  for (const [value, message] of wrong) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      expect(() => checkExperiment(value, 'x.ts')).toThrow(message)
    })
  }
})

describe('settings of an experiment', () => {
  it('are the preset, then its own, then the command line', () => {
    const { config, fields } = settingsOf({ settings: { seed: 1, policy: { steps: 7 } } }, { seed: 2 })
    expect([config.seed, config.policy.steps]).toEqual([2, 7])
    expect(fields.filter(({ source }) => source === 'user').map(({ path }) => path)).toEqual(['seed', 'policy.steps'])
  })

  it('name presets, methods and settings that are not there', () => {
    expect(() => settingsOf({ preset: 'big' as 'mini' })).toThrow(/no preset is called "big"; there are mini/)
    expect(() => settingsOf({}, { 'policy.step': 3 })).toThrow(/policy\.steps/)
    expect(() => methodOf({ method: 'grpo' })).toThrow(/no method is called "grpo"; there are rwml/)
  })

  it('of ALFWorld are void beside an own environment', () => {
    const { config, fields } = settingsOf({ environment: new Own() })
    expect(config.environment.name).toBe('own')
    expect(fields.filter(({ path }) => path.startsWith('environment.')).map(({ path }) => path)).toEqual([
      'environment.name',
    ])
    expect(() => settingsOf({ environment: new Own() }, { 'environment.size': 'full' })).toThrow(/setting of ALFWorld/)
  })
})

describe("the presets of the paper's models", () => {
  const paper = (preset: 'alfworld-qwen2.5-7b' | 'tau2-qwen3-8b') =>
    Object.fromEntries(
      settingsOf({ preset })
        .fields.filter(({ source }) => source === 'paper')
        .map(({ path, value }) => [path, value]),
    )

  it('have its values, marked as such', () => {
    expect(paper('alfworld-qwen2.5-7b')).toMatchObject({
      'model.path': 'models/qwen2.5-7b-instruct',
      'collect.tasks': 2048,
      'collect.rollouts': 3,
      'filter.draws': 10,
      'filter.keepEasy': 0.1,
      'reward.kind': 'embedding',
      'reward.threshold': 0.2,
      'worldModel.learningRate': 1e-6,
      'worldModel.batch': 32,
      'worldModel.groupSize': 8,
      'worldModel.epochs': 2,
      'policy.steps': 300,
      'policy.maxSteps': 15,
      'policy.groupSize': 8,
      'evaluate.maxSteps': 30,
      'evaluate.runs': 3,
    })
    expect(paper('tau2-qwen3-8b')).toMatchObject({
      'model.path': 'models/qwen3-8b',
      'collect.tasks': 178,
      'collect.rollouts': 6,
      'reward.kind': 'hybrid',
      'reward.threshold': 0.4,
      'worldModel.groupSize': 16,
      'policy.groupSize': 8,
      'policy.steps': 200,
      'policy.maxSteps': 30,
    })
  })
})
