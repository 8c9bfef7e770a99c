import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UserError } from '../core/index.ts'
import { alfworldPreset, miniDataPreset, miniPreset } from '../methods/index.ts'
import { resolveConfig } from './config.ts'
import { judge } from './filter.ts'

describe('resolveConfig', () => {
  it('says of every field where it comes from', () => {
    const { config, fields } = resolveConfig(alfworldPreset, { 'worldModel.groupSize': 4 })
    const source = (path: string) => fields.find((field) => field.path === path)?.source
    expect(config.worldModel.groupSize).toBe(4)
    expect(source('worldModel.groupSize')).toBe('user')
    expect(source('worldModel.learningRate')).toBe('paper')
    expect(source('worldModel.kl.coefficient')).toBe('ours')
  })

  it('keeps the figures of the paper', () => {
    const { config } = resolveConfig(alfworldPreset)
    expect(config.collect).toMatchObject({ tasks: 2048, rollouts: 3, temperature: 1, filterShare: 0.1 })
    expect(config.filter).toMatchObject({ rule: 'paper', draws: 10, easyAbove: 0, keepEasy: 0.1 })
    expect(config.worldModel).toMatchObject({ learningRate: 1e-6, batch: 32, groupSize: 8, epochs: 2 })
    expect(config.policy).toMatchObject({ steps: 300, groupSize: 8, maxSteps: 15 })
    expect(config.evaluate).toMatchObject({ maxSteps: 30, runs: 3, temperature: 0.4 })
  })

  it('names an unknown setting and the one that was meant', () => {
    for (const [path, message] of [
      ['policy.step', /no setting is called "policy\.step"; did you mean "policy\.steps"\?/],
      ['groupsize', /did you mean "worldModel\.groupSize" or "policy\.groupSize"\?/],
      ['worldModel.kl', /"worldModel\.kl" is a group of settings: name one of worldModel\.kl\.coefficient, /],
      [
        '',
        /no setting is called ""; they are called by group and name, "policy\.steps"; the groups are seed, environment, model, /,
      ],
      ['foo', /no setting is called "foo"; they are called by group and name/],
      ['__proto__', /no setting is called "__proto__"/],
    ] as const) {
      expect(() => resolveConfig(miniPreset, { [path]: 3 })).toThrow(message)
    }
  })

  it('names a setting that cannot have its value, with what it can have', () => {
    for (const [path, value, message] of [
      ['policy.groupSize', 1, '"policy.groupSize" is 1: it must be a whole number, at least 2; the nearest is 2'],
      ['policy.steps', 2.4, 'is 2.4: it must be a whole number, at least 0; the nearest is 2'],
      ['worldModel.learningRate', 3, 'is 3: it must be a number, above 0 and at most 1; the nearest is 1'],
      ['worldModel.learningRate', 0, 'is 0: it must be a number, above 0 and at most 1'],
      ['worldModel.kl.coefficient', -1, 'is -1: it must be a number, at least 0; the nearest is 0'],
      ['model.provider', 'cudda', 'it must be one of "cpu", "cuda"; the nearest is "cuda"'],
      ['collect.filterShare', '0.1', 'is "0.1": it must be a number, at least 0 and at most 1'],
      ['collect.filterShare', Number.NaN, 'is NaN: it must be a number, at least 0 and at most 1'],
      ['filter.rule', 'papr', '"papr": it must be one of "paper", "band", "none"; the nearest is "paper"'],
      ['agent.showActions', 'yes', 'is "yes": it must be true or false'],
      ['model.path', null, 'is null: it must be text'],
      ['seed', 'x', '"seed" is "x": it must be a whole number, at least 0'],
    ] as const) {
      const resolving = () => resolveConfig(miniDataPreset, { [path]: value })
      expect(resolving).toThrow(message)
      expect(resolving).not.toThrow(/the nearest is .*the nearest|Infinity/)
    }
  })

  it('answers anything with a config or one line, and what it advises can be set', () => {
    const paths = resolveConfig(miniPreset).fields.map(({ path }) => path)
    const value = fc.oneof(
      fc.jsonValue(),
      fc.double(),
      fc.integer(),
      fc.constantFrom(undefined, 1n, Number.NaN, '', -0),
    )
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...paths), fc.string()), value, (path, any) => {
        try {
          const { config, fields } = resolveConfig(miniPreset, { [path]: any })
          const at = path.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], config)
          expect(at).toEqual(any)
          expect(fields.find((field) => field.path === path)?.source).toBe('user')
        } catch (error) {
          expect(error).toBeInstanceOf(UserError)
          const { message, exitCode } = error as UserError
          expect(exitCode).toBe(2)
          expect(message).not.toContain('\n')
          const advised = /the nearest is (.+)$/.exec(message)
          if (advised) resolveConfig(miniPreset, { [path]: JSON.parse(advised[1]) })
        }
      }),
      { numRuns: 500 },
    )
  })

  it('does not change the preset', () => {
    resolveConfig(miniPreset, { seed: 9 })
    expect(resolveConfig(miniPreset).config.seed).toBe(0)
  })
})

describe('the filter’s verdicts', () => {
  it('follow the paper: any reward at all is easy', () => {
    expect([0, 0.1, 1].map((mean) => judge(mean, 'paper', 0))).toEqual(['between', 'easy', 'easy'])
    expect(judge(0.2, 'paper', 0.2)).toBe('between')
  })

  it('or keep the band between never and always', () => {
    expect([0, 0.25, 1].map((mean) => judge(mean, 'band', 0))).toEqual(['hopeless', 'between', 'easy'])
  })
})
