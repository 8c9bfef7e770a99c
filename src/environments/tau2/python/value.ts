import type { PyDate } from './date.ts'
import { PyError } from './errors.ts'

/** Under this key an instance's prototype names its model. */
export const MODEL: unique symbol = Symbol('model')

/** What the values of a program in Python need to know of a model: more is in `model.ts`. */
export interface ModelName {
  readonly name: string
}

/** An instance of a model: its own keys are the fields in declared order. */
export interface PyModel {
  readonly [MODEL]: ModelName
}

/** A dictionary from JSON. A Map, for an object of JavaScript puts keys that look like numbers first. */
export type PyDict = Map<string, PyValue>

/** A value as Python would hold it: `2n` is its int 2, `2` its float 2.0. */
export type PyValue = null | boolean | bigint | number | string | PyValue[] | PyDict | PyDate | PyModel

export function isDict(value: PyValue): value is PyDict {
  return value instanceof Map
}

export function isModel(value: PyValue): value is PyModel {
  return typeof value === 'object' && value !== null && MODEL in value
}

/** int, float or bool: what arithmetic takes. */
export function isNumber(value: PyValue): value is bigint | number | boolean {
  return typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean'
}

/** The fields of an instance, in declared order. */
export function fieldsOf(model: PyModel): [string, PyValue][] {
  return Object.entries(model as unknown as Record<string, PyValue>)
}

/** `type(value).__name__`. */
export function typeName(value: PyValue): string {
  if (value === null) return 'NoneType'
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'number':
      return 'float'
    case 'string':
      return 'str'
  }
  if (Array.isArray(value)) return 'list'
  if (isDict(value)) return 'dict'
  if (isModel(value)) return value[MODEL].name
  return value.hasTime ? 'datetime.datetime' : 'datetime.date'
}

/** `bool(value)`. */
export function isTruthy(value: PyValue): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (isDict(value)) return value.size > 0
  if (typeof value === 'number') return value !== 0
  return Boolean(value)
}

/** A bool as the int it is; other values as they are. */
export function withoutBool(value: PyValue): PyValue {
  return typeof value === 'boolean' ? (value ? 1n : 0n) : value
}

/** Whether two values are built alike, and `leaf` holds of what they are built of. */
function alike(left: PyValue, right: PyValue, leaf: (left: PyValue, right: PyValue) => boolean): boolean {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) {
    return leaf(left, right)
  }
  if (left === right) return true
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false
    return left.every((value, index) => alike(value, right[index], leaf))
  }
  if (isDict(left)) {
    if (!isDict(right) || left.size !== right.size) return false
    for (const [key, value] of left) {
      const other = right.get(key)
      if (other === undefined || !alike(value, other, leaf)) return false
    }
    return true
  }
  if (isModel(left)) {
    if (!isModel(right) || left[MODEL] !== right[MODEL]) return false
    const [mine, theirs] = [left, right] as unknown as Record<string, PyValue>[]
    for (const name in mine) if (!alike(mine[name], theirs[name], leaf)) return false
    return true
  }
  return !Array.isArray(right) && !isDict(right) && !isModel(right) && String(left) === String(right)
}

function equalLeaf(left: PyValue, right: PyValue): boolean {
  if (!isNumber(left) || !isNumber(right)) return left === right
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number are equal by value only under ==
  return withoutBool(left) == withoutBool(right)
}

/** `left == right`: numbers by value whatever their type, dictionaries in any order. */
export function equals(left: PyValue, right: PyValue): boolean {
  return alike(left, right, equalLeaf)
}

/** Equal, and of the same types all through: what a hash over the dump tells apart, as the sign of a float's zero. */
export function same(left: PyValue, right: PyValue): boolean {
  return alike(left, right, Object.is)
}

/** A deep copy; what cannot change is shared. */
export function clone<T extends PyValue>(value: T): T
export function clone(value: PyValue): PyValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(clone)
  if (isDict(value)) {
    const copy: PyDict = new Map()
    for (const [key, item] of value) copy.set(key, clone(item))
    return copy
  }
  if (!isModel(value)) return value
  const source = value as unknown as Record<string, PyValue>
  const copy: Record<string, PyValue> = Object.create(Object.getPrototypeOf(value))
  for (const name of Object.keys(source)) copy[name] = clone(source[name])
  return copy as unknown as PyModel
}

/** Makes a value and all in it unchangeable, as far as JavaScript can. */
export function freeze<T extends PyValue>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) value.forEach(freeze)
  else if (isDict(value)) for (const item of value.values()) freeze(item)
  else if (isModel(value)) for (const [, item] of fieldsOf(value)) freeze(item)
  return Object.freeze(value)
}

/**
 * A value as the key of a dictionary whose keys are all strings.
 * @returns the string, or undefined when the value can never be such a key
 * @throws PyError TypeError for a list or dictionary, which Python cannot look up
 */
export function asKey(value: PyValue): string | undefined {
  if (typeof value === 'string') return value
  if (Array.isArray(value) || isDict(value) || isModel(value)) {
    throw new PyError('TypeError', `unhashable type: '${typeName(value)}'`)
  }
  return undefined
}
