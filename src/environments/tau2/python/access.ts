import { PyError } from './errors.ts'
import { repr } from './number.ts'
import { asKey, equals, fieldsOf, isDict, isModel, type PyValue, typeName } from './value.ts'

/**
 * `iter(value)`: items of a list, keys of a dictionary, characters of a string.
 * @throws PyError TypeError "'NoneType' object is not iterable"
 */
export function iterate(value: PyValue): PyValue[] {
  if (Array.isArray(value)) return value
  if (typeof value === 'string') return [...value]
  if (isDict(value)) return [...value.keys()]
  // An instance gives its fields as pairs.
  if (isModel(value)) return fieldsOf(value)
  throw new PyError('TypeError', `'${typeName(value)}' object is not iterable`)
}

/**
 * `len(value)`.
 * @throws PyError TypeError "object of type 'NoneType' has no len()"
 */
export function length(value: PyValue): number {
  if (Array.isArray(value)) return value.length
  if (typeof value === 'string') return [...value].length
  if (isDict(value)) return value.size
  throw new PyError('TypeError', `object of type '${typeName(value)}' has no len()`)
}

/**
 * `map.get(key)` for any key: undefined when it is not there.
 * @throws PyError TypeError for a key Python cannot look up
 */
export function valueAt<T>(map: ReadonlyMap<string, T>, key: PyValue): T | undefined {
  const name = asKey(key)
  return name === undefined ? undefined : map.get(name)
}

/**
 * `map[key]`.
 * @throws PyError KeyError, or TypeError for a key Python cannot look up
 */
export function itemAt<T>(map: ReadonlyMap<string, T>, key: PyValue): T {
  const value = valueAt(map, key)
  if (value === undefined) throw new PyError('KeyError', repr(key))
  return value
}

/**
 * `value.name`, of a field.
 * @throws PyError AttributeError "'dict' object has no attribute 'name'"
 */
export function attributeOf(value: PyValue, name: string): PyValue {
  if (isModel(value) && Object.hasOwn(value, name)) return (value as unknown as Record<string, PyValue>)[name]
  throw noAttribute(value, name)
}

/** What Python says of an attribute or method that a value of this type lacks. */
export function noAttribute(value: PyValue, name: string): PyError {
  return new PyError('AttributeError', `'${typeName(value)}' object has no attribute '${name}'`)
}

/**
 * The string a string's method is called on.
 * @throws PyError AttributeError "'NoneType' object has no attribute 'lower'"
 */
export function stringFor(value: PyValue, method: string): string {
  if (typeof value === 'string') return value
  throw noAttribute(value, method)
}

/**
 * `value.count(item)` of a list or string.
 * @throws PyError AttributeError, or TypeError for something else than text counted in text
 */
export function count(value: PyValue, item: PyValue): number {
  if (Array.isArray(value)) {
    let found = 0
    for (const one of value) if (equals(one, item)) found++
    return found
  }
  const text = stringFor(value, 'count')
  if (typeof item !== 'string') throw new PyError('TypeError', `must be str, not ${typeName(item)}`)
  // Between and around all characters there is room for an empty text.
  return item === '' ? length(text) + 1 : text.split(item).length - 1
}

/**
 * `key in value`.
 * @throws PyError TypeError for what can neither be searched nor looked up
 */
export function contains(value: PyValue, key: PyValue): boolean {
  if (Array.isArray(value)) return value.some((one) => equals(one, key))
  if (isDict(value)) {
    const name = asKey(key)
    return name !== undefined && value.has(name)
  }
  if (typeof value === 'string') {
    if (typeof key === 'string') return value.includes(key)
    throw new PyError('TypeError', `'in <string>' requires string as left operand, not ${typeName(key)}`)
  }
  throw new PyError('TypeError', `argument of type '${typeName(value)}' is not iterable`)
}
