import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Names of files being written; a reader ignores them, and a crash leaves at most one of them behind. */
export const TEMPORARY_SUFFIX = '.tmp'

/** What `temporaryName` appends: the writer's process number and something random. */
const MARK = /\.\d+\.[0-9a-f]{8}\.tmp(?=$|[\s\\/])/g

export function temporaryName(path: string): string {
  return `${path}.${process.pid}.${randomBytes(4).toString('hex')}${TEMPORARY_SUFFIX}`
}

/** The path that something under a temporary name will have, for messages. */
export function withoutTemporary(path: string): string {
  return path.replaceAll(MARK, '')
}

/**
 * Removes what killed processes left half-written under a folder, whatever its depth. Only for the one process that may
 * write there: a living writer's files look the same. Other files are not touched, even if they end in `.tmp`.
 */
export function removeLeftovers(folder: string): void {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (withoutTemporary(entry.name) !== entry.name) rmSync(path, { recursive: true, force: true })
    else if (entry.isDirectory()) removeLeftovers(path)
  }
}
