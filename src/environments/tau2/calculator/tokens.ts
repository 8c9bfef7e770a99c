import { PyError } from '../python/errors.ts'

export interface Token {
  kind: 'number' | 'ellipsis' | 'operator' | 'end'
  text: string
  /** Open parentheses after this token. */
  level: number
}

/** @param line Python counts none in an empty text */
export function syntaxError(message: string, line = 1): PyError {
  return new PyError('SyntaxError', `${message} (<string>, line ${line})`)
}

const TOKEN = / *(?:(?<number>\d+\.?\d*|\.\d+)|(?<ellipsis>\.\.\.)|(?<operator>\*\*|\/\/|[-+*/().]))/y

/** Python's limit. */
const MOST_NESTED = 200

/**
 * Tokens of a text that holds only digits, operators, parentheses, dots and spaces; the last is the end.
 * @throws PyError SyntaxError for an octal-looking int and for parentheses that do not match
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  let level = 0
  TOKEN.lastIndex = 0
  for (;;) {
    const match = TOKEN.exec(text)
    if (!match) break
    const { number, ellipsis, operator } = match.groups as Record<string, string | undefined>
    if (number !== undefined && /^0+[1-9]\d*$/.test(number)) {
      throw syntaxError(
        'leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers',
      )
    }
    if (operator === '(' && ++level > MOST_NESTED) throw syntaxError('too many nested parentheses')
    if (operator === ')' && --level < 0) throw syntaxError("unmatched ')'")
    if (number !== undefined) tokens.push({ kind: 'number', text: number, level })
    else if (ellipsis !== undefined) tokens.push({ kind: 'ellipsis', text: ellipsis, level })
    else tokens.push({ kind: 'operator', text: operator as string, level })
  }
  tokens.push({ kind: 'end', text: '', level })
  return tokens
}
