import { readFileSync } from 'node:fs'

/**
 * Boot and start time of a process, which tell it from a later one with the same number. Counted by the kernel since boot:
 * setting the clock does not change it. Null where the system does not say (only Linux does).
 */
export function processStart(pid: number): string | null {
  return readStat(pid)?.start ?? null
}

/**
 * Whether a process still runs, and is the one that had this start. One that was killed but not yet reaped by its parent does
 * not run; one that is stopped does.
 */
export function isRunning(pid: number, start: string | null): boolean {
  const now = readStat(pid)
  if (now) return !'ZX'.includes(now.state) && (start === null || now.start === start)
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's process cannot be signalled, but it is there.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function readStat(pid: number): { state: string; start: string } | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // After the name in parentheses, which may hold spaces: the state, and 19 fields later the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0], start: `${boot} ${fields[19]}` }
  } catch {
    return null
  }
}
