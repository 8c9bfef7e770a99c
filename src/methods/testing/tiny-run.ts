import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { EngineChoice } from '../../engines/index.ts'
import type { Environment } from '../../environments/index.ts'
import { resolveConfig } from '../../stages/index.ts'
import { type Method, runMethod } from '../method.ts'
import { miniPreset } from '../mini.ts'
import { openRun } from '../open.ts'

/** Where the runs of a test file are. */
export const root = mkdtempSync(join(tmpdir(), 'rwml-tiny-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A few households and a few steps of everything: seconds on the shipped miniature. */
const TINY = {
  'environment.tasks.train': 6,
  'environment.tasks.seen': 1,
  'environment.tasks.unseen': 2,
  'collect.tasks': 6,
  'collect.rollouts': 1,
  'collect.maxSteps': 8,
  'filter.rule': 'none',
  'reward.kind': 'exact',
  'worldModel.batch': 4,
  'worldModel.groupSize': 4,
  'worldModel.maxSteps': 2,
  'worldModelSft.maxSteps': 3,
  'worldModelSft.batch': 8,
  'sft.maxSteps': 2,
  'sft.batch': 8,
  'policy.steps': 2,
  'policy.tasks': 2,
  'policy.groupSize': 4,
  'policy.maxSteps': 6,
  'evaluate.runs': 1,
  'evaluate.maxSteps': 2,
  'evaluate.transitions': 4,
  'model.threads': 1,
}

interface Played {
  /** A run that stops when this stage is done. */
  until?: string
  resume?: boolean
  engine?: EngineChoice
  /** Default: ALFWorld, as the settings say. */
  environment?: Environment
}

/** Runs a method in a folder of that name, which is gone after the tests of the file. */
export async function play(name: string, method: Method, settings: Record<string, unknown> = {}, how: Played = {}) {
  const out = join(root, name)
  const warnings: string[] = []
  const { context, close } = await openRun({
    out,
    resolved: resolveConfig(miniPreset, { ...TINY, ...settings }),
    method,
    engine: how.engine,
    environment: how.environment,
    command: 'test',
    resume: how.resume ?? false,
    progress: { start() {}, update() {}, finish() {} },
    signal: new AbortController().signal,
    warn: (line) => warnings.push(line),
  })
  const last = how.until ? method.stages.findIndex((stage) => stage.name === how.until) + 1 : undefined
  const artifacts = await runMethod({ ...method, stages: method.stages.slice(0, last) }, context).finally(() =>
    close('finished'),
  )
  const lines = readFileSync(join(out, 'metrics.jsonl'), 'utf8').split('\n').filter(Boolean)
  const metrics = lines.map((line): Record<string, number> & { stage: never } => JSON.parse(line))
  return { out, artifacts, warnings, of: (stage: string) => metrics.filter((line) => line.stage === stage) }
}
