import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Random } from '../core/index.ts'
import { collectStage, resolveConfig, rewardStage } from '../stages/index.ts'
import { diagnose } from './diagnose.ts'
import { runMethod } from './method.ts'
import { miniPreset } from './mini.ts'
import { openRun } from './open.ts'
import { type FixtureRun, writeFixtureRun } from './testing/fixture-run.ts'

const root = mkdtempSync(join(tmpdir(), 'rwml-diagnose-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const silent = { start() {}, update() {}, finish() {} }

const word = (random: Random) =>
  Array.from({ length: 7 }, () => random.pick([...'abcdefghijklmnopqrstuvwxyz'])).join('')
const code = (task: number) => word(new Random('code', task))

/** A door whose code stands on the first page: told by the history, known to no table. */
const good: FixtureRun = {
  tasks: 12,
  steps: 3,
  initial: (task) => `The code of the day is ${code(task)}.`,
  turn: (task, step) => ({ action: `press ${step}`, next: `Button ${step} shows ${code(task)}.` }),
  settings: { 'reward.embedder': 'lexical' },
  varied: 0.5,
  meanReward: 0.4,
}
const fixtures: [string, FixtureRun, string][] = [
  ['good', good, 'good ground for RWML'],
  ['constant', { ...good, turn: (_, step) => ({ action: `press ${step}`, next: 'A bell.' }) }, 'too predictable'],
  ['all right', { ...good, varied: 0.05, meanReward: 0.98 }, 'too predictable'],
  ['all wrong', { ...good, varied: 0.05, meanReward: 0.01 }, 'too unpredictable'],
  [
    'random',
    {
      ...good,
      turn: (task, step) => {
        const random = new Random('noise', task, step)
        return { action: `press ${step}`, next: `${word(random)} ${word(random)} ${word(random)}` }
      },
    },
    'too unpredictable',
  ],
  [
    'blunt',
    {
      ...good,
      // Long pages that differ in one word: to ROUGE, rounded to fifths, they are all the same.
      turn: (task, step) => ({
        action: `press ${step}`,
        next: `${'You stand in the long hall of the old house and look at the wall. '.repeat(4)}${code(task)}`,
      }),
      settings: { 'reward.kind': 'rouge' },
    },
    'reward too blunt',
  ],
  [
    'wide threshold',
    {
      ...good,
      turn: (task, step) => ({ action: `press ${step}`, next: `The button of the door shows you ${code(task)} now.` }),
      settings: { 'reward.embedder': 'lexical', 'reward.threshold': 1.5 },
    },
    'reward too blunt',
  ],
]

describe('the verdict on a run', () => {
  it.each(fixtures)('%s', async (name, fixture, ground) => {
    const run = join(root, name)
    writeFixtureRun(run, fixture)
    const before = readdirSync(run)
    const { verdict, transitions, tasks, cost } = await diagnose({ run, progress: silent, say: () => {} })
    expect(verdict.ground, JSON.stringify(verdict)).toBe(ground)
    expect([transitions, tasks]).toEqual([36, 12])
    // Nothing was timed in these folders, nothing gives a task reward, and nothing was written there.
    expect(cost.map(({ stage, seconds }) => [stage, seconds])).toEqual([
      ['filter', null],
      ['world-model-rl', null],
    ])
    expect(readdirSync(run)).toEqual(before)
  })

  it('draws nothing where nothing fits the model, and says so', async () => {
    const run = join(root, 'too long')
    writeFixtureRun(run, { ...good, settings: { ...good.settings, 'worldModel.maxTokens': 1020 } })
    const said: string[] = []
    const found = await diagnose({ run, predictions: 2, threads: 1, progress: silent, say: (line) => said.push(line) })
    expect(said).toEqual([expect.stringMatching(/^No predictions are drawn: no transition fits the 1024 tokens/)])
    // What the filter drew is what there is.
    expect(found.variance?.source).toBe('filter model')
  })

  it('says what to do where there is nothing to look at', async () => {
    const open = (run: string) => diagnose({ run, progress: silent, say: () => {} })
    await expect(open(join(root, 'nowhere'))).rejects.toThrow(/not a run folder/)
    const run = join(root, 'unfinished')
    writeFixtureRun(run, good)
    rmSync(join(run, 'transitions.jsonl'))
    await expect(open(run)).rejects.toThrow(/let the run finish collecting/)
    writeFixtureRun(run, good)
    writeFileSync(join(run, 'rollouts', 'collect-0000.jsonl'), '')
    await expect(open(run)).rejects.toThrow(/hold 0 of the 36 training transitions/)
    writeFileSync(join(run, 'config.json'), '[{ "path": "no.such", "value": 1, "source": "ours" }]')
    await expect(open(run)).rejects.toThrow(/config\.json: no setting is called "no\.such".*another version/)
  })
})

describe('the miniature’s own play', () => {
  it('is looked at with groups of its own predictions, after saying what they cost', async () => {
    const run = join(root, 'mini')
    const resolved = resolveConfig(miniPreset, {
      'environment.tasks.train': 8,
      'collect.tasks': 8,
      'collect.rollouts': 1,
      'reward.embedder': 'lexical',
      'model.threads': 1,
    })
    const method = { name: 'collect only', stages: [collectStage, rewardStage] }
    const { context, close } = await openRun({
      out: run,
      resolved,
      method,
      command: 'test',
      resume: false,
      progress: silent,
      signal: new AbortController().signal,
      warn: () => {},
    })
    await runMethod(method, context)
    await close('finished')
    const said: string[] = []
    const found = await diagnose({ run, predictions: 6, threads: 1, progress: silent, say: (line) => said.push(line) })
    expect(said.join('\n')).toMatch(/Drawing 6 × 8 predictions of the base model: at most 3072 tokens; at collection's/)
    expect(found.variance).toMatchObject({ source: 'base model', size: 8, kept: null, all: { groups: 6 } })
    expect(Object.keys(found.visibility.byKind)).toContain('first visit')
    expect(found.visibility.byKind['first visit'].told).toBeLessThan(1)
    expect(found.baselines.map(({ predictor }) => predictor)).toHaveLength(3)
    expect(found.reward?.sorts.map(({ sort }) => sort)).toContain('other words')
    expect(found.reward?.thresholds.filter(({ own }) => own)).toHaveLength(1)
    // Playing was timed, training was not.
    expect(found.cost.map(({ how }) => how)).toEqual(['not measured', 'not measured', 'not measured'])
    expect(found.cost[1].note).toMatch(
      /^speed of training; answers as long as those drawn here; as if the filter kept all/,
    )
    expect(existsSync(join(run, 'filtered.jsonl'))).toBe(false)
  })
})
