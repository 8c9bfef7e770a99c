import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { UserError } from '../core/index.ts'
import { removeFolderAtomic, writeFileAtomic, writeFolderAtomic } from './atomic.ts'
import { makeFolder } from './folder.ts'
import { JsonLines, readLines } from './jsonl.ts'
import { RunFolder } from './run-folder.ts'

/** What the system refuses, on real file systems: a small one, a read-only one, one of somebody else. */
const root = mkdtempSync(join(tmpdir(), 'rwml-refused-'))
const mounted: string[] = []
afterAll(() => {
  for (const folder of mounted) execFileSync('umount', [folder])
  rmSync(root, { recursive: true, force: true })
})

const mount = (...words: string[]) => execFileSync('mount', words, { stdio: 'ignore' })

/** A file system of its own in memory, or null where mounting is not allowed. */
function fileSystem(name: string, size: string): string | null {
  const folder = join(root, name)
  mkdirSync(folder)
  try {
    mount('-t', 'tmpfs', '-o', `size=${size}`, 'none', folder)
  } catch {
    return null
  }
  mounted.push(folder)
  return folder
}

const line = z.object({ n: z.number(), text: z.string() })
const small = fileSystem('small', '64k')
const sealed = fileSystem('sealed', '1m')

describe('a full disk', () => {
  const it_ = it.skipIf(small === null)
  const disk = small ?? ''
  const big = 'x'.repeat(100_000)

  it_('is one line that says what, how much and what to do; the old file stays, and nothing else', () => {
    const path = join(disk, 'file')
    writeFileAtomic(path, 'old')
    expect(() => writeFileAtomic(path, big)).toThrow(UserError)
    expect(() => writeFileAtomic(path, big)).toThrow(
      /^cannot write .*small\/file: the disk is full \(97\.7 KiB to write, .* free\): free some space \[ENOSPC\]$/,
    )
    expect(readFileSync(path, 'utf8')).toBe('old')
    expect(readdirSync(disk)).toEqual(['file'])
    rmSync(path)
  })

  it_('leaves a folder as it was, and names the file in it by its own name', async () => {
    const folder = join(disk, 'checkpoint')
    await writeFolderAtomic(folder, (at) => writeFileAtomic(join(at, 'weights'), 'old'))
    const saving = writeFolderAtomic(folder, (at) => writeFileAtomic(join(at, 'weights'), big))
    await expect(saving).rejects.toThrow(/small\/checkpoint\/weights: the disk is full/)
    expect(readFileSync(join(folder, 'weights'), 'utf8')).toBe('old')
    expect(readdirSync(disk)).toEqual(['checkpoint'])
    removeFolderAtomic(folder)
    expect(readdirSync(disk)).toEqual([])
  })

  it_('takes no part of a line, and the next one that fits goes on', () => {
    const lines = new JsonLines(join(disk, 'lines.jsonl'), line)
    lines.append([{ n: 1, text: '' }])
    expect(() => lines.append([{ n: 2, text: big }])).toThrow(/lines\.jsonl: the disk is full/)
    lines.append([{ n: 3, text: '' }])
    lines.close()
    expect(readLines(lines.path, line).map(({ n }) => n)).toEqual([1, 3])
  })
})

describe('a read-only file system', () => {
  const it_ = it.skipIf(sealed === null)
  const disk = sealed ?? ''

  it_('is one line, whatever is to be written, and changes nothing', async () => {
    const lines = join(disk, 'lines.jsonl')
    const folder = join(disk, 'checkpoint')
    new JsonLines(lines, line).close()
    writeFileAtomic(join(folder, 'weights'), 'old')
    mount('-o', 'remount,ro', disk)
    const words = /the file system is read-only: make it writable, or name another folder \[EROFS\]$/
    expect(() => writeFileAtomic(join(folder, 'weights'), 'new')).toThrow(words)
    expect(() => new JsonLines(lines, line)).toThrow(words)
    expect(() => makeFolder(join(disk, 'new'))).toThrow(words)
    expect(() => removeFolderAtomic(folder)).toThrow(words)
    expect(() => RunFolder.create(disk).lock('rwml test')).toThrow(words)
    await expect(writeFolderAtomic(folder, () => undefined)).rejects.toThrow(words)
    expect(readFileSync(join(folder, 'weights'), 'utf8')).toBe('old')
    expect(readdirSync(disk).sort()).toEqual(['checkpoint', 'lines.jsonl'])
  })
})

describe("somebody else's folder", () => {
  // Permission bits do not bind root, so root becomes nobody for a moment; others are somebody already.
  const isRoot = process.getuid?.() === 0
  const asNobody = (act: () => void) => {
    if (isRoot) process.seteuid?.(65534)
    try {
      act()
    } finally {
      if (isRoot) process.seteuid?.(0)
    }
  }

  it.skipIf(process.getuid === undefined)('is one line', () => {
    const folder = join(root, 'theirs')
    mkdirSync(folder)
    chmodSync(root, 0o755)
    chmodSync(folder, 0o555)
    const words = /^cannot .*theirs.*: this user may not write there: change the permissions, .* \[EACCES\]$/
    asNobody(() => {
      expect(() => writeFileAtomic(join(folder, 'file'), 'x')).toThrow(words)
      expect(() => makeFolder(join(folder, 'new'))).toThrow(words)
      expect(() => new JsonLines(join(folder, 'lines.jsonl'), line)).toThrow(words)
      expect(() => RunFolder.create(folder).lock('rwml test')).toThrow(words)
    })
    expect(readdirSync(folder)).toEqual([])
  })
})
