import { describe, expect, it } from 'vitest'
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

  it('names an unknown field and its nearest, and a field out of range', () => {
    expect(() => resolveConfig(miniPreset, { 'policy.step': 3 })).toThrow(/"policy.step".*"policy.steps"/)
    expect(() => resolveConfig(miniPreset, { 'policy.groupSize': 1 })).toThrow(/policy.groupSize.*2/)
    expect(() => resolveConfig(miniDataPreset, { seed: 'x' })).toThrow(/seed/)
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
