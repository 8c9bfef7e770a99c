/** The exceptions of Python that tools raise. */
export type PyErrorKind =
  | 'AssertionError'
  | 'AttributeError'
  | 'IndexError'
  | 'JSONDecodeError'
  | 'KeyError'
  | 'MemoryError'
  | 'OverflowError'
  | 'RecursionError'
  | 'SyntaxError'
  | 'TypeError'
  | 'ValidationError'
  | 'ValueError'
  | 'ZeroDivisionError'

/** An exception as Python would raise it: the message is what `str(exception)` gives. */
export class PyError extends Error {
  override readonly name = 'PyError'

  readonly kind: PyErrorKind

  constructor(kind: PyErrorKind, message: string) {
    // Half of all calls may end so: the stack, which nobody reads, would cost more than the call.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
    this.kind = kind
  }
}

/** What most tools raise: a ValueError in the domain's words. */
export function valueError(message: string): PyError {
  return new PyError('ValueError', message)
}
