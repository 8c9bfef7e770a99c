import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { UserError } from '../core/index.ts'
import { loadReportInput } from './load.ts'
import { buildReport } from './report.ts'
import { fixtureInput } from './testing/fixture.ts'

const input = fixtureInput()
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rwml-report-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, content: unknown): void {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
}

function writeRun(): void {
  const { folder: _, ...run } = input.run
  write('run.json', { ...run, status: 'finished' })
  write('config.json', input.config)
  write('evaluation.json', input.evaluation)
  write('metrics.jsonl', input.metrics.map((line) => `${JSON.stringify(line)}\n`).join(''))
  for (const [index, stage] of input.stages.entries()) {
    write(`stages/${stage.name}/stage.json`, { ...stage, startedAt: new Date(index * 60_000).toISOString(), hash: 'x' })
  }
  write('stages/reward/reward.json', { ...input.reward, separation: 0.4 })
  const lines = ['easy', 'between', 'hopeless', 'between'].map((verdict, id) => ({
    id: `${id}`,
    kind: id === 0 ? 'revisit' : 'first visit',
    meanReward: 0.5,
    varied: verdict === 'between',
    verdict,
    kept: verdict !== 'easy',
  }))
  write('filtered.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

test('which stage a model learned from is read: who learned from it pays for it', () => {
  writeRun()
  write('stages/traced/stage.json', { ...input.stages[0], name: 'traced', startedAt: '2026-01-02', teacher: 'collect' })
  expect(loadReportInput(folder).stages.at(-1)).toMatchObject({ name: 'traced', teacher: 'collect' })
  rmSync(join(folder, 'stages', 'traced'), { recursive: true })
})

test('a run folder gives back what a report needs', () => {
  writeRun()
  const loaded = loadReportInput(folder)
  expect(loaded.run).toEqual({ ...input.run, folder, status: 'finished' })
  expect(loaded.stages).toEqual(input.stages)
  expect(loaded.metrics).toEqual(input.metrics)
  expect(loaded.evaluation).toEqual(input.evaluation)
  expect(loaded.config).toEqual(input.config)
  expect([loaded.rewardKind, loaded.reward]).toEqual(['embedding', input.reward])
  expect(loaded.filter?.rule).toBe('band')
  expect(loaded.filter?.kinds[0]).toEqual({
    kind: 'first visit',
    transitions: 3,
    easy: 0,
    hopeless: 1,
    kept: 3,
    groupsWithVariance: 2,
  })
  expect(loaded.resolution.join(' ')).toContain('policy RL alone')
  const { markdown } = buildReport(loaded)
  expect(markdown).toContain('Success on 274 held-out tasks')
  expect(markdown).not.toContain('--resume')
})

test('an unfinished run shows what there is', () => {
  const { folder: _, ...run } = input.run
  write('run.json', run)
  write('metrics.jsonl', `${JSON.stringify(input.metrics[0])}\n{"stage":"world-mod`)
  const loaded = loadReportInput(folder)
  expect(loaded.metrics).toEqual([input.metrics[0]])
  expect([loaded.evaluation, loaded.filter, loaded.reward]).toEqual([null, null, null])
  expect(buildReport(loaded).html).toContain('Nothing has been evaluated yet.')
})

test('what is wrong is named with file and field', () => {
  expect(() => loadReportInput(folder)).toThrow(UserError)
  expect(() => loadReportInput(folder)).toThrow('has no run.json')
  writeRun()
  write('evaluation.json', { arms: [{ arm: 1 }] })
  expect(() => loadReportInput(folder)).toThrow(/evaluation\.json: arms\[0\]\.arm must be text, not a number/)
  write('evaluation.json', '{')
  expect(() => loadReportInput(folder)).toThrow('evaluation.json is not JSON')
  writeRun()
  write('metrics.jsonl', '{"stage":"x","step":1,"time":0}\nbroken\n')
  expect(() => loadReportInput(folder)).toThrow('metrics.jsonl, line 2 is not JSON')
})
