import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { benchmarkCommand } from './benchmark.ts'

let folder = ''
let printed: string[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rwml-benchmark-'))
  printed = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line))
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

const run = (...words: string[]) => benchmarkCommand().exitOverride().parseAsync(words, { from: 'user' })

it('measures the miniature without data, keeps the answers, and is of one model', async () => {
  const out = join(folder, 'out')
  await run('models/mini', '--limit', '4', '--out', out, '--threads', '1', '--json')
  const table = printed.join('\n')
  expect(table).toMatch(/Loss on held-out text +loss +4 +0 +0\.\d{3}/)
  expect(table).toMatch(/Replies that parse +parsed, % +4 +0 +100\.0 +51\.0 to 100\.0/)
  const before = JSON.parse(printed.at(-1)!)
  expect(existsSync(join(out, 'mini-text.jsonl'))).toBe(true)
  await run('models/mini', '--limit', '4', '--out', out, '--threads', '1', '--json')
  expect(JSON.parse(printed.at(-1)!)).toEqual(before)
  await expect(run('models/mini', '--limit', '5', '--out', out, '--threads', '1')).rejects.toThrow(/other questions/)
})

it('says what is missing', async () => {
  await expect(run('models/mini', '--only', 'gsm8k')).rejects.toThrow(/--only needs --data/)
  await expect(run('models/mini', '--data', folder)).rejects.toThrow(/has no files of mmlu-redux/)
})
