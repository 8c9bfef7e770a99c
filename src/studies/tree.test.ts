import { describe, expect, it } from 'vitest'
import { miniPreset } from '../methods/index.ts'
import {
  type Artifacts,
  evaluateStage,
  interleavedStage,
  policyStage,
  resolveConfig,
  type Stage,
  type StageContext,
  worldModelSftStage,
  worldModelStage,
} from '../stages/index.ts'
import { fingerprints } from './sharing.ts'
import { treeOf } from './tree.ts'

const arms = (chains: Record<string, Stage[]>) => Object.entries(chains).map(([arm, stages]) => ({ arm, stages }))
const names = (stages: readonly Stage[]) => stages.map(({ name }) => name)

const CHAINS = {
  base: [],
  'policy RL': [policyStage({ curve: [1] })],
  RWML: [worldModelStage()],
  'RWML → policy RL': [worldModelStage(), policyStage()],
  gentle: [worldModelStage({ settings: { learningRate: 1e-5 } })],
  'WM SFT → policy RL': [worldModelSftStage(), policyStage()],
}

describe('the tree of stages', () => {
  it('computes what arms have in common once, and what prepares first', () => {
    const { stages, from, ends } = treeOf(arms(CHAINS), [evaluateStage()])
    expect(names(stages)).toEqual([
      'collect',
      'reward',
      'filter',
      'policy-rl',
      'world-model-rl',
      'world-model-rl.policy-rl',
      'world-model-rl.2',
      'world-model-sft',
      'world-model-sft.policy-rl',
      'evaluate',
    ])
    expect(stages[5].options).toMatchObject({ arm: 'RWML → policy RL', from: 'world-model-rl' })
    expect(stages[3].options).toMatchObject({ arm: 'policy RL', curve: [1] })
    expect(from.get('world-model-rl.policy-rl')).toBe('world-model-rl')
    expect(ends.find(({ arm }) => arm === 'RWML → policy RL')!.paysFor).toEqual([
      'collect',
      'reward',
      'filter',
      'world-model-rl',
      'world-model-rl.policy-rl',
    ])
    expect(ends.find(({ arm }) => arm === 'policy RL')!.paysFor).toEqual(['policy-rl'])
    expect(ends.find(({ arm }) => arm === 'base')!.evaluated).toBe('base')
  })

  it('leaves out what no arm needs', () => {
    const unfiltered = arms({ a: [worldModelStage({ unfiltered: true })], b: [interleavedStage({ unfiltered: true })] })
    expect(names(treeOf(unfiltered, [evaluateStage()]).stages).slice(0, 2)).toEqual(['collect', 'reward'])
    expect(names(treeOf(unfiltered, [evaluateStage()]).stages)).not.toContain('filter')
    expect(names(treeOf(arms({ a: [policyStage()] }), []).stages)).toEqual(['policy-rl'])
  })

  it('takes stages that train nothing to those that prepare, in the place of one of that name', () => {
    const own: Stage = { name: 'collect', title: 'Collect otherwise', options: {}, run: async () => ({ notes: [] }) }
    const expert: Stage = { ...own, name: 'expert', title: 'Expert' }
    const { stages, ends } = treeOf(arms({ a: [own, expert, worldModelStage()], b: [policyStage()] }), [])
    expect(names(stages)).toEqual(['collect', 'reward', 'filter', 'expert', 'world-model-rl', 'policy-rl'])
    expect(stages[0].title).toBe('Collect otherwise')
    expect(ends[1].paysFor).toEqual(['policy-rl'])
    const other = { ...expert, options: { from: 'x', count: 2 } }
    expect(() => treeOf(arms({ a: [expert], b: [other, policyStage()] }), [])).toThrow(
      /"b" has a stage "expert" with other/,
    )
  })

  it('refuses one arm that prepares otherwise than another expects', () => {
    const own: Stage = { name: 'filter', title: 'Keep all', options: {}, run: async () => ({ notes: [] }) }
    const chains = { a: [own, worldModelStage()], b: [worldModelStage({ settings: { batch: 3 } })] }
    expect(() => treeOf(arms(chains), [])).toThrow(
      /"a" has a stage "filter" of its own, and "b" needs the usual one: give it/,
    )
    expect(() => treeOf(arms({ ...chains, b: [policyStage()] }), [])).not.toThrow()
  })

  it('does not take two arms that are one', () => {
    const twice = arms({ a: [worldModelStage()], b: [worldModelStage({ name: 'mine', arm: 'other' })] })
    expect(() => treeOf(twice, [])).toThrow('the arms "a" and "b" are the same stages')
    expect(() => treeOf(arms({ a: [], b: [] }), [])).toThrow('"a" and "b" are the same')
  })

  it('shows an evaluation only what is an arm', async () => {
    const seen: string[] = []
    const evaluate: Stage = {
      name: 'evaluate',
      title: 'look',
      options: {},
      async run(_, artifacts) {
        seen.push(...artifacts.arms.map(({ arm }) => arm))
        return { notes: [] }
      },
    }
    const { stages } = treeOf(arms({ 'after all': [worldModelStage(), policyStage({ curve: [5] })] }), [evaluate])
    const given = ['base', 'world-model-rl', 'after all, step 5', 'after all'].map((arm) => ({ arm, path: '' }))
    const artifacts: Artifacts = { models: new Map(), arms: given }
    await stages.at(-1)!.run({} as StageContext, artifacts)
    expect(seen).toEqual(['base', 'after all, step 5', 'after all'])
  })
})

describe('fingerprints', () => {
  const tree = treeOf(arms(CHAINS), [evaluateStage()])
  const prints = (settings: Record<string, unknown>) => fingerprints(tree, resolveConfig(miniPreset, settings).config)
  const differing = (settings: Record<string, unknown>) => {
    const [before, after] = [prints({}), prints(settings)]
    return names(tree.stages).filter((name) => before.get(name) !== after.get(name))
  }

  it('differ for every stage that reads a setting, and for what follows it', () => {
    const { 'filter.draws': draws, seed } = { 'filter.draws': 9, seed: 5 }
    expect(differing({})).toEqual([])
    expect(differing({ 'policy.steps': 7 })).toEqual([
      'policy-rl',
      'world-model-rl.policy-rl',
      'world-model-sft.policy-rl',
    ])
    expect(differing({ 'filter.draws': draws })).toEqual([
      'filter',
      'world-model-rl',
      'world-model-rl.policy-rl',
      'world-model-rl.2',
      'world-model-sft',
      'world-model-sft.policy-rl',
    ])
    expect(differing({ 'worldModelSft.batch': 3 })).toEqual(['world-model-sft', 'world-model-sft.policy-rl'])
    expect(differing({ 'evaluate.runs': 9 })).toEqual(['evaluate'])
    expect(differing({ 'reward.kind': 'exact' })).not.toContain('collect')
    expect(differing({ seed })).toEqual(names(tree.stages))
    expect(differing({ 'model.path': 'other' })).toEqual(names(tree.stages))
  })

  it('are not given to stages whose options are code', () => {
    const stage = { ...worldModelStage(), options: { target: () => 'next' } }
    const own = treeOf(arms({ a: [{ ...stage, placed: () => stage }] }), [])
    expect([...fingerprints(own, resolveConfig(miniPreset).config).keys()]).toEqual(['collect', 'reward', 'filter'])
  })
})
