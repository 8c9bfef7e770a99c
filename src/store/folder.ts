import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { UserError } from '../core/index.ts'

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
  } catch (error) {
    if (existsSync(path)) return
    throw new UserError(`cannot make the folder ${path}: ${(error as Error).message.split(',')[0]}; name another one`)
  }
}
