/** `Error: …`, `ValueError: …`, a Python traceback. */
const ERROR_TEXT = /^\s*(?:\w*(?:error|exception)(?::|\s*$)|traceback \()/i

/**
 * Whether a tool's result says that the call failed: a text that begins as errors do, or a JSON object with an `error` that
 * is not empty, or with `is_error` or `isError` set.
 */
export function isToolError(content: string): boolean {
  if (ERROR_TEXT.test(content)) return true
  if (!content.trimStart().startsWith('{')) return false
  try {
    const { error, is_error, isError } = JSON.parse(content) as Record<string, unknown>
    return Boolean(error) || is_error === true || isError === true
  } catch {
    return false
  }
}
