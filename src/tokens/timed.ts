import { Script } from 'node:vm'
import { UserError } from '../core/index.ts'

/**
 * `vm` for its clock: the only way to end what does not end by itself. The script is this constant, and runs where everything else
 * does; nothing is shut in.
 */
const SCRIPT = new Script('globalThis[Symbol.for("rwml.timed")]()')
const WORK = Symbol.for('rwml.timed')

/** Does `work`, and ends it after so many seconds. @throws UserError: `late`, or what `work` throws */
export function timed<T>(work: () => T, seconds: number, late: string): T {
  const place = globalThis as { [WORK]?: () => T }
  const outer = place[WORK]
  place[WORK] = work
  try {
    return SCRIPT.runInThisContext({ timeout: seconds * 1000 }) as T
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw new UserError(late)
  } finally {
    place[WORK] = outer
  }
}
