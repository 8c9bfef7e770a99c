import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BenchmarkResult, Forgetting } from '../benchmarks/index.ts'
import {
  evaluateStage,
  policyStage,
  type Stage,
  type StageContext,
  weightChangeStage,
  worldModelStage,
} from '../stages/index.ts'
import { planStudy } from './plan.ts'
import { recordOf } from './record.ts'
import { describeStudy, register } from './registered.ts'
import { runStudy } from './run-study.ts'
import type { Study } from './study.ts'
import { writeStudyReport } from './study-report.ts'

const folder = mkdtempSync(join(tmpdir(), 'rwml-study-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** How often each stage of each run was entered. */
const entered: string[] = []

/** A training stage that says when it runs, and, once, is killed by a signal in the middle. */
function watched(stage: Stage, kill?: AbortController): Stage {
  return {
    ...stage,
    async run(context: StageContext, artifacts) {
      entered.push(`${context.config.seed} ${stage.name}`)
      if (!kill) return stage.run(context, artifacts)
      const log: StageContext['log'] = (line) => {
        context.log(line)
        kill.abort(new Error('killed'))
      }
      return stage.run({ ...context, log }, artifacts)
    },
    placed: (place) => watched(stage.placed!(place), kill),
  }
}

const study = (kill?: AbortController): Study => ({
  experiment: {
    settings: {
      environment: { tasks: { train: 6, seen: 1, unseen: 3 } },
      model: { threads: 1 },
      collect: { tasks: 6, rollouts: 2, maxSteps: 5, filterShare: 0.25, maxTransitions: 24 },
      reward: { embedder: 'lexical' },
      filter: { draws: 2, batch: 8 },
      worldModel: { batch: 4, groupSize: 2, maxSteps: 2 },
      policy: { tasks: 2, groupSize: 2, steps: 1, maxSteps: 5 },
      evaluate: { runs: 1, maxSteps: 4, transitions: 6 },
    },
  },
  seeds: [1, 2],
  arms: {
    base: [],
    RWML: [watched(worldModelStage(), kill)],
    'RWML → policy RL': [watched(worldModelStage(), kill), policyStage()],
    'K = 3': { stages: [worldModelStage()], settings: { filter: { draws: 3 } }, seeds: 1 },
  },
  compare: [['base', 'RWML']],
  evaluate: [evaluateStage({ splits: ['unseen'] }), weightChangeStage()],
})

const DETECTABLE = { comparisons: [{ seeds: 2, tasks: 3, alone: 0.5, corrected: 0.5 }], assumed: 'nothing' }
const said: string[] = []

async function run(out: string, controller = new AbortController(), kill?: AbortController, only?: number) {
  const plan = planStudy(study(kill))
  const registered = describeStudy(plan, { name: 'tiny', command: 'rwml study tiny.ts' }, DETECTABLE)
  register(out, registered, existsSync(join(out, 'study.json')))
  const quiet = { start() {}, update() {}, finish() {} }
  const say = (message: string) => void said.push(message)
  await runStudy(plan, {
    out,
    command: 'rwml study tiny.ts',
    only,
    progress: quiet,
    signal: controller.signal,
    say,
    warn: () => {},
  })
}

const withoutTimes = (file: string): unknown =>
  JSON.parse(readFileSync(file, 'utf8'), (key, value) => (key === 'seconds' ? 0 : value))

describe('a small real study', () => {
  const whole = join(folder, 'whole')
  const killed = join(folder, 'killed')

  beforeAll(async () => {
    await run(whole)
  })

  it('runs every stage once a seed, whatever number of arms begins with it', () => {
    expect(entered).toEqual(['1 world-model-rl', '2 world-model-rl'])
    expect(readdirSync(join(whole, 'records')).sort()).toEqual(['k-3-1.json', 'main-1.json', 'main-2.json'])
    expect(said.map((line) => line.split(';')[0])).toEqual([
      'Run 1 of 3: main, seed 1',
      'Run 2 of 3: k-3, seed 1',
      'Run 3 of 3: main, seed 2',
    ])
    expect(said[2]).toMatch(/about .* left, by what was measured/)
  })

  it('takes over what other settings do not change', () => {
    const record = (name: string) => withoutTimes(join(whole, 'records', name)) as Record<string, unknown>
    const [main, other] = [record('main-1.json'), record('k-3-1.json')]
    expect(other.taken).toEqual(['collect', 'reward', 'evaluate'])
    const base = (one: Record<string, unknown>) => (one.arms as { arm: string }[]).find(({ arm }) => arm === 'base')
    expect(base(other)).toEqual(base(main))
    const stages = (one: Record<string, unknown>) => one.stages as { name: string; tokensSampled: number }[]
    expect(stages(other)[0]).toEqual(stages(main)[0])
    expect(stages(other)[2].tokensSampled).not.toBe(stages(main)[2].tokensSampled)
  })

  it('records what other stages measured, by names of arms', () => {
    const { weights } = withoutTimes(join(whole, 'records', 'main-2.json')) as {
      weights: { from: string; to: string; moved: number }[]
    }
    expect(weights[0]).toMatchObject({ from: 'base', to: 'RWML' })
    expect(weights[0].moved).toBeGreaterThan(0)
  })

  it('goes on after a kill in the middle, to the same records', async () => {
    const kill = new AbortController()
    await expect(run(killed, kill, kill, 1)).rejects.toThrow('killed')
    expect(existsSync(join(killed, 'records'))).toBe(false)
    await run(killed)
    for (const name of readdirSync(join(whole, 'records'))) {
      expect(withoutTimes(join(killed, 'records', name)), name).toEqual(withoutTimes(join(whole, 'records', name)))
    }
    const times = said.length
    await run(killed)
    expect(said.length).toBe(times)
  })

  it('makes its tables from records alone', () => {
    const records = join(folder, 'records only')
    for (const part of ['study.json', 'records']) cpSync(join(whole, part), join(records, part), { recursive: true })
    const { markdown, html } = writeStudyReport(records)
    expect(readFileSync(markdown, 'utf8')).toContain('3 of 3 runs finished')
    expect(readFileSync(markdown, 'utf8')).toContain('| filter.draws | 2 | user |')
    expect(existsSync(html)).toBe(true)
  })

  it('is not begun where another one’s runs lie', () => {
    const lost = join(folder, 'lost')
    cpSync(join(whole, 'records'), join(lost, 'records'), { recursive: true })
    const begin = () =>
      register(lost, describeStudy(planStudy(study()), { name: 't', command: 'c' }, DETECTABLE), false)
    expect(begin).toThrow(/holds records\/ without the study\.json/)
    expect(existsSync(join(lost, 'study.json'))).toBe(false)
  })

  it('keeps what costs are found by, and episodes that broke', () => {
    const run = { world: planStudy(study()).worlds[0], seed: 1, resolved: {} as never, prints: new Map() }
    const copy = join(folder, 'broken')
    cpSync(join(whole, 'runs', 'main', '1'), copy, { recursive: true })
    const file = join(copy, 'evaluation.json')
    const evaluation = JSON.parse(readFileSync(file, 'utf8'))
    const rwml = evaluation.arms.find(({ arm }: { arm: string }) => arm === 'RWML').policy[0]
    rwml.episodes.shift()
    writeFileSync(file, JSON.stringify(evaluation))
    const { arms, stages } = recordOf(copy, run)
    const solved = (name: string) => arms.find(({ arm }) => arm === name)!.policy.unseen
    expect(solved('RWML').solved[0]).toMatch(/^[01]*-[01]*$/)
    expect(solved('RWML').tasks).toBe(solved('base').tasks)
    expect(stages.find(({ name }) => name === 'world-model-rl')).toMatchObject({
      from: 'base',
      arms: ['RWML'],
      reads: expect.arrayContaining(['kept', 'reward']),
      flops: expect.any(Number),
      tokensRead: expect.any(Number),
    })
  })

  it('keeps the first measure of every benchmark with its unit', () => {
    const copy = join(folder, 'forgotten')
    cpSync(join(whole, 'runs', 'main', '1'), copy, { recursive: true })
    const result: BenchmarkResult = {
      benchmark: 'text',
      title: 'Held-out text',
      questions: 1,
      leftOut: 0,
      measures: [{ name: 'loss', unit: 'number', better: 'down', value: 1.5, interval: null }],
      notes: [],
      outcomes: [],
    }
    const arms = [{ arm: 'base', checkpoint: 'models/mini', results: [result] }]
    const forgetting: Forgetting = { stage: 'evaluate', arms }
    writeFileSync(join(copy, 'stages', 'evaluate', 'forgetting.json'), JSON.stringify(forgetting))
    const run = { world: planStudy(study()).worlds[0], seed: 1, resolved: {} as never, prints: new Map() }
    expect(recordOf(copy, run).arms.find(({ arm }) => arm === 'base')!.benchmarks).toEqual({
      'Held-out text': { measure: 'loss', unit: 'number', better: 'down', value: 1.5 },
    })
  })

  it('is not another study', () => {
    const describe = (change: (one: Study) => void) => {
      const other = study()
      change(other)
      return () => register(whole, describeStudy(planStudy(other), { name: 'tiny', command: 'c' }, DETECTABLE), true)
    }
    expect(describe(() => {})).not.toThrow()
    expect(describe((one) => Object.assign(one, { seeds: [1, 2, 3] }))).toThrow(
      /begun with other seeds \(nothing, not 3\)/,
    )
    expect(describe((one) => Object.assign(one, { compare: [['base', 'K = 3']] }))).toThrow(/begun with other compare/)
    const again = () =>
      register(whole, describeStudy(planStudy(study()), { name: 't', command: 'c' }, DETECTABLE), false)
    expect(again).toThrow('already holds this study: go on with "c --out')
  })
})
