import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { z } from 'zod'
import { Random } from '../core/index.ts'
import { JsonLines } from './jsonl.ts'
import { removeLeftovers } from './temporary.ts'

const folder = mkdtempSync(join(tmpdir(), 'rwml-killed-'))
afterAll(() => rmSync(folder, { recursive: true }))

const KILLS = 8
/** What the writer's large file has at least when it is whole. */
const LARGE = 8 * 2 ** 20
const DEADLINE_MS = 10_000

/** Returns as soon as the large file, under whatever name, is there in part. */
function spinUntilHalfWritten(): void {
  const isPart = (name: string) => {
    const size = statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
    return size > 0 && size < LARGE
  }
  const end = performance.now() + DEADLINE_MS
  while (!readdirSync(folder).some((name) => name.startsWith('file.json') && isPart(name))) {
    if (performance.now() > end) throw new Error('the writer was never seen to write')
  }
}

/** Starts the writer, and kills it in the middle of a write, or a moment after it has begun. */
async function writeAndKill(milliseconds: number | 'half-written'): Promise<void> {
  const words = ['--import', 'tsx', join(import.meta.dirname, 'testing', 'writer.ts'), folder]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  if (milliseconds === 'half-written') spinUntilHalfWritten()
  else await new Promise((done) => setTimeout(done, milliseconds))
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
    await writeAndKill(i % 2 === 0 ? 'half-written' : random.next() * 300)
    removeLeftovers(folder)
    const names = readdirSync(folder)
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([])
    const parts = names.filter((name) => name.startsWith('part-'))
    for (const part of parts) expect(check(join(folder, part, 'a'))).toBe(check(join(folder, part, 'b')))
    check(join(folder, 'file.json'))
    const lines = new JsonLines(join(folder, 'lines.jsonl'), z.object({ n: z.number() }))
    expect([...lines].map(({ n }) => n)).toEqual(Array.from({ length: lines.length }, (_, n) => n))
    expect(lines.length).toBeGreaterThanOrEqual(least)
    least = lines.length
    lines.close()
  }
  expect(least).toBeGreaterThanOrEqual(KILLS)
})
