import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { z } from 'zod'
import { Random } from '../core/index.ts'
import { JsonLines } from './jsonl.ts'
import { removeLeftovers } from './temporary.ts'

const folder = mkdtempSync(join(tmpdir(), 'rwml-killed-'))
afterAll(() => rmSync(folder, { recursive: true }))

const KILLS = 12

/** Starts the writer, and kills it a moment after it has begun to write. */
async function writeAndKill(milliseconds: number): Promise<void> {
  const words = ['--import', 'tsx', join(import.meta.dirname, 'testing', 'writer.ts'), folder]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  await new Promise((done) => setTimeout(done, milliseconds))
  child.kill('SIGKILL')
  const [, signal] = await once(child, 'close')
  expect(signal).toBe('SIGKILL')
}

const check = (path: string) => {
  const { n, again } = JSON.parse(readFileSync(path, 'utf8')) as { n: number; again: number }
  expect(again).toBe(n)
  return n
}

it('whatever a writer is killed in, each file and folder is there whole or not at all', async () => {
  const random = new Random('killed', 0)
  let least = 0
  for (let i = 0; i < KILLS; i++) {
    await writeAndKill(random.next() * 60)
    removeLeftovers(folder)
    const names = readdirSync(folder)
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([])
    const parts = names.filter((name) => name.startsWith('part-'))
    for (const part of parts) expect(check(join(folder, part, 'a'))).toBe(check(join(folder, part, 'b')))
    const lines = new JsonLines(join(folder, 'lines.jsonl'), z.object({ n: z.number() }))
    expect([...lines].map(({ n }) => n)).toEqual(Array.from({ length: lines.length }, (_, n) => n))
    expect(lines.length).toBeGreaterThanOrEqual(least)
    least = lines.length
    lines.close()
  }
  expect(check(join(folder, 'file.json'))).toBeGreaterThan(0)
})
