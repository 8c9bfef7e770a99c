import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { z } from 'zod'
import { UserError } from '../core/index.ts'

const holderSchema = z.object({
  pid: z.int(),
  host: z.string(),
  /** When the lock was taken, ISO 8601. */
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
 * Takes the lock at `path`. If a living process holds it, or one on another machine, a `UserError` names it. The lock of
 * a process that died is stale and is taken over.
 */
export function acquireLock(path: string): RunLock {
  const holder: LockHolder = {
    pid: process.pid,
    host: hostname(),
    since: new Date().toISOString(),
    process: processIdentity(process.pid),
  }
  const mine = `${path}.${process.pid}.tmp`
  writeFileSync(mine, JSON.stringify(holder))
  try {
    // A link appears with its content or not at all, and never replaces another.
    if (!tryLink(mine, path)) {
      removeStale(path)
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

function removeStale(path: string): void {
  const found = readHolder(path)
  if (found && isAlive(found)) throw new UserError(inUse(path, found))
  // Renaming makes sure that two processes that both saw a dead holder do not delete each other's new lock.
  const aside = `${path}.${process.pid}.stale.tmp`
  try {
    renameSync(path, aside)
  } catch {
    return
  }
  const moved = readHolder(aside)
  if (moved && isAlive(moved)) {
    tryLink(aside, path)
    rmSync(aside, { force: true })
    throw new UserError(inUse(path, moved))
  }
  rmSync(aside, { force: true })
}

function inUse(path: string, holder: LockHolder): string {
  const here = holder.host === hostname()
  const advice = here ? 'wait for it or stop it' : `stop it there, or delete ${path} if it is gone`
  return `the run folder is in use by process ${holder.pid} on ${holder.host} since ${holder.since}: ${advice}`
}

function isAlive(holder: LockHolder): boolean {
  if (holder.host !== hostname()) return true
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    // Another user's process cannot be signalled, but it is there.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const now = processIdentity(holder.pid)
  return now === null || holder.process === null || now === holder.process
}

/** Boot and start time of a process, on Linux. */
function processIdentity(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold spaces; the start time is the 20th field after it.
    return `${boot} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`
  } catch {
    return null
  }
}

function readHolder(path: string): LockHolder | null {
  try {
    return holderSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return null
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
