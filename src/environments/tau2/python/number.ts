import { PyError } from './errors.ts'
import { fieldsOf, isDict, isModel, MODEL, type PyValue, typeName, withoutBool } from './value.ts'

/** `repr` of a float: the shortest digits that give it back, with an exponent below 1e-4 and from 1e16 on. */
export function reprFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (Object.is(value, -0)) return '-0.0'
  const size = Math.abs(value)
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [digits, exponent] = value.toExponential().split('e')
    const sign = exponent[0]
    return `${digits}e${sign}${exponent.slice(1).padStart(2, '0')}`
  }
  const text = String(value)
  return Number.isInteger(value) ? `${text}.0` : text
}

/** Digits after the point as the exact binary value has them, a tie going to the even digit. */
function fixedDigits(value: number, digits: number): string {
  const size = Math.abs(value)
  // No double so large has digits after the point, and toFixed would write an exponent.
  if (size >= 1e21) return `${BigInt(size)}${digits > 0 ? `.${'0'.repeat(digits)}` : ''}`
  const text = size.toFixed(digits)
  if (!Number.isInteger(size * 10 ** (digits + 1))) return text
  const shown = Math.min(100, digits + 30)
  const exact = size.toFixed(shown)
  const cut = exact.length - (shown - digits)
  const rest = exact.slice(cut)
  const isTie = /^\.?50*$/.test(rest)
  if (!isTie) return text
  const down = exact.slice(0, cut).replace(/\.$/, '')
  // toFixed takes the larger neighbour of a tie; the even one ends in an even digit.
  return Number(down[down.length - 1]) % 2 === 0 ? down : text
}

/**
 * `round(value, digits)` of a float: correctly rounded from the exact value, ties to even.
 * @param digits from 0 up
 */
export function roundFloat(value: number, digits: number): number {
  if (!Number.isFinite(value) || value === 0) return value
  const size = Number(fixedDigits(value, digits))
  return value < 0 ? -size : size
}

/**
 * `round(value, digits)`: an int stays one.
 * @throws PyError TypeError for what is no number
 */
export function round(value: PyValue, digits: number): bigint | number {
  const number = withoutBool(value)
  if (typeof number === 'bigint') return number
  if (typeof number === 'number') return roundFloat(number, digits)
  throw new PyError('TypeError', `type ${typeName(value)} doesn't define __round__ method`)
}

/**
 * `f"{value:.2f}"` with that many digits.
 * @throws PyError as Python does for what is no number
 */
export function formatFixed(value: PyValue, digits: number): string {
  const number = withoutBool(value)
  if (typeof number === 'string') {
    throw new PyError('ValueError', "Unknown format code 'f' for object of type 'str'")
  }
  if (typeof number !== 'bigint' && typeof number !== 'number') {
    throw new PyError('TypeError', `unsupported format string passed to ${typeName(value)}.__format__`)
  }
  const float = toFloat(number)
  if (Number.isNaN(float)) return 'nan'
  if (!Number.isFinite(float)) return float > 0 ? 'inf' : '-inf'
  const negative = float < 0 || Object.is(float, -0)
  return `${negative ? '-' : ''}${fixedDigits(float, digits)}`
}

/**
 * `float(value)` of an int or float.
 * @throws PyError OverflowError for an int beyond every float
 */
export function toFloat(value: bigint | number): number {
  if (typeof value === 'number') return value
  const float = Number(value)
  if (Number.isFinite(float)) return float
  throw new PyError('OverflowError', 'int too large to convert to float')
}

const ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' }

/** What Python does not print as it is: all but the space of the categories Other and Separator. */
const UNPRINTABLE = /[\p{C}\p{Z}]/u

function escapeCharacter(character: string): string {
  const short = ESCAPES[character]
  if (short) return short
  if (character === ' ' || !UNPRINTABLE.test(character)) return character
  const code = character.codePointAt(0)!
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`
  return `\\U${code.toString(16).padStart(8, '0')}`
}

function reprString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  let inner = ''
  for (const character of text) inner += character === quote ? `\\${quote}` : escapeCharacter(character)
  return quote + inner + quote
}

/** `repr(value)`. */
export function repr(value: PyValue): string {
  if (value === null) return 'None'
  switch (typeof value) {
    case 'boolean':
      return value ? 'True' : 'False'
    case 'bigint':
      return String(value)
    case 'number':
      return reprFloat(value)
    case 'string':
      return reprString(value)
  }
  if (Array.isArray(value)) return `[${value.map(repr).join(', ')}]`
  if (isDict(value)) return `{${[...value].map(([key, item]) => `${repr(key)}: ${repr(item)}`).join(', ')}}`
  if (isModel(value)) {
    return `${value[MODEL].name}(${fieldsOf(value)
      .map(([name, item]) => `${name}=${repr(item)}`)
      .join(', ')})`
  }
  const parts = value.iso.split(/[-T:]/).map(Number)
  if (!value.hasTime) return `datetime.date(${parts.join(', ')})`
  // Seconds of zero are left out.
  return `datetime.datetime(${(parts[5] === 0 ? parts.slice(0, 5) : parts).join(', ')})`
}

/** `str(value)`, which is also what an f-string shows. */
export function str(value: PyValue): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isDict(value)) return repr(value)
  if (isModel(value)) {
    return fieldsOf(value)
      .map(([name, item]) => `${name}=${repr(item)}`)
      .join(' ')
  }
  return value.toString()
}
