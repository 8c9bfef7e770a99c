import { constants, copyFileSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { z } from 'zod'
import { UserError } from '../core/index.ts'
import { isRunning, processStart } from './process.ts'
import { temporaryName } from './temporary.ts'
import { explained, writing } from './write-error.ts'

const holderSchema = z.object({
  pid: z.int(),
  host: z.string(),
  /** What it was started as. */
  command: z.string(),
  /** When the lock was taken, ISO 8601. For people: nothing is decided by it, a clock may jump. */
  since: z.string(),
  /** Tells the process from a later one with the same number; null where the system does not say. */
  process: z.string().nullable(),
})

export type LockHolder = z.infer<typeof holderSchema>

/** Only the process that holds the lock writes to a run folder. */
export interface RunLock {
  readonly holder: LockHolder
  release(): void
}

/**
 * Takes the lock at `path` for `command`; `what` it locks is named in errors (default: its folder). If a living process holds it, or one on another machine, a `UserError` names it.
 * The lock of a process that died is stale and is taken over.
 */
export function acquireLock(path: string, command: string, what = dirname(path)): RunLock {
  const holder: LockHolder = {
    pid: process.pid,
    host: hostname(),
    command,
    since: new Date().toISOString(),
    process: processStart(process.pid),
  }
  const mine = temporaryName(path)
  writing(path, () => writeFileSync(mine, JSON.stringify(holder)))
  try {
    if (!tryLink(mine, path)) {
      removeStale(path, what)
      if (!tryLink(mine, path)) throw new UserError(`${path}: another process took the lock just now; try again`)
    }
  } finally {
    rmSync(mine, { force: true })
  }
  return {
    holder,
    release: () => {
      const current = readHolder(path)
      if (current?.pid === holder.pid && current.since === holder.since) rmSync(path, { force: true })
    },
  }
}

/** Who holds the lock, if a living process (or one on another machine, which cannot be asked) does. */
export function lockHolder(path: string): LockHolder | null {
  const holder = readHolder(path)
  return holder && isAlive(holder) ? holder : null
}

function removeStale(path: string, what: string): void {
  const found = readHolder(path)
  if (found && isAlive(found)) throw new UserError(inUse(path, what, found))
  // Renaming makes sure that two processes that both saw a dead holder do not delete each other's new lock.
  const aside = temporaryName(path)
  try {
    renameSync(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw explained(error, `take the lock ${path}`)
  }
  const moved = readHolder(aside)
  if (moved && isAlive(moved)) {
    tryLink(aside, path)
    rmSync(aside, { force: true })
    throw new UserError(inUse(path, what, moved))
  }
  rmSync(aside, { force: true })
}

function inUse(path: string, what: string, { pid, host, command, since }: LockHolder): string {
  const advice = host === hostname() ? 'wait for it or stop it' : `stop it there, or delete ${path} if it is gone`
  return `${what} is in use by process ${pid} on ${host} ("${command}", since ${since}): ${advice}`
}

function isAlive(holder: LockHolder): boolean {
  return holder.host !== hostname() || isRunning(holder.pid, holder.process)
}

function readHolder(path: string): LockHolder | null {
  try {
    return holderSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return null
  }
}

/** Some file systems have no links (memory cards, network drives). */
const WITHOUT_LINKS = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'])

/** Gives the file a second name if nobody has it: the lock appears with its content or not at all, and replaces no other. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (WITHOUT_LINKS.has(code)) return tryCopy(from, to)
    // Gone: who has just taken the lock cleared our claim away with other leftovers.
    if (code === 'EEXIST' || code === 'ENOENT') return false
    throw explained(error, `take the lock ${to}`)
  }
}

/** The same without links; for a moment the lock is there and empty, and would be taken for a stale one. */
function tryCopy(from: string, to: string): boolean {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw explained(error, `take the lock ${to}`)
  }
}
