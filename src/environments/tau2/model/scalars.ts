import { PyDate } from '../python/date.ts'
import { isNumber, type PyValue } from '../python/value.ts'
import type { Location, Problem } from './problems.ts'
import type { JsonSchema, Type } from './type.ts'

interface ScalarOptions<T extends PyValue> {
  label: string
  schema: JsonSchema
  isExact(value: PyValue): boolean
  /** The value, or the type and message of what is wrong. */
  read(value: PyValue): { value: T } | { type: string; message: string }
}

function scalar<T extends PyValue>({ label, schema, isExact, read }: ScalarOptions<T>): Type<T> {
  return {
    label,
    isNamed: false,
    isExact,
    schema: () => ({ ...schema }),
    read(input: PyValue, at: Location, problems: Problem[]): T | undefined {
      const result = read(input)
      if ('value' in result) return result.value
      problems.push({ at, type: result.type, message: result.message, input })
      return undefined
    },
  }
}

export const str: Type<string> = scalar<string>({
  label: 'str',
  schema: { type: 'string' },
  isExact: (value) => typeof value === 'string',
  read: (value) =>
    typeof value === 'string' ? { value } : { type: 'string_type', message: 'Input should be a valid string' },
})

const INTEGER_TEXT = /^\s*[-+]?\d+(?:_\d+)*(?:\.0+)?\s*$/

function integerOfText(text: string): bigint | undefined {
  if (!INTEGER_TEXT.test(text)) return undefined
  return BigInt(text.trim().replace(/_/g, '').replace(/^\+/, '').split('.')[0])
}

/** Whether a number is whole and within 64 bits: pydantic looks no further. */
function fits64(value: bigint | number): boolean {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63
}

export const int: Type<bigint> = scalar<bigint>({
  label: 'int',
  schema: { type: 'integer' },
  isExact: (value) => typeof value === 'bigint',
  read(value) {
    if (typeof value === 'bigint') return { value }
    if (typeof value === 'boolean') return { value: value ? 1n : 0n }
    if (typeof value === 'number') {
      if (fits64(value)) return { value: BigInt(value) }
      if (Number.isInteger(value)) {
        return {
          type: 'int_parsing_size',
          message: 'Unable to parse input string as an integer, exceeded maximum size',
        }
      }
      if (!Number.isFinite(value)) return { type: 'finite_number', message: 'Input should be a finite number' }
      const message = 'Input should be a valid integer, got a number with a fractional part'
      return { type: 'int_from_float', message }
    }
    if (typeof value !== 'string') return { type: 'int_type', message: 'Input should be a valid integer' }
    const number = integerOfText(value)
    if (number !== undefined) return { value: number }
    return {
      type: 'int_parsing',
      message: 'Input should be a valid integer, unable to parse string as an integer',
    }
  },
})

const FLOAT_TEXT = /^\s*[-+]?(?:\d+(?:_\d+)*\.?(?:\d+)?|\.\d+)(?:e[-+]?\d+)?\s*$/i
const SPECIAL_FLOAT = /^\s*([-+]?)(inf|infinity|nan)\s*$/i

function floatOfText(text: string): number | undefined {
  const special = SPECIAL_FLOAT.exec(text)
  if (special) {
    if (special[2].toLowerCase() === 'nan') return Number.NaN
    return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }
  return FLOAT_TEXT.test(text) ? Number(text.replace(/_/g, '')) : undefined
}

export const float: Type<number> = scalar<number>({
  label: 'float',
  schema: { type: 'number' },
  isExact: (value) => typeof value === 'number',
  read(value) {
    if (isNumber(value)) return { value: Number(value) }
    if (typeof value !== 'string') return { type: 'float_type', message: 'Input should be a valid number' }
    const number = floatOfText(value)
    if (number !== undefined) return { value: number }
    return { type: 'float_parsing', message: 'Input should be a valid number, unable to parse string as a number' }
  },
})

const TRUE_TEXTS = new Set(['1', 't', 'true', 'y', 'yes', 'on'])
const FALSE_TEXTS = new Set(['0', 'f', 'false', 'n', 'no', 'off'])

export const bool: Type<boolean> = scalar<boolean>({
  label: 'bool',
  schema: { type: 'boolean' },
  isExact: (value) => typeof value === 'boolean',
  read(value) {
    if (typeof value === 'boolean') return { value }
    if (value === 0n || value === 0) return { value: false }
    if (value === 1n || value === 1) return { value: true }
    if (typeof value === 'string') {
      const text = value.toLowerCase()
      if (TRUE_TEXTS.has(text)) return { value: true }
      if (FALSE_TEXTS.has(text)) return { value: false }
    }
    if (typeof value === 'string' || (isNumber(value) && fits64(value))) {
      return { type: 'bool_parsing', message: 'Input should be a valid boolean, unable to interpret input' }
    }
    return { type: 'bool_type', message: 'Input should be a valid boolean' }
  },
})

/** Anything at all, as it is. */
export const any: Type<PyValue> = scalar<PyValue>({
  label: 'any',
  schema: {},
  isExact: () => true,
  read: (value) => ({ value }),
})

function isDatetime(value: PyValue): value is PyDate {
  return value instanceof PyDate && value.hasTime
}

/** Dates come from the data alone, never from a tool's arguments: no other notation is read, nor all told that is wrong. */
export const date: Type<PyDate> = scalar<PyDate>({
  label: 'date',
  schema: { format: 'date', type: 'string' },
  isExact: (value) => value instanceof PyDate && !value.hasTime,
  read(value) {
    if (value instanceof PyDate && !value.hasTime) return { value }
    const text = isDatetime(value) ? value.iso : value
    if (typeof text !== 'string') return { type: 'date_type', message: 'Input should be a valid date' }
    const day = text.slice(0, 10)
    const rest = text.slice(10)
    if (PyDate.isDay(day) && (rest === '' || /^[T ]00:00(:00)?$/.test(rest))) return { value: PyDate.date(day) }
    if (PyDate.isDay(day) && /^[T ]\d\d:\d\d(:\d\d)?$/.test(rest)) {
      const message = 'Datetimes provided to dates should have zero time - e.g. be exact dates'
      return { type: 'date_from_datetime_inexact', message }
    }
    return {
      type: 'date_from_datetime_parsing',
      message: 'Input should be a valid date or datetime, input is too short',
    }
  },
})

export const datetime: Type<PyDate> = scalar<PyDate>({
  label: 'datetime',
  schema: { format: 'date-time', type: 'string' },
  isExact: isDatetime,
  read(value) {
    if (isDatetime(value)) return { value }
    if (value instanceof PyDate) return { value: PyDate.datetime(`${value.iso}T00:00:00`) }
    if (typeof value !== 'string') return { type: 'datetime_type', message: 'Input should be a valid datetime' }
    const match = /^(\d{4}-\d\d-\d\d)(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?)?$/.exec(value)
    if (match && PyDate.isDay(match[1])) {
      const [, day, hour = '00', minute = '00', second = '00'] = match
      return { value: PyDate.datetime(`${day}T${hour}:${minute}:${second}`) }
    }
    return {
      type: 'datetime_from_date_parsing',
      message: 'Input should be a valid datetime or date, input is too short',
    }
  },
})
