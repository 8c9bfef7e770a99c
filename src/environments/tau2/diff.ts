import { dump } from './model.ts'
import { compareText } from './python/arithmetic.ts'
import { fieldsOf, isDict, isModel, type PyValue, same } from './python/value.ts'

/** One change of a database: where, as a JSON pointer, and the new value as `model_dump()` gives it. */
export interface Change {
  op: 'add' | 'remove' | 'replace'
  path: string
  value?: PyValue
}

/** A key as a step of a JSON pointer. */
export function pointerStep(key: string): string {
  return `/${key.replace(/~/g, '~0').replace(/\//g, '~1')}`
}

function entriesOf(value: PyValue): Map<string, PyValue> | undefined {
  if (isDict(value)) return value
  return isModel(value) ? new Map(fieldsOf(value)) : undefined
}

/**
 * What changed from one value to another, dictionaries by sorted key.
 * Lists of one length are compared item by item, others are replaced whole; types count (`2` is not `2.0`).
 */
export function diff(before: PyValue, after: PyValue, path = ''): Change[] {
  const old = entriesOf(before)
  const now = entriesOf(after)
  if (old && now) {
    const keys = [...new Set([...old.keys(), ...now.keys()])].sort(compareText)
    return keys.flatMap((key): Change[] => {
      const at = path + pointerStep(key)
      const was = old.get(key)
      const is = now.get(key)
      if (is === undefined) return [{ op: 'remove', path: at }]
      if (was === undefined) return [{ op: 'add', path: at, value: dump(is) }]
      return diff(was, is, at)
    })
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item, index) => diff(item, after[index], `${path}/${index}`))
  }
  return same(before, after) ? [] : [{ op: 'replace', path, value: dump(after) }]
}
