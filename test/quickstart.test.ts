import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { onePage } from '../examples/rwml-in-one-page.ts'
import { miniPreset, openRun, runMethod, rwml } from '../src/methods/index.ts'
import { buildReport, loadReportInput } from '../src/reports/index.ts'
import { resolveConfig } from '../src/stages/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'rwml-quickstart-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const small = {
  'environment.tasks.train': 24,
  'environment.tasks.seen': 8,
  'environment.tasks.unseen': 8,
  'collect.tasks': 24,
  'collect.rollouts': 1,
  'collect.wave': 12,
  'reward.embedder': 'lexical',
  'filter.draws': 2,
  'worldModel.batch': 8,
  'worldModel.maxSteps': 2,
  'policy.tasks': 4,
  'policy.groupSize': 4,
  'policy.steps': 3,
  'evaluate.runs': 1,
  'evaluate.transitions': 20,
}
const silent = { start() {}, update() {}, finish() {} }

/** Runs the method in a folder; `stopAfter` ends it, as Ctrl-C would, after so many logged training steps. */
async function run(name: string, resume = false, stopAfter = Number.POSITIVE_INFINITY) {
  const controller = new AbortController()
  const { context, close } = await openRun({
    out: join(folder, name),
    resolved: resolveConfig(miniPreset, small),
    method: rwml,
    command: 'rwml quickstart',
    resume,
    progress: silent,
    signal: controller.signal,
    warn: () => {},
  })
  let logged = 0
  const log = (line: Parameters<typeof context.log>[0]) => {
    context.log(line)
    if (++logged >= stopAfter) controller.abort(new Error('stopped'))
  }
  try {
    const artifacts = await runMethod(rwml, { ...context, log })
    await close('finished')
    return artifacts
  } catch (error) {
    await close('interrupted')
    throw error
  }
}

const metrics = (name: string) =>
  readFileSync(join(folder, name, 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line): Record<string, unknown> => ({ ...JSON.parse(line), time: 0 }))
const weights = (name: string) => readFileSync(join(folder, name, 'checkpoints', 'policy-rl-3', 'model.safetensors'))

describe('the whole method, small', () => {
  it('runs from play to report', async () => {
    const { evaluation, arms } = await run('whole')
    expect(arms.map(({ arm }) => arm)).toEqual(['base', 'after world-model RL', 'after policy RL'])
    expect(evaluation?.arms.every((arm) => arm.policy.length === 2 && arm.worldModel.length === 2)).toBe(true)
    const { markdown, html } = buildReport(loadReportInput(join(folder, 'whole')))
    expect(markdown).toContain('after policy RL')
    expect(html).toContain('<svg')
    // A step in which no group varies trains nothing and has no new log-probabilities.
    const mismatches = metrics('whole').flatMap((line) => (line.logprobDifferenceMax as number | undefined) ?? [])
    expect(mismatches.length).toBeGreaterThan(1)
    expect(Math.max(...mismatches)).toBeLessThan(1e-4)
  })

  it('stopped at any stage and resumed, it ends with the same metrics, results and weights', async () => {
    for (const stopAfter of [1, 4, 6]) {
      const name = `stopped-${stopAfter}`
      await expect(run(name, false, stopAfter)).rejects.toThrow('stopped')
      await expect(run(name)).rejects.toThrow(/already holds a run.*--resume/)
      await run(name, true)
      expect(metrics(name)).toEqual(metrics('whole'))
      expect(weights(name).equals(weights('whole'))).toBe(true)
      expect(readFileSync(join(folder, name, 'evaluation.json'), 'utf8')).toBe(
        readFileSync(join(folder, 'whole', 'evaluation.json'), 'utf8'),
      )
    }
  })

  it('does not run a finished stage again', async () => {
    const stage = () => readFileSync(join(folder, 'whole', 'stages', 'world-model-rl', 'stage.json'), 'utf8')
    const before = stage()
    await run('whole', true)
    expect(stage()).toBe(before)
    expect(existsSync(join(folder, 'whole', 'run.lock'))).toBe(false)
  })
})

describe('the algorithm on one page', () => {
  it('runs', async () => {
    const lines: string[] = []
    const log = (line: string) => void lines.push(line)
    await onePage({ seed: 0, tasks: 16, worldModelSteps: 1, policySteps: 1, log })
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['collected', 'world', 'policy'])
  })
})
