import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Transition } from '../../core/index.ts'
import { exactReward, rougeReward, type StatePair, WORD_FOR_WORD } from '../../rewards/index.ts'
import type { WorldModelResult } from '../result.ts'
import { crossFittedBaselines } from './baselines.ts'
import { type PlannedStage, stageCost } from './cost.ts'
import { duplicates } from './duplicates.ts'
import { testReward } from './reward-test.ts'
import { groupVariance } from './variance.ts'
import {
  groundFor,
  LEAST_PRECISION,
  LEAST_SEPARATION,
  LEAST_TOLD,
  LEAST_VARIED,
  PREDICTABLE,
  TOLD_BY_TABLE,
} from './verdict.ts'
import { visibility } from './visibility.ts'

const say = (text: string) => ({ from: 'environment' as const, text })

interface Given {
  task?: number
  initial?: string
  past?: string
  action?: string
  next: string
}

const transition = ({ task = 0, initial = 'start', past, action = 'look', next }: Given, id = 0): Transition => ({
  id: `${task}.${id}`,
  taskId: `task ${task}`,
  taskKind: 'k',
  instruction: 'do it',
  initial: say(initial),
  history: past === undefined ? [] : [{ reply: '', action: null, observation: say(past) }],
  action: { kind: 'text', text: action },
  next: say(next),
  valid: true,
})

const all = () => 'all'

describe('visibility', () => {
  const letter = (task: number) => 'abcdefgh'[task]
  const tasks = Array.from({ length: 8 }, (_, task) => task)

  it('finds content in the task, the first observation, the past and the action', () => {
    const told = tasks.flatMap((task) => [
      transition({
        task,
        initial: `a zebra-${letter(task)} waits`,
        action: 'look',
        next: `you see zebra-${letter(task)}`,
      }),
      transition({ task, past: `there was lion-${letter(task)}`, action: 'call', next: `lion-${letter(task)} comes` }),
      transition({ task, action: `feed bear-${letter(task)}`, next: `bear-${letter(task)} eats` }),
    ])
    expect(visibility(told, all).all).toEqual({ transitions: 24, told: 1, whole: 1 })
  })

  it('counts what no history could tell, by kind', () => {
    const half = tasks.map((task) =>
      transition({
        task,
        initial: `key-${letter(task)}`,
        action: 'open',
        next: `key-${letter(task)} opens door-${letter(task)}`,
      }),
    )
    const hidden = tasks.map((task) => transition({ task, action: 'peek', next: `inside is gem-${letter(task)}` }))
    const found = visibility([...half, ...hidden], ({ action }) => (action.kind === 'text' ? action.text : ''))
    expect(found.byKind.open.told).toBeCloseTo(0.5, 12)
    expect(found.byKind.peek).toEqual({ transitions: 8, told: 0, whole: 0 })
    expect(found.all.told).toBeCloseTo(1 / 3, 12)
  })

  it('takes a verb’s usual words and stock answers for wording', () => {
    const plain = tasks.flatMap((task) => [
      transition({ task, action: 'ring', next: 'the bell rings' }),
      transition({ task, action: 'wait', next: task % 4 === 0 ? 'dawn' : 'no answer' }),
      transition({ task, action: 'call', next: 'no answer' }),
    ])
    const { all: found } = visibility(plain, all)
    // Only the dawns are content, and nothing told them.
    expect(found.told).toBe(0)
    expect(found.whole).toBeCloseTo(22 / 24, 12)
  })
})

describe('duplicates', () => {
  it('are the same history, action and next state', () => {
    const list = [
      { next: 'a' },
      { next: 'a' },
      { next: 'a', action: 'wait' },
      { next: 'a', past: 'before' },
      { next: 'b' },
    ]
    const found = duplicates(list.map(transition))
    expect(found).toMatchObject({ transitions: 5, repeated: 0.2, nextStates: 2, topTen: 1 })
    expect(found.mostCommon[0]).toEqual({ text: 'a', share: 0.8 })
  })
})

describe('baselines', () => {
  it('never learn from the task they predict', async () => {
    const own = Array.from({ length: 10 }, (_, i) => transition({ task: i % 5, next: `secret of ${i % 5}` }, i))
    for (const { exact } of await crossFittedBaselines(own, {}, exactReward())) expect(exact).toBe(0)
    const shared = Array.from({ length: 10 }, (_, i) => transition({ task: i % 5, next: 'common' }, i))
    const [, frequent] = await crossFittedBaselines(shared, {}, exactReward())
    expect(frequent).toMatchObject({ predictor: 'most frequent for verb', exact: 1, transitions: 10 })
    expect(await crossFittedBaselines([own[0]], {}, exactReward())).toEqual([])
  })
})

const pair = (sort: string, same: boolean, other: string): StatePair => {
  return { sort, same, actual: 'a b c d e', other, from: 'environment' }
}
const pairs = [
  pair(WORD_FOR_WORD, true, 'a b c d e'),
  pair('case', true, 'A B C D E'),
  pair('last', false, 'a b c d f'),
  pair('all', false, 'x y z'),
]

describe('a reward on pairs', () => {
  it('is as precise as the share of its rewards that goes to the same state', async () => {
    const exact = await testReward(exactReward(), null, pairs)
    expect(exact).toMatchObject({ graded: false, precision: 1, recall: 0, separation: 0.75, thresholds: [] })
    const rouge = await testReward(rougeReward(), null, pairs)
    expect(rouge).toMatchObject({ graded: true, recall: 1, separation: 1 })
    expect(rouge.precision).toBeCloseTo(1 / (1 + 0.4), 12)
    expect(rouge.sorts.map(({ rewarded }) => rewarded)).toEqual([1, 1, 0.8, 0])
  })

  it('by distance is also looked at with other thresholds', async () => {
    const { thresholds, sorts } = await testReward(rougeReward(), 0.25, pairs)
    expect(thresholds.map(({ threshold, own }) => [threshold, own])).toEqual([
      [0.05, false],
      [0.1, false],
      [0.2, false],
      [0.25, true],
      [0.3, false],
    ])
    expect(thresholds[3]).toMatchObject({ precision: 1 / 1.5, recall: 1 })
    expect([0, 1, 3, 4].map((i) => sorts[2].below[i])).toEqual([0, 0, 1, 1])
  })
})

describe('the verdict', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  const evidence = (baseline: number, told: number, quality: number, varied: number, mean: number, graded = false) => ({
    visibility: { transitions: 10, told, whole: told },
    baselines: [{ predictor: 'table', exact: baseline, rewarded: baseline } as WorldModelResult],
    reward: {
      reward: 'r',
      graded,
      pairs: 4,
      precision: graded ? 0 : quality,
      separation: graded ? quality : 0,
      recall: 1,
      sorts: [],
      thresholds: [],
    },
    variance: groupVariance(
      'base model',
      8,
      Array.from({ length: 1000 }, (_, i) => ({ kind: 'all', varied: i < varied * 1000, meanReward: mean })),
    ),
  })

  it('says where a look-up is far ahead of the model, whatever the ground', () => {
    const notes = (baseline: number, mean: number) => groundFor(evidence(baseline, 0.6, 1, 0.5, mean)).notes
    expect(notes(0.75, 0.41)).toEqual([
      'a look-up is ahead: table earns 75.0%, the base model 41.0%; a world model has to pass that before it knows more than a table',
    ])
    expect(notes(0.95, 0.2)).toHaveLength(1)
    expect(notes(0.45, 0.41)).toEqual([])
    expect(notes(0.2, 0.41)).toEqual([])
  })

  it('is good ground where every rule holds, and names the first that does not', () => {
    fc.assert(
      fc.property(share, share, share, share, share, fc.boolean(), (baseline, told, quality, varied, mean, graded) => {
        const { ground, reasons, also } = groundFor(evidence(baseline, told, quality, varied, mean, graded))
        const flat = Math.ceil(varied * 1000) / 1000 < LEAST_VARIED
        const broken = [
          baseline >= PREDICTABLE ? 'too predictable' : null,
          told < LEAST_TOLD && baseline < TOLD_BY_TABLE ? 'too unpredictable' : null,
          quality < (graded ? LEAST_SEPARATION : LEAST_PRECISION) ? 'reward too blunt' : null,
          flat ? (mean >= 0.5 ? 'too predictable' : 'too unpredictable') : null,
        ].filter((one) => one !== null)
        expect(ground).toBe(broken[0] ?? 'good ground for RWML')
        const opposite = { 'too predictable': 'too unpredictable', 'too unpredictable': 'too predictable' }[
          ground as string
        ]
        expect(also.map((one) => one.ground)).toEqual(broken.slice(1).filter((one) => one !== opposite))
        expect(reasons).toHaveLength(broken.length === 0 ? 4 : 1)
      }),
    )
  })

  it('says which exception let a figure below its bound pass', () => {
    const [, told] = groundFor(evidence(0.565, 0.3, 1, 0.5, 0.5)).reasons
    expect(told).toMatch(
      /tells 30\.0% .*\(bound: at least 40\.0%, unless a look-up is right in half; here it is in 56\.5%\)$/,
    )
    expect(groundFor(evidence(0.565, 0.5, 1, 0.5, 0.5)).reasons[1]).toMatch(/\(bound: at least 40\.0%\)$/)
  })

  it('does not blame the environment for answers that cannot be read', () => {
    const groups = (parsed: number) =>
      Array.from({ length: 4 }, () => ({ kind: 'all', varied: false, meanReward: 0, parsed }))
    const verdict = (parsed: number) =>
      groundFor({ ...evidence(0.2, 0.6, 1, 0.5, 0.5), variance: groupVariance('base model', 8, groups(parsed)) })
    expect(verdict(0.03)).toMatchObject({ ground: 'good ground for RWML', also: [] })
    expect(verdict(0.03).reasons).toHaveLength(3)
    expect(verdict(0.03).notes).toEqual([
      expect.stringMatching(/^only 3\.0% of the predictions of the base model follow/),
    ])
    expect(verdict(0.6)).toMatchObject({ ground: 'too unpredictable', notes: [expect.stringContaining('a look-up')] })
  })

  it('rests on what was measured', () => {
    const { ground, reasons } = groundFor({
      visibility: { transitions: 1, told: null, whole: 1 },
      baselines: [],
      reward: null,
      variance: null,
    })
    expect([ground, reasons]).toEqual(['good ground for RWML', []])
  })
})

describe('cost', () => {
  const plan: PlannedStage = {
    stage: 'policy-rl',
    title: 'Policy RL',
    steps: 60,
    sampled: 6000,
    trained: 9000,
    seconds: 80,
    basis: 'measured speeds',
  }
  const done = { seconds: 30, tokensSampled: 1000, tokensTrained: 1500, finished: false, steps: 20 }

  it('is what the stage took, or what its steps took, or what speeds say; else not measured', () => {
    expect(stageCost(plan, { ...done, finished: true })).toMatchObject({ seconds: 30, sampled: 1000, how: 'measured' })
    expect(stageCost(plan, done)).toMatchObject({ seconds: 90, sampled: 3000, how: 'in proportion' })
    expect(stageCost({ ...plan, stage: 'filter' }, done)).toMatchObject({ seconds: 80, how: 'from speeds' })
    expect(stageCost(plan, null)).toMatchObject({ seconds: 80, sampled: 6000, note: 'measured speeds' })
    expect(stageCost({ ...plan, seconds: null }, null)).toMatchObject({ seconds: null, how: 'not measured' })
  })
})
