import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from './folder.ts'

/** Names of files being written; a reader ignores them, a crash leaves at most one of them behind. */
export const TEMPORARY_SUFFIX = '.tmp'

function temporaryName(path: string): string {
  return `${path}.${process.pid}.${randomBytes(4).toString('hex')}${TEMPORARY_SUFFIX}`
}

/** Write a whole file so that a reader sees the old content or the new, never a part: temporary name, fsync, rename. */
export function writeFileAtomic(path: string, content: string | Uint8Array): void {
  makeFolder(dirname(path))
  const temporary = temporaryName(path)
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  try {
    const file = openSync(temporary, 'w')
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Fill a folder under a temporary name, then rename it into place; an existing folder of that name is replaced. */
export async function writeFolderAtomic(path: string, fill: (folder: string) => Promise<void> | void): Promise<void> {
  const temporary = temporaryName(path)
  makeFolder(temporary)
  try {
    await fill(temporary)
    rmSync(path, { recursive: true, force: true })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    throw error
  }
}
