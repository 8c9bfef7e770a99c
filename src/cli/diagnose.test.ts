import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { writeFixtureRun } from '../methods/testing/fixture-run.ts'
import { diagnoseCommand } from './diagnose.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rwml-diagnose-command-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

test('prints the verdict first, writes diagnose.md, and ends with one object', async () => {
  writeFixtureRun(folder, {
    tasks: 10,
    steps: 2,
    initial: () => 'A bell.',
    turn: (_, step) => ({ action: `ring ${step}`, next: 'It rings | and *rings*.' }),
    settings: { 'reward.embedder': 'lexical' },
    varied: 0,
    meanReward: 1,
  })
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
  await diagnoseCommand().parseAsync([folder, '--json'], { from: 'user' })
  const [text, json] = printed.mock.calls.map(([line]) => line as string)
  expect(text.split('\n')[2]).toBe('TOO PREDICTABLE  (20 training transitions of 10 tasks)')
  expect(text).toMatch(/also too predictable: in 0\.0% of groups/)
  expect(text).toContain('Written to')
  // Nothing runs over the width that wrapped text has.
  for (const line of text.split('\n')) if (line.startsWith('  - ')) expect(line.length).toBeLessThanOrEqual(100)
  expect(JSON.parse(json)).toMatchObject({ transitions: 20, verdict: { ground: 'too predictable' }, reward: null })
  const markdown = readFileSync(join(folder, 'diagnose.md'), 'utf8')
  expect(markdown).toContain('**too predictable**')
  expect(markdown).toContain('It rings \\| and \\*rings\\*.')
})

test('a folder that is no run is one line', async () => {
  await expect(diagnoseCommand().parseAsync([join(folder, 'x')], { from: 'user' })).rejects.toThrow(/not a run folder/)
})
