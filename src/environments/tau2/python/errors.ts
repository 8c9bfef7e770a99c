/** The exceptions of Python that tools raise. */
export type PyErrorKind =
  | 'AssertionError'
  | 'AttributeError'
  | 'IndexError'
  | 'JSONDecodeError'
  | 'KeyError'
  | 'MemoryError'
  | 'OverflowError'
  | 'SyntaxError'
  | 'TypeError'
  | 'ValidationError'
  | 'ValueError'
  | 'ZeroDivisionError'

/** An exception as Python would raise it: the message is what `str(exception)` gives. */
export class PyError extends Error {
  override readonly name = 'PyError'

  constructor(
    readonly kind: PyErrorKind,
    message: string,
  ) {
    super(message)
  }
}

/** What most tools raise: a ValueError in the domain's words. */
export function valueError(message: string): PyError {
  return new PyError('ValueError', message)
}
