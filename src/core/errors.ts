import { withoutSecrets } from './secrets.ts'

/** A failure whose one line tells the user what went wrong, where, and what to do. Shown without a stack trace, and without keys. */
export class UserError extends Error {
  /** Process exit code: 1 failed, 2 bad usage. */
  readonly exitCode: 1 | 2
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(withoutSecrets(message))
    this.name = 'UserError'
    this.exitCode = exitCode
  }
}
