import { describe, expect, it } from 'vitest'
import { armCosts, type StageWork } from './arm-cost.ts'

const stage = (name: string, rest: Partial<StageWork> = {}): StageWork => ({
  name,
  title: name,
  seconds: 10,
  tokensSampled: 100,
  tokensTrained: 50,
  tokensRead: 5,
  flops: 1e9,
  ...rest,
})

const stages = [
  stage('collect', { reads: [], makes: ['collected', 'kept'] }),
  stage('reward', { reads: ['collected'], makes: ['reward'], seconds: 1 }),
  stage('filter', { reads: ['collected', 'reward'], makes: ['kept'] }),
  stage('world-model-rl', { from: 'base', arms: ['WM, step 20', 'WM'], reads: ['kept', 'reward'] }),
  stage('wm-unfiltered', { from: 'base', arms: ['WM, unfiltered'], reads: ['collected', 'reward'] }),
  stage('policy-rl', { from: 'base', arms: ['policy'], reads: [] }),
  stage('both', { from: 'world-model-rl', arms: ['both'], reads: [] }),
  stage('more', { from: '/other/run/checkpoint', arms: ['more'], reads: [] }),
  stage('evaluate', { reads: ['collected', 'reward'] }),
]

describe('what an arm costs', () => {
  const costs = new Map(armCosts(stages, 'base').map((one) => [one.arm, one]))

  it('is all that it rests on, and nothing else', () => {
    expect([...costs.keys()]).toEqual(['WM', 'WM, unfiltered', 'policy', 'both', 'more'])
    expect(costs.get('WM')?.stages).toEqual(['collect', 'reward', 'filter', 'world-model-rl'])
    expect(costs.get('WM, unfiltered')?.stages).toEqual(['collect', 'reward', 'wm-unfiltered'])
    expect(costs.get('policy')?.stages).toEqual(['policy-rl'])
    expect(costs.get('both')?.stages).toEqual(['collect', 'reward', 'filter', 'world-model-rl', 'both'])
    expect(costs.get('both')).toMatchObject({ seconds: 41, sampled: 500, trained: 250, read: 25, flops: 5e9 })
  })

  it('says what it does not know', () => {
    expect(costs.get('more')).toMatchObject({ elsewhere: '/other/run/checkpoint', seconds: 10 })
    expect(costs.get('both')?.elsewhere).toBeNull()
    const old = stages.map((one) => (one.name === 'filter' ? { ...one, flops: undefined } : one))
    const flops = armCosts(old, 'base').map((one) => one.flops)
    expect(flops).toEqual([null, 3e9, 1e9, null, 1e9])
  })
})
