/** Thrown through the stages when the user pressed Ctrl-C: what was done is saved. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted')
    this.name = 'Interrupted'
  }
}

/** Exit status of a run that Ctrl-C ended with its state saved. */
export const INTERRUPTED_STATUS = 130

/**
 * Run work that Ctrl-C stops cleanly: the first one asks it to save and end, a second one ends the process at once. Says
 * how to go on.
 */
export async function interruptible(goOn: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) process.exit(INTERRUPTED_STATUS)
    console.error('\nStopping: finishing the step and saving. Ctrl-C again ends at once.')
    controller.abort(new Interrupted())
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  try {
    await work(controller.signal)
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    console.error(`Saved. Go on with: npx ${goOn}`)
    process.exitCode = INTERRUPTED_STATUS
  } finally {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
}
