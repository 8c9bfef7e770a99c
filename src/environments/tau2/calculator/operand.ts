import { add, multiply, subtract } from '../python/arithmetic.ts'
import { PyError } from '../python/errors.ts'
import { reprFloat, toFloat } from '../python/number.ts'

/** What a subexpression may be: beside numbers, what can be written with dots and parentheses. */
export type Operand = bigint | number | 'tuple' | 'ellipsis' | 'complex'

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '**'

type Num = bigint | number

/** An int with more bits than this cannot become the float every answer is, and would take forever. */
const MOST_BITS = 1_000_000

function isNum(value: Operand): value is Num {
  return typeof value === 'bigint' || typeof value === 'number'
}

function operandType(value: Operand): string {
  if (typeof value === 'bigint') return 'int'
  return typeof value === 'number' ? 'float' : value
}

/** `str(value)` of what was called. */
function shown(value: Operand): string {
  if (typeof value === 'number') return reprFloat(value)
  if (value === 'tuple') return '()'
  return value === 'ellipsis' ? 'Ellipsis' : String(value)
}

function divideByZero(message: string): PyError {
  return new PyError('ZeroDivisionError', message)
}

function divide(left: Num, right: Num): Num {
  if (typeof left !== 'bigint' || typeof right !== 'bigint') {
    const [a, b] = [toFloat(left), toFloat(right)]
    if (b === 0) throw divideByZero('float division by zero')
    return a / b
  }
  if (right === 0n) throw divideByZero('division by zero')
  const [a, b] = [Number(left), Number(right)]
  if (Number.isSafeInteger(a) && Number.isSafeInteger(b)) return a / b
  const quotient = roundedQuotient(left, right)
  if (Number.isFinite(quotient)) return quotient
  throw new PyError('OverflowError', 'integer division result too large for a float')
}

/**
 * The quotient of two ints, rounded once: enough bits are kept, and the last one says whether any were lost.
 * Infinite beyond the floats.
 */
function roundedQuotient(left: bigint, right: bigint): number {
  const negative = left < 0n !== right < 0n
  const [a, b] = [left < 0n ? -left : left, right < 0n ? -right : right]
  const shift = 66 - (a.toString(2).length - b.toString(2).length)
  const [top, bottom] = shift > 0 ? [a << BigInt(shift), b] : [a, b << BigInt(-shift)]
  const quotient = (top / bottom) | (top % bottom === 0n ? 0n : 1n)
  // In two steps, for one power of two may be beyond the range while the product is not.
  const half = Math.trunc(shift / 2)
  const value = Number(quotient) / 2 ** half / 2 ** (shift - half)
  return negative ? -value : value
}

function floorDivide(left: Num, right: Num): Num {
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    if (right === 0n) throw divideByZero('integer division or modulo by zero')
    const quotient = left / right
    return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient
  }
  const [a, b] = [toFloat(left), toFloat(right)]
  if (b === 0) throw divideByZero('float floor division by zero')
  const rest = a % b
  let quotient = (a - rest) / b
  if (rest !== 0 && b < 0 !== rest < 0) quotient -= 1
  if (quotient === 0) return a / b < 0 || Object.is(a / b, -0) ? -0 : 0
  const floor = Math.floor(quotient)
  return quotient - floor > 0.5 ? floor + 1 : floor
}

/** Largest exponent of a power that is computed exactly, and most digits after the binary point of its base. */
const MOST_EXACT = 1024
const MOST_DIGITS = 256

/**
 * A power of floats. Whole exponents are computed exactly and rounded once, as the C library does all but always.
 * JavaScript's own power, which other exponents get, may be off by one in the seventeenth digit.
 */
function raise(base: number, exponent: number): number {
  if (exponent === 0.5 && base >= 0) return Math.sqrt(base)
  const isExact = Number.isInteger(exponent) && Math.abs(exponent) <= MOST_EXACT && Number.isFinite(base) && base !== 0
  if (!isExact) return base ** exponent
  let [digits, scale] = [base, 0]
  while (!Number.isInteger(digits)) {
    digits *= 2
    scale--
  }
  if (scale < -MOST_DIGITS) return base ** exponent
  const times = BigInt(Math.abs(exponent))
  const [top, bottom] = [BigInt(digits) ** times, 1n << (BigInt(-scale) * times)]
  return exponent > 0 ? roundedQuotient(top, bottom) : roundedQuotient(bottom, top)
}

function power(left: Num, right: Num): Operand {
  if (typeof left === 'bigint' && typeof right === 'bigint' && right >= 0n) {
    const bits = BigInt((left < 0n ? -left : left).toString(2).length - 1) * right
    if (bits > MOST_BITS) throw new PyError('OverflowError', 'int too large to convert to float')
    return left ** right
  }
  const [a, b] = [toFloat(left), toFloat(right)]
  if (a === 1 || (a === -1 && !Number.isFinite(b) && !Number.isNaN(b))) return 1
  if (a === 0 && b < 0) throw divideByZero('0.0 cannot be raised to a negative power')
  if (a < 0 && Number.isFinite(a) && Number.isFinite(b) && !Number.isInteger(b)) return 'complex'
  const result = raise(a, b)
  if (!Number.isFinite(result) && Number.isFinite(a) && Number.isFinite(b)) {
    throw new PyError('OverflowError', "(34, 'Numerical result out of range')")
  }
  return result
}

function calculate(operator: BinaryOperator, left: Num, right: Num): Operand {
  if (operator === '/') return divide(left, right)
  if (operator === '//') return floorDivide(left, right)
  if (operator === '**') return power(left, right)
  if (operator === '-') return subtract(left, right)
  return (operator === '*' ? multiply(left, right) : add(left, right)) as Num
}

/**
 * `left operator right`.
 * @throws PyError as Python does: division by zero, overflow, operands that do not fit
 */
export function binary(operator: BinaryOperator, left: Operand, right: Operand): Operand {
  if (isNum(left) && isNum(right)) return calculate(operator, left, right)
  const types = [operandType(left), operandType(right)]
  if (operator === '*' && types.includes('tuple')) {
    const times = left === 'tuple' ? right : left
    if (typeof times === 'bigint') {
      if (BigInt.asIntN(64, times) === times) return 'tuple'
      throw new PyError('OverflowError', "cannot fit 'int' into an index-sized integer")
    }
    throw new PyError('TypeError', `can't multiply sequence by non-int of type '${operandType(times)}'`)
  }
  if (operator === '+' && left === 'tuple') {
    if (right === 'tuple') return 'tuple'
    throw new PyError('TypeError', `can only concatenate tuple (not "${types[1]}") to tuple`)
  }
  if (operator !== '//' && types.every((type) => type === 'complex' || type === 'int' || type === 'float')) {
    if (operator === '/' && isNum(right) && Number(right) === 0) throw divideByZero('complex division by zero')
    return 'complex'
  }
  const name = operator === '**' ? '** or pow()' : operator
  throw new PyError('TypeError', `unsupported operand type(s) for ${name}: '${types[0]}' and '${types[1]}'`)
}

/**
 * `+value` or `-value`.
 * @throws PyError TypeError for what is no number
 */
export function unary(operator: '+' | '-', value: Operand): Operand {
  if (isNum(value)) return operator === '-' ? -value : value
  if (value === 'complex') return value
  throw new PyError('TypeError', `bad operand type for unary ${operator}: '${value}'`)
}

/** What comes of calling a value, which none of these allows. */
export function called(value: Operand, spread: '' | '*' | '**', argument: Operand | undefined): PyError {
  if (spread === '*' && argument !== undefined && argument !== 'tuple') {
    const type = operandType(argument)
    return new PyError('TypeError', `${shown(value)} argument after * must be an iterable, not ${type}`)
  }
  if (spread === '**' && argument !== undefined) {
    const type = operandType(argument)
    return new PyError('TypeError', `${shown(value)} argument after ** must be a mapping, not ${type}`)
  }
  return new PyError('TypeError', `'${operandType(value)}' object is not callable`)
}

/**
 * `float(value)`.
 * @throws PyError for what is no real number, or an int beyond every float
 */
export function asFloat(value: Operand): number {
  if (isNum(value)) return toFloat(value)
  throw new PyError('TypeError', `float() argument must be a string or a real number, not '${value}'`)
}
