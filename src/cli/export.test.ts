import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { writeFixtureRun } from '../methods/testing/fixture-run.ts'
import { runCommandLine } from './program.ts'

const folder = mkdtempSync(join(tmpdir(), 'rwml-cli-export-'))
const run = join(folder, 'run')
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => vi.restoreAllMocks())

writeFixtureRun(run, {
  tasks: 2,
  steps: 1,
  initial: () => 'Room.',
  turn: () => ({ action: 'open', next: 'A door.' }),
  settings: {},
  varied: 1,
  meanReward: 0.5,
})

/** Exit code and what was said. */
async function rwml(...words: string[]) {
  const said: string[] = []
  for (const stream of ['log', 'error'] as const) {
    vi.spyOn(console, stream).mockImplementation((line) => void said.push(String(line)))
  }
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  await runCommandLine(words)
  const code = process.exitCode ?? 0
  process.exitCode = undefined
  return { code, said: said.join('\n'), last: said.at(-1) ?? '' }
}

describe('rwml export', () => {
  it('writes a folder, and says what is in it', async () => {
    const out = join(folder, 'verl')
    const { code, said, last } = await rwml('export', run, '--format', 'verl', '--out', out, '--json')
    expect(code).toBe(0)
    expect(readdirSync(out)).toContain('world-model-train.parquet')
    expect(said).toContain('Note: nothing is held out')
    expect(JSON.parse(last)).toMatchObject({
      format: 'verl',
      files: [{ rows: 2 }, { rows: 2 }, { rows: 2 }, { rows: 2 }],
    })
    expect(await rwml('export', run, '--format', 'trl', '--out', out)).toMatchObject({ code: 1 })
  })

  it.each([
    [['export', run, '--out', 'x'], 2, '--format'],
    [['export', run, '--format', 'csv', '--out', 'x'], 2, 'verl, trl, jsonl'],
    [['export', folder, '--format', 'trl', '--out', join(folder, 'never')], 1, 'is not a run folder'],
  ])('refuses %j', async (words, code, said) => {
    const answer = await rwml(...words)
    expect(answer.code).toBe(code)
    expect(answer.said).toContain(said)
    expect(existsSync(join(folder, 'never'))).toBe(false)
  })
})

describe('rwml serve reward', () => {
  it.each([
    [['serve', 'reward'], 2, 'name a run folder, or a reward with --reward'],
    [['serve', 'reward', run, '--reward', 'exact'], 2, 'name a run folder, or a reward with --reward'],
    [['serve', 'reward', '--reward', 'judge'], 2, 'exact, rouge, json'],
    [['serve', 'reward', run], 1, 'has not chosen its reward yet'],
    [['serve', 'reward', folder], 1, 'is not a run folder'],
  ])('refuses %j', async (words, code, said) => {
    const answer = await rwml(...words)
    expect(answer.code).toBe(code)
    expect(answer.said).toContain(said)
  })

  it('serves until it is told to stop', async () => {
    const served = rwml('serve', 'reward', '--reward', 'exact', '--port', '0', '--json')
    const log = vi.mocked(console.log)
    await vi.waitFor(() => expect(log.mock.lastCall?.[0]).toMatch(/^\{/))
    const { url } = JSON.parse(String(log.mock.lastCall?.[0])) as { url: string }
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ completions: ['<next_state>a</next_state>'], ground_truth: ['a'] }),
    })
    expect(await answer.json()).toMatchObject({ rewards: [1] })
    process.emit('SIGTERM')
    expect(await served).toMatchObject({ code: 0 })
  })
})
