import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { UserError } from '../core/index.ts'
import { withoutTemporary } from './temporary.ts'

/** What the system's codes mean to somebody who only wanted a file written, and what to do about each. */
const REASONS: Record<string, [what: string, advice: string]> = {
  ENOSPC: ['the disk is full', 'free some space'],
  EDQUOT: ['your disk quota is used up', 'free some space, or ask for more'],
  EROFS: ['the file system is read-only', 'make it writable, or name another folder'],
  EACCES: ['this user may not write there', 'change the permissions, or name another folder'],
  EPERM: ['the system does not permit it', 'change the permissions, or name another folder'],
  ENOENT: ['the folder is gone', 'bring it back, or name another one'],
  ENOTDIR: ['a part of the path is a file, not a folder', 'name another folder'],
  EISDIR: ['a folder stands there', 'move it away'],
  ENAMETOOLONG: ['the name is too long', 'name a shorter path'],
  EFBIG: ['the file is larger than the file system allows', 'use another file system'],
  EMFILE: ['too many files are open', 'raise the limit (ulimit -n)'],
  EIO: ['the disk reports an error', 'look at the disk'],
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error
}

/**
 * A caught error as one line: what could not be done, why, and what to do about it. Errors that are not the system's come
 * back unchanged. `doing` is a verb and a path; `bytes`, where known, is what was to be written to `path`.
 */
export function explained(error: unknown, doing: string, room?: { path: string; bytes: number }): unknown {
  if (!isSystemError(error)) return error
  const code = error.code ?? 'unknown'
  const [what, advice] = REASONS[code] ?? [error.message, 'mend that, or name another folder']
  const full = code === 'ENOSPC' || code === 'EDQUOT'
  const size = full && room ? ` (${sizeText(room.bytes)} to write${freeText(room.path)})` : ''
  return new UserError(`cannot ${withoutTemporary(doing)}: ${what}${size}: ${advice} [${code}]`)
}

/** Does something that writes to `path`, and throws what the system says against it as one line. */
export function writing<T>(path: string, act: () => T, bytes?: number): T {
  try {
    return act()
  } catch (error) {
    throw explained(error, `write ${path}`, bytes === undefined ? undefined : { path, bytes })
  }
}

function freeText(path: string): string {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    try {
      const { bavail, bsize } = statfsSync(folder)
      return `, ${sizeText(bavail * bsize)} free`
    } catch {
      if (folder === dirname(folder)) return ''
    }
  }
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  return bytes < 2 ** 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`
}
