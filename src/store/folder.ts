import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { UserError } from '../core/index.ts'
import { explained } from './write-error.ts'

/**
 * Make a folder and those above it. One level at a time, and never the same level twice: Node's own recursive mkdir does not
 * return on file systems that refuse every new folder as "not found" (`/proc`).
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) return
    throw new UserError(`cannot make the folder ${path}: a file of that name is in the way; name another one`)
  }
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  try {
    mkdirSync(path)
    syncFolder(parent)
  } catch (error) {
    if (existsSync(path)) return
    throw explained(error, `make the folder ${path}`)
  }
}

/** Takes away a folder that was made for nothing; one that holds something stays. */
export function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // It holds something, or is gone.
  }
}

/** Not every file system can be asked for this, and Windows never. */
const UNSUPPORTED = new Set(['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR', 'EACCES', 'EBADF'])

/** Puts the names in a folder on the disk: a new file outlasts a power cut only when its folder does. */
export function syncFolder(path: string): void {
  try {
    const folder = openSync(path, 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  } catch (error) {
    if (!UNSUPPORTED.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
