import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { reportCommand } from './report.ts'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rwml-report-command-'))
  const run = {
    method: 'rwml',
    seed: 1,
    environment: 'none',
    model: { name: 'mini', parameters: 1000 },
    machine: { cpu: 'test', cores: 1, memory: 2 ** 30 },
    startedAt: '2026-01-01T00:00:00Z',
    version: '0.1.0',
  }
  writeFileSync(join(folder, 'run.json'), JSON.stringify(run))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

test('writes both files into the run folder and prints their paths', async () => {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
  await reportCommand().parseAsync([folder], { from: 'user' })
  expect(readdirSync(folder).sort()).toEqual(['report.html', 'report.md', 'run.json'])
  expect(readFileSync(join(folder, 'report.html'), 'utf8')).toMatch(/^<!doctype html>/)
  expect(printed.mock.calls).toEqual([[`${join(folder, 'report.md')}\n${join(folder, 'report.html')}`]])
})

test('--json prints one object', async () => {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
  await reportCommand().parseAsync([folder, '--json'], { from: 'user' })
  expect(JSON.parse(printed.mock.calls[0][0] as string).reports[0].run).toBe(folder)
})

test('a folder that is no run is refused', async () => {
  await expect(reportCommand().parseAsync([join(folder, 'nothing')], { from: 'user' })).rejects.toThrow('no run.json')
})
