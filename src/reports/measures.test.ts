import { describe, expect, test } from 'vitest'
import { wilsonInterval } from '../core/index.ts'
import { differenceInterval } from './intervals.ts'
import { limits } from './limits.ts'
import { changeFromBaseline, changeOf, formatDetectable, type Measure, measuresOf } from './measures.ts'
import { paperRows } from './paper.ts'
import { pooledWorldModel } from './pooledWorldModel.ts'
import { fixtureEvaluation } from './testing/evaluation.ts'

const evaluation = fixtureEvaluation(7, 1)
const find = (id: string) => measuresOf(evaluation).find((measure) => measure.id === id) as Measure

test('success over splits weighs each by its tasks', () => {
  const [seen, unseen] = evaluation.arms[2].policy
  const rate = (runs: number[]) => runs.reduce((sum, run) => sum + run, 0) / runs.length
  const expected = (rate(seen.successByRun) * seen.tasks + rate(unseen.successByRun) * unseen.tasks) / 274
  expect(find('success').arms[2]?.value).toBeCloseTo(expected, 12)
  expect(find('success').basis).toBe('274 tasks × 3 runs')
})

test('pairing by task narrows the interval of a change', () => {
  const change = changeOf(find('success'), 0, 2)
  const side = (index: number) => {
    const estimate = find('success').arms[index]
    return { value: estimate?.value ?? 0, interval: estimate?.interval ?? { low: 0, high: 1 } }
  }
  const unpaired = differenceInterval(side(0), side(2))
  const width = ({ low, high }: { low: number; high: number }) => high - low
  expect(width(change?.interval ?? unpaired)).toBeLessThan(width(unpaired))
})

test('what would be found is not told where nothing varied or one task is all there is', () => {
  const change = changeOf(find('success'), 0, 2)!
  expect(formatDetectable(change, 'share')).toMatch(/^[\d.]+ points$/)
  const between = (low: number, high: number) => ({ ...change, interval: { low, high } })
  expect(formatDetectable(between(0, 0), 'share')).toBe('cannot be told')
  expect(formatDetectable(between(-0.0001, 0.0001), 'share')).toBe('cannot be told')
  expect(formatDetectable(between(-0.793, 0.793), 'share')).toBe('cannot be told')
  expect(formatDetectable(between(-2, 2), 'steps')).toBe('2.9')
  expect(formatDetectable(between(0, 0), 'steps')).toBe('cannot be told')
})

test('without episodes the interval is Wilson’s over tasks', () => {
  const plain = fixtureEvaluation(7, 1)
  for (const arm of plain.arms) for (const result of arm.policy) result.episodes = []
  const seen = measuresOf(plain)[0].arms[0]
  expect(seen?.interval).toEqual(wilsonInterval((seen?.value ?? 0) * 140, 140))
})

describe('world model', () => {
  test('intervals are over tasks, and those of changes paired by task', () => {
    const exact = find('exact')
    expect(exact.basis).toMatch(/^700 held-out transitions of 70 tasks$/)
    const old = fixtureEvaluation(7, 1)
    for (const arm of old.arms) for (const result of arm.worldModel) delete result.outcomes
    const independent = measuresOf(old).find((measure) => measure.id === 'exact') as Measure
    const width = (measure: Measure) => {
      const { low, high } = measure.arms[0]?.interval ?? { low: 0, high: 0 }
      return high - low
    }
    expect(independent.arms[0]?.value).toBeCloseTo(exact.arms[0]?.value ?? 0, 12)
    expect(independent.basis).toBe('700 held-out transitions')
    // Easy and hard tasks: fewer independent pieces of evidence than transitions.
    expect(width(exact)).toBeGreaterThan(1.1 * width(independent))
    const change = changeOf(exact, 0, 1)
    const side = (index: number) => ({
      value: exact.arms[index]?.value ?? 0,
      interval: exact.arms[index]?.interval ?? { low: 0, high: 1 },
    })
    const unpaired = differenceInterval(side(0), side(1))
    const { low, high } = change?.interval ?? unpaired
    expect(high - low).toBeLessThan(0.9 * (unpaired.high - unpaired.low))
  })

  test('what valid actions led to has a row of its own where some were not', () => {
    const ids = () => measuresOf(mixed).map(({ id }) => id)
    const mixed = fixtureEvaluation(7, 1)
    expect(ids()).not.toContain('exact:valid')
    const outcomes = mixed.arms.flatMap(({ worldModel }) => worldModel.flatMap((one) => one.outcomes ?? []))
    // Of every task the first two transitions followed invalid actions, and those predictions were all wrong.
    for (const one of outcomes) {
      one.valid = one.exact.map((_, i) => (i < 2 ? 0 : 1))
      one.exact = one.exact.map((value, i) => (i < 2 ? 0 : value))
    }
    expect(ids().slice(-3)).toEqual(['exact', 'exact:valid', 'rewarded'])
    const [all, valid] = ['exact', 'exact:valid'].map((id) => measuresOf(mixed).find((one) => one.id === id) as Measure)
    expect([all.basis, valid.basis]).toEqual([700, 560].map((count) => `${count} held-out transitions of 70 tasks`))
    expect(560 * valid.arms[1]!.value).toBeCloseTo(700 * all.arms[1]!.value, 9)
    expect(changeOf(valid, 0, 1)?.interval).not.toBeNull()
    for (const one of outcomes) one.valid = one.exact.map(() => 1)
    expect(ids()).not.toContain('exact:valid')
  })

  test('an arm is held against a baseline on the same transitions', () => {
    const change = changeFromBaseline(evaluation, 'most frequent for verb', 1)
    const baseline = evaluation.worldModelBaselines[1].exact
    expect(change?.difference).toBeCloseTo(evaluation.arms[1].worldModel[0].exact - baseline, 12)
    expect(change?.interval?.low).toBeLessThan(change?.difference ?? 0)
    expect(changeFromBaseline(evaluation, 'no such', 1)).toBeNull()
  })

  test('splits are pooled by transitions, kinds too', () => {
    const [result] = evaluation.worldModelBaselines
    const half = {
      ...result,
      transitions: 100,
      exact: 0.5,
      byKind: { revisit: { transitions: 100, exact: 0.5, rewarded: 1 } },
    }
    const other = {
      ...half,
      transitions: 300,
      exact: 0.1,
      byKind: { revisit: { transitions: 300, exact: 0.1, rewarded: 0 } },
    }
    const pooled = pooledWorldModel([half, other], result.predictor)
    expect(pooled?.exact).toBeCloseTo(0.2)
    expect(pooled?.byKind.revisit.transitions).toBe(400)
    expect(pooled?.byKind.revisit.rewarded).toBeCloseTo(0.25)
  })

  test('no predictions, no result', () => {
    expect(pooledWorldModel([])).toBeNull()
  })
})

describe('the paper’s rows of arms', () => {
  const stage = (name: string, title: string, arms: string[], from?: string) => ({
    name,
    title,
    arms,
    from,
    seconds: 1,
  })
  const next = 'Supervised fine-tuning on expert actions and next states'

  test('are what the stages that trained them are', () => {
    const stages = [
      { name: 'collect', title: 'Collect its own play', arms: [], seconds: 1 },
      stage('world-model-rl', 'World-model RL', ['after world-model RL, step 10', 'after world-model RL'], 'base'),
      stage('b', 'Policy RL', ['after both'], 'world-model-rl'),
      stage('sft', 'World-model SFT', ['labels'], 'base'),
      stage('c', 'Policy RL', ['labels, then play'], 'sft'),
      stage('d', 'Policy RL', ['after policy RL'], 'base'),
      stage('e', next, ['with next states'], 'base'),
      stage('f', next, ['after WM SFT and IWM'], 'sft'),
      stage('g', 'Policy RL', ['after policy RL elsewhere'], '/another/run'),
      stage('h', 'World-model RL, coin flip', ['coin'], 'base'),
      stage('i', 'Policy RL', ['coin, then policy RL'], 'h'),
    ]
    const expected = {
      base: 'base',
      'after world-model RL, step 10': null,
      'after world-model RL': 'rwml',
      'after both': 'rwmlPolicyRl',
      labels: 'wmSft',
      'labels, then play': 'wmSftPolicyRl',
      'after policy RL': 'policyRl',
      'with next states': 'iwm',
      'after WM SFT and IWM': null,
      'after policy RL elsewhere': null,
      coin: null,
      'coin, then policy RL': null,
      'RWML of nowhere': null,
    }
    const arms = Object.keys(expected).map((arm) => ({ arm }))
    expect(paperRows(arms, stages)).toEqual(Object.values(expected))
    expect(paperRows([{ arm: 'after world-model RL', control: 'coin flip' }], stages)).toEqual([null])
  })

  test('decide what a run cannot say', () => {
    const arms = evaluation.arms.slice(0, 2).map((one, index) => ({ ...one, arm: ['base', 'x'][index] }))
    const of = (title: string) => limits({ ...evaluation, arms }, [stage('s', title, ['x'], 'base')]).join(' ')
    expect(of('World-model RL')).toContain('No arm was trained by supervised learning')
    expect(of('Policy RL')).not.toContain('No arm was trained')
  })
})

test('arms of older runs find their rows in the paper by their names', () => {
  const rows = (arms: string[]) => paperRows(arms.map((arm) => ({ arm })))
  expect(rows(['base', 'after world-model RL', 'after policy RL'])).toEqual(['base', 'rwml', 'rwmlPolicyRl'])
  expect(rows(['base', 'after policy RL'])).toEqual(['base', 'policyRl'])
  expect(rows(['base', 'WM SFT', 'WM SFT → policy RL', 'policy RL only', 'something'])).toEqual([
    'base',
    'wmSft',
    'wmSftPolicyRl',
    'policyRl',
    null,
  ])
  expect(paperRows([{ arm: 'base' }, { arm: 'after world-model RL', control: 'coin flip' }])).toEqual(['base', null])
  expect(rows(['base', 'world-model and policy RL, interleaved', 'after RFT'])).toEqual(['base', null, null])
  expect(rows(['base', 'after world-model RL, step 10', 'after world-model RL'])).toEqual(['base', null, 'rwml'])
})
