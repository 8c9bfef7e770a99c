import { INTERRUPTED_STATUS } from './interrupt.ts'

/**
 * Waits for Ctrl-C and closes a server: the first lets open requests finish for a moment, a second one ends the process at once.
 * @returns what closing does: whether nothing was cut off
 */
export async function untilStopped(close: () => Promise<boolean>, open: () => number, what: string): Promise<boolean> {
  await new Promise<void>((resolve) => {
    let stopping = false
    const stop = () => {
      if (stopping) process.exit(INTERRUPTED_STATUS)
      stopping = true
      const count = open()
      console.error(count === 0 ? '\nStopping.' : `\nStopping: ${count} open ${what}. Ctrl-C again ends at once.`)
      resolve()
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
  return close()
}
