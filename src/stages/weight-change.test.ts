import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { RunFolder, readJson, readSafetensors, writeSafetensors } from '../store/index.ts'
import type { StageContext } from './context.ts'
import { type Artifacts, runStage, type Stage, stageRecord, startOf } from './stage.ts'
import { WEIGHT_CHANGES_FILE, weightChangeStage, weightChangesSchema } from './weight-change.ts'

const folder = mkdtempSync(join(tmpdir(), 'rwml-weights-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The miniature with its norms doubled so many times. */
function model(name: string, times: number): string {
  const path = join(folder, name)
  cpSync('models/mini', path, { recursive: true })
  const file = join(path, 'model.safetensors')
  const { tensors } = readSafetensors(file)
  for (const [tensor, { data }] of tensors)
    if (tensor.includes('norm')) for (const i of data.keys()) data[i] *= 2 ** times
  writeSafetensors(file, tensors)
  return path
}

function training(name: string, from: string | undefined, path: string, uses: 'kept' | null): Stage {
  return {
    name,
    title: name,
    options: {},
    async run(_, artifacts) {
      if (uses) void artifacts[uses]
      startOf(artifacts, name, from)
      artifacts.models.set(name, path)
      artifacts.arms.push({ arm: `after ${name}`, path })
      return { notes: [] }
    },
  }
}

it('compares every stage with what it started from, once, and records say what rests on what', async () => {
  const run = RunFolder.create(join(folder, 'run'))
  const tokens = { sampled: 0, trained: 0, read: 0, flops: 0 }
  const context = { run, tokens, signal: new AbortController().signal, log() {} } as unknown as StageContext
  const artifacts: Artifacts = { models: new Map([['base', 'models/mini']]), arms: [] }
  const collect: Stage = {
    name: 'collect',
    title: 'collect',
    options: {},
    async run(_, artifacts) {
      artifacts.kept = []
      artifacts.rewarded = true
      tokens.read += 7
      tokens.flops += 1e6
      return { notes: [] }
    },
  }
  const stages = [
    collect,
    training('first', undefined, model('first', 1), 'kept'),
    training('second', 'first', model('second', 2), null),
    // Left out: it handed on what it started from, and has no row.
    training('untrained', 'second', join(folder, 'second'), null),
    weightChangeStage(),
  ]
  for (const stage of stages) await runStage(stage, context, artifacts)

  const path = join(run.stageFolder('weight-change'), WEIGHT_CHANGES_FILE)
  const changes = readJson(path, weightChangesSchema)
  expect(changes.map(({ from, to }) => `${from} → ${to}`)).toEqual(['base → first', 'first → second'])
  for (const { change } of changes) {
    const moved = change.modules.filter(({ largest }) => largest > 0)
    expect(moved).toMatchObject([{ module: 'norms', relativeNorm: 1, moved: [1, 1, 1, 1, 1] }])
  }
  expect(stageRecord(run, 'collect')).toMatchObject({
    tokensRead: 7,
    flops: 1e6,
    reads: [],
    makes: ['kept', 'rewarded'],
  })
  expect(stageRecord(run, 'first')).toMatchObject({ from: 'base', arms: ['after first'], reads: ['kept'], flops: 0 })
  expect(stageRecord(run, 'second')).toMatchObject({ from: 'first', reads: [] })

  // What is there is not computed again: the models may be gone by then.
  rmSync(join(folder, 'first'), { recursive: true })
  await weightChangeStage().run(context, artifacts)
  expect(readJson(path, weightChangesSchema)).toEqual(changes)
})
