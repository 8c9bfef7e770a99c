/**
 * What gets killed: the whole method on a plan of seconds, with checkpoints inside its stages, opened and ended as the
 * quickstart is. `node --import tsx scripts/kill/subject.ts OUT`: begins a run or goes on with it, says on stdout which
 * stage begins, and fails with one line.
 */
import { writeSync } from 'node:fs'
import { type Method, miniPreset, openRun, runMethod, rwml } from '../../src/methods/index.ts'
import { resolveConfig } from '../../src/stages/index.ts'

const plan = {
  'model.threads': 2,
  'environment.tasks.train': 16,
  'environment.tasks.seen': 4,
  'environment.tasks.unseen': 4,
  'collect.tasks': 16,
  'collect.rollouts': 1,
  'collect.maxSteps': 8,
  'collect.wave': 4,
  'reward.embedder': 'lexical',
  'filter.draws': 2,
  'filter.batch': 4,
  'worldModel.batch': 3,
  'worldModel.groupSize': 4,
  'worldModel.maxSteps': 22,
  'policy.tasks': 2,
  'policy.groupSize': 3,
  'policy.maxSteps': 6,
  'policy.steps': 22,
  'evaluate.maxSteps': 6,
  'evaluate.runs': 1,
  'evaluate.transitions': 8,
}

/** The method, saying which stage it begins. */
const method: Method = {
  ...rwml,
  stages: rwml.stages.map((stage) => ({
    ...stage,
    run(...parameters) {
      writeSync(1, `stage ${stage.name}\n`)
      return stage.run(...parameters)
    },
  })),
}

try {
  const run = await openRun({
    out: process.argv[2],
    resolved: resolveConfig(miniPreset, plan),
    method,
    command: 'rwml quickstart',
    resume: true,
    progress: { start() {}, update() {}, finish() {} },
    signal: new AbortController().signal,
    warn: () => {},
  })
  try {
    await runMethod(method, run.context)
    writeSync(1, 'stage close\n')
    await run.close('finished')
  } catch (error) {
    await run.close('failed')
    throw error
  }
} catch (error) {
  console.error(`rwml: ${(error as Error).message}`)
  process.exitCode = 1
}
