import { PyDate } from './date.ts'
import { PyError } from './errors.ts'
import { toFloat } from './number.ts'
import { isNumber, type PyValue, typeName, withoutBool } from './value.ts'

type Num = bigint | number

/** How Python names a failed operation: with "=" it was an augmented assignment. */
function unsupported(operator: string, left: PyValue, right: PyValue): PyError {
  return new PyError(
    'TypeError',
    `unsupported operand type(s) for ${operator}: '${typeName(left)}' and '${typeName(right)}'`,
  )
}

function numbers(operator: string, left: PyValue, right: PyValue): [Num, Num] {
  if (!isNumber(left) || !isNumber(right)) throw unsupported(operator, left, right)
  return [withoutBool(left) as Num, withoutBool(right) as Num]
}

/**
 * `left + right`, of numbers, strings or lists.
 * @param operator '+=' for an augmented assignment, which Python names so in its error
 */
export function add(left: PyValue, right: PyValue, operator: '+' | '+=' = '+'): PyValue {
  if (typeof left === 'string') {
    if (typeof right === 'string') return left + right
    throw new PyError('TypeError', `can only concatenate str (not "${typeName(right)}") to str`)
  }
  if (Array.isArray(left)) {
    if (Array.isArray(right)) return [...left, ...right]
    throw new PyError('TypeError', `can only concatenate list (not "${typeName(right)}") to list`)
  }
  const [a, b] = numbers(operator, left, right)
  if (typeof a === 'bigint' && typeof b === 'bigint') return a + b
  return toFloat(a) + toFloat(b)
}

/** `left - right`. */
export function subtract(left: PyValue, right: PyValue, operator: '-' | '-=' = '-'): Num {
  const [a, b] = numbers(operator, left, right)
  if (typeof a === 'bigint' && typeof b === 'bigint') return a - b
  return toFloat(a) - toFloat(b)
}

/** Longer text than this is no answer to anyone. */
const LONGEST_REPEAT = 10_000_000n

/** `left * right`; a string or list times an int is repeated. */
export function multiply(left: PyValue, right: PyValue): PyValue {
  for (const [sequence, times] of [
    [left, right],
    [right, left],
  ] as const) {
    if (typeof sequence !== 'string' && !Array.isArray(sequence)) continue
    const count = withoutBool(times)
    if (typeof count !== 'bigint') {
      throw new PyError('TypeError', `can't multiply sequence by non-int of type '${typeName(times)}'`)
    }
    if (BigInt.asIntN(64, count) !== count) {
      throw new PyError('OverflowError', "cannot fit 'int' into an index-sized integer")
    }
    if (count * BigInt(sequence.length) > LONGEST_REPEAT) throw new PyError('MemoryError', '')
    const repeats = count < 0n ? 0 : Number(count)
    if (typeof sequence === 'string') return sequence.repeat(repeats)
    return Array.from({ length: repeats }, () => sequence).flat()
  }
  const [a, b] = numbers('*', left, right)
  if (typeof a === 'bigint' && typeof b === 'bigint') return a * b
  return toFloat(a) * toFloat(b)
}

/** `abs(value)`. */
export function absolute(value: PyValue): Num {
  if (!isNumber(value)) throw new PyError('TypeError', `bad operand type for abs(): '${typeName(value)}'`)
  const number = withoutBool(value) as Num
  if (typeof number === 'bigint') return number < 0n ? -number : number
  return Math.abs(number)
}

/** Order of two strings by code points, as Python has it; UTF-16 differs beyond the basic plane. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    let a = left.charCodeAt(index)
    let b = right.charCodeAt(index)
    if (a === b) continue
    // A surrogate stands for a code point above all others.
    if (a >= 0xd800 && a < 0xe000) a += 0x10000
    if (b >= 0xd800 && b < 0xe000) b += 0x10000
    return a - b
  }
  return left.length - right.length
}

/** Order of two entries of a dictionary by their keys, as `sort_keys` has it. */
export function compareKeys([left]: readonly [string, ...unknown[]], [right]: readonly [string, ...unknown[]]): number {
  return compareText(left, right)
}

/**
 * Order of two values: below zero when `left < right`; NaN when neither is less, equal or greater.
 * @param operator named in the error when they have no order
 * @throws PyError TypeError
 */
export function compare(left: PyValue, right: PyValue, operator: '<' | '<=' | '>' | '>=' = '<'): number {
  if (isNumber(left) && isNumber(right)) {
    const a = withoutBool(left) as Num
    const b = withoutBool(right) as Num
    if (a < b) return -1
    if (a > b) return 1
    return Number.isNaN(Number(a)) || Number.isNaN(Number(b)) ? Number.NaN : 0
  }
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right)
  if (Array.isArray(left) && Array.isArray(right)) {
    for (let index = 0; index < Math.min(left.length, right.length); index++) {
      const order = compare(left[index], right[index], operator)
      if (order !== 0) return order
    }
    return left.length - right.length
  }
  if (left instanceof PyDate && right instanceof PyDate && left.hasTime === right.hasTime) {
    return compareText(left.iso, right.iso)
  }
  throw new PyError(
    'TypeError',
    `'${operator}' not supported between instances of '${typeName(left)}' and '${typeName(right)}'`,
  )
}

/** `sum(values)`: from the int 0 on, so that an empty sum is an int. */
export function sum(values: Iterable<PyValue>): PyValue {
  let total: PyValue = 0n
  for (const value of values) total = add(total, value)
  return total
}

/** `sorted(values)`. */
export function sorted(values: Iterable<PyValue>): PyValue[] {
  return [...values].sort((left, right) => compare(left, right))
}
