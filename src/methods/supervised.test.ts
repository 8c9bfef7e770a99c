import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { answer } from '../services/testing/reply.ts'
import { closeAfterEach, serverFor, serviceAt } from '../services/testing/service.ts'
import { type AlternativesAt, type Artifacts, resolveConfig, sftStage, stageRecord } from '../stages/index.ts'
import {
  imitation,
  implicitWorldModel,
  METHODS,
  type Method,
  react,
  rft,
  runMethod,
  selfReflectionOf,
} from './method.ts'
import { miniPreset } from './mini.ts'
import { openRun } from './open.ts'
import { environmentOf, modelFolder } from './parts.ts'

const root = mkdtempSync(join(tmpdir(), 'rwml-supervised-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
closeAfterEach()

const settings = {
  'environment.tasks.train': 16,
  'environment.tasks.seen': 2,
  'environment.tasks.unseen': 2,
  'collect.tasks': 16,
  'collect.rollouts': 2,
  'reward.embedder': 'lexical',
  'sft.batch': 8,
  'sft.epochs': 4,
  'sft.maxSteps': 8,
  'sft.learningRate': 1e-3,
  'sft.warmupSteps': 1,
  'evaluate.runs': 1,
  'evaluate.transitions': 4,
}
const silent = { start() {}, update() {}, finish() {} }

interface Ran {
  artifacts: Artifacts
  notes: string[]
  losses: number[]
}

/** Runs a method in a folder; `stopAfter` ends it, as Ctrl-C would, after so many training steps. */
async function run(
  method: Method,
  name: string,
  { resume = false, stopAfter = Number.POSITIVE_INFINITY } = {},
): Promise<Ran> {
  const controller = new AbortController()
  const { context, close } = await openRun({
    out: join(root, name),
    resolved: resolveConfig(miniPreset, settings),
    method,
    command: 'test',
    resume,
    progress: silent,
    signal: controller.signal,
    warn() {},
  })
  let logged = 0
  const log = (line: Parameters<typeof context.log>[0]) => {
    context.log(line)
    if (++logged >= stopAfter) controller.abort(new Error('stopped'))
  }
  try {
    const artifacts = await runMethod(method, { ...context, log })
    const notes = method.stages.flatMap((stage) => stageRecord(context.run, stage.name)?.notes as string[])
    const losses = readFileSync(context.run.metricsFile, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { loss: number }).loss)
    await close('finished')
    return { artifacts, notes, losses }
  } catch (error) {
    await close('interrupted')
    throw error
  }
}

const arms = ({ artifacts }: Ran) => artifacts.evaluation!.arms.map(({ arm }) => arm)
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
/** The last quarter of the steps against the first. */
function expectLearning({ losses }: Ran): void {
  const quarter = Math.ceil(losses.length / 4)
  expect(mean(losses.slice(-quarter))).toBeLessThan(0.9 * mean(losses.slice(0, quarter)))
}
const weights = ({ artifacts }: Ran) => readFileSync(join(artifacts.models.get('imitation')!, 'model.safetensors'))
const numbers = (text: string) => [...text.matchAll(/\d+/g)].map(([digits]) => Number(digits))

describe('every method', () => {
  it('has a name and stages of its own, and can be asked for', () => {
    expect(new Set(METHODS.map(({ name }) => name)).size).toBe(METHODS.length)
    for (const { stages } of METHODS) expect(new Set(stages.map(({ name }) => name)).size).toBe(stages.length)
    const wanted = ['react', 'rft', 'rwml-only', 'world-model-sft-only', 'imitation', 'iwm']
    expect(METHODS.map(({ name }) => name)).toEqual(expect.arrayContaining(wanted))
  })
})

describe('prompting alone', () => {
  it('evaluates the base and trains nothing', async () => {
    const ran = await run(react, 'react')
    expect(arms(ran)).toEqual(['base'])
    expect(ran.losses).toEqual([])
    expect(ran.artifacts.evaluation?.arms[0].policy.map(({ split }) => split)).toEqual(['seen', 'unseen'])
  })
})

describe('RFT', () => {
  it('learns its own successes, as they were sampled', async () => {
    const ran = await run(rft, 'rft')
    expect(arms(ran)).toEqual(['base', 'after RFT'])
    const [solved, all] = numbers(ran.notes.find((note) => note.startsWith('own successes'))!)
    expect(all).toBe(32)
    expect(solved).toBe(ran.artifacts.collected!.counts.solved)
    expect(solved).toBeGreaterThan(0)
    expect(ran.losses).toHaveLength(Math.min(8, 4 * Math.ceil(solved / 8)))
    expectLearning(ran)
  })
})

describe('imitation', () => {
  it('learns what the planner does; a run that is stopped ends as one that is not', async () => {
    const whole = await run(imitation, 'imitation')
    expect(arms(whole)).toEqual(['base', 'after imitation'])
    expect(whole.notes).toContainEqual(expect.stringMatching(/^16 of 16 attempts of planner kept: 16 tasks/))
    expect(whole.losses).toHaveLength(8)
    expectLearning(whole)
    await expect(run(imitation, 'stopped', { stopAfter: 3 })).rejects.toThrow('stopped')
    const resumed = await run(imitation, 'stopped', { resume: true })
    expect(resumed.losses).toEqual(whole.losses)
    expect(resumed.artifacts.evaluation).toEqual(whole.artifacts.evaluation)
    expect(weights(resumed)).toEqual(weights(whole))
  })
})

describe('implicit world modelling', () => {
  it('tries the model’s own alternatives in the expert’s states, and learns what followed both', async () => {
    const ran = await run(implicitWorldModel, 'iwm')
    const { expert, alternatives } = ran.artifacts
    const states = expert!.flatMap(({ turns }) => turns)
    expect(alternatives!.size).toBe(states.length)
    const tried = [...alternatives!.values()].flatMap((one) => one.tried)
    expect(tried.length).toBeGreaterThan(states.length)
    for (const trajectory of expert!) {
      for (const [index, { action }] of trajectory.turns.entries()) {
        const one = alternatives!.get(`${trajectory.task.id}#${trajectory.sample}.${index}`) as AlternativesAt
        const actions = one.tried.map(({ action }) => JSON.stringify(action))
        expect(actions.length).toBeLessThanOrEqual(3)
        expect(new Set([...actions, JSON.stringify(action)]).size).toBe(actions.length + 1)
        expect(one).toMatchObject({ drawn: 6, lost: false })
      }
    }
    // Each was really tried, in that very state.
    const environment = environmentOf(resolveConfig(miniPreset, settings).config, () => {})
    for (const { task, sample, seed, turns } of expert!.slice(0, 4)) {
      for (const [index] of turns.entries()) {
        for (const { action, next, valid } of alternatives!.get(`${task.id}#${sample}.${index}`)!.tried) {
          const episode = await environment.open(task, { seed })
          for (const { action } of turns.slice(0, index)) await episode.step(action!)
          expect(await episode.step(action)).toMatchObject({ observation: next, valid })
        }
      }
    }
    const note = ran.notes.find((one) => one.startsWith('next states'))!
    expect(numbers(note)).toEqual([states.length, tried.length])
    expect(ran.notes).toContain(`8 steps on ${16 + states.length + tried.length} examples`)
    expectLearning(ran)
  })
})

describe('self-reflection', () => {
  it('learns reasons that a strong model wrote [fixture: one that always writes the same], and counts what is none', async () => {
    const fixture = await serverFor(({ body }) => {
      const asked = JSON.stringify(body.messages)
      return answer(asked.length % 5 === 0 ? 'I would rather not.' : '<reflection>need apple see none</reflection>')
    })
    const reflector = serviceAt(fixture.url, { model: 'fixture' })
    const method = selfReflectionOf('planner', reflector)
    await expect(run(method, 'sr', { stopAfter: 2 })).rejects.toThrow('stopped')
    const asked = fixture.requests.length
    const ran = await run(method, 'sr', { resume: true })
    // What is answered is not asked again.
    expect(fixture.requests).toHaveLength(asked)
    const reflections = ran.artifacts.reflections!.size
    const states = [...ran.artifacts.alternatives!.values()].filter((one) => one.tried.length > 0).length
    expect(asked).toBe(states)
    expect(reflections).toBeGreaterThan(0.6 * states)
    expect(ran.notes).toContain(`${reflections} reflections of fixture in ${states} states`)
    expect(ran.notes).toContain(`${states - reflections} answers were refused, or in another form than was asked for`)
    expect(ran.notes).toContain(`reflections: ${reflections}`)
    expectLearning(ran)
  })
})

describe('a run that starts elsewhere', () => {
  it('goes on only with the same model there', async () => {
    const from = join(root, 'other-model')
    cpSync(modelFolder('models/mini'), from, { recursive: true })
    const learns = ['expert actions'] as const
    const method = { name: 'later', stages: [...imitation.stages.slice(0, 3), sftStage({ learns, from })] }
    await expect(run(method, 'later', { stopAfter: 1 })).rejects.toThrow('stopped')
    cpSync(join(root, 'imitation', 'checkpoints', 'imitation-8', 'model.safetensors'), join(from, 'model.safetensors'))
    await expect(run(method, 'later', { resume: true })).rejects.toThrow(
      /begun with another model at .*, from which sft starts/,
    )
  })
})
