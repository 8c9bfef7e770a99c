import { evaluate } from './calculator/parser.ts'
import { contains, iterate } from './python/access.ts'
import { PyError, valueError } from './python/errors.ts'
import { reprFloat, roundFloat } from './python/number.ts'
import type { PyValue } from './python/value.ts'

const ALLOWED = '0123456789+-*/(). '

/**
 * The tool `calculate` of the retail and airline domains: a sum as Python evaluates it, rounded to two digits.
 * @throws PyError in Python's words
 */
export function calculate(expression: PyValue): string {
  for (const character of iterate(expression)) {
    if (!contains(ALLOWED, character)) throw valueError('Invalid characters in expression')
  }
  if (typeof expression !== 'string') {
    throw new PyError('TypeError', 'eval() arg 1 must be a string, bytes or code object')
  }
  return reprFloat(roundFloat(evaluate(expression), 2))
}
