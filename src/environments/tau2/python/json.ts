import { compareKeys } from './arithmetic.ts'
import { PyError } from './errors.ts'
import { reprFloat } from './number.ts'
import { fieldsOf, isDict, isModel, type PyDict, type PyValue } from './value.ts'

/** Deeper nesting than this is refused, as Python's own recursion limit does. */
const DEEPEST = 900

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y
const BLANK = /[ \t\n\r]*/y
/** A run of characters that stand for themselves: all but quotes, backslashes and controls. */
const PLAIN = /[ !#-[\]-\uffff]*/y

const LETTERS: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', '/': '/' }

const WORDS: [string, PyValue][] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]

/** Reads JSON as Python does: `2` and `2.0` differ, a later key replaces an earlier one, NaN and Infinity pass. */
class Reader {
  #at = 0

  constructor(readonly text: string) {}

  document(): PyValue {
    this.#blank()
    const value = this.#value(0)
    this.#blank()
    if (this.#at < this.text.length) throw this.#error('Extra data')
    return value
  }

  #error(message: string, at = this.#at): PyError {
    const lines = this.text.slice(0, at).split('\n')
    const column = lines[lines.length - 1].length + 1
    return new PyError('JSONDecodeError', `${message}: line ${lines.length} column ${column} (char ${at})`)
  }

  #blank(): void {
    const code = this.text.charCodeAt(this.#at)
    if (code > 32) return
    BLANK.lastIndex = this.#at
    BLANK.test(this.text)
    this.#at = BLANK.lastIndex
  }

  #value(depth: number): PyValue {
    if (depth > DEEPEST) throw this.#error('Too deeply nested')
    const first = this.text[this.#at]
    if (first === '"') return this.#string()
    if (first === '{') return this.#object(depth)
    if (first === '[') return this.#array(depth)
    for (const [word, value] of WORDS) {
      if (first !== word[0] || !this.text.startsWith(word, this.#at)) continue
      this.#at += word.length
      return value
    }
    return this.#number()
  }

  #number(): bigint | number {
    NUMBER.lastIndex = this.#at
    const match = NUMBER.exec(this.text)
    if (!match) throw this.#error('Expecting value')
    this.#at = NUMBER.lastIndex
    return match[1] === undefined && match[2] === undefined ? BigInt(match[0]) : Number(match[0])
  }

  #string(): string {
    const start = this.#at++
    let result = ''
    for (;;) {
      PLAIN.lastIndex = this.#at
      PLAIN.test(this.text)
      const plain = this.text.slice(this.#at, PLAIN.lastIndex)
      this.#at = PLAIN.lastIndex
      const next = this.text[this.#at]
      if (next === '"') {
        this.#at++
        return result === '' ? plain : result + plain
      }
      if (next === undefined) throw this.#error('Unterminated string starting at', start)
      if (next !== '\\') throw this.#error('Invalid control character at')
      result += plain + this.#escape(start)
    }
  }

  #escape(start: number): string {
    const letter = this.text[this.#at + 1]
    if (letter === undefined) throw this.#error('Unterminated string starting at', start)
    if (letter === 'u') {
      const digits = this.text.slice(this.#at + 2, this.#at + 6)
      if (!/^[\da-fA-F]{4}$/.test(digits)) throw this.#error('Invalid \\uXXXX escape', this.#at + 1)
      this.#at += 6
      return String.fromCharCode(Number.parseInt(digits, 16))
    }
    const character = LETTERS[letter]
    if (character === undefined) throw this.#error('Invalid \\escape')
    this.#at += 2
    return character
  }

  #array(depth: number): PyValue[] {
    const items: PyValue[] = []
    this.#at++
    this.#blank()
    if (this.text[this.#at] === ']') {
      this.#at++
      return items
    }
    for (;;) {
      items.push(this.#value(depth + 1))
      if (this.#ends(']')) return items
    }
  }

  #object(depth: number): PyDict {
    const dict: PyDict = new Map()
    this.#at++
    this.#blank()
    if (this.text[this.#at] === '}') {
      this.#at++
      return dict
    }
    for (;;) {
      if (this.text[this.#at] !== '"') throw this.#error('Expecting property name enclosed in double quotes')
      const key = this.#string()
      this.#blank()
      if (this.text[this.#at] !== ':') throw this.#error("Expecting ':' delimiter")
      this.#at++
      this.#blank()
      dict.set(key, this.#value(depth + 1))
      if (this.#ends('}')) return dict
    }
  }

  /** After an item: whether the container ends here; a comma leads to the next item. */
  #ends(end: string): boolean {
    this.#blank()
    const next = this.text[this.#at]
    if (next !== end && next !== ',') throw this.#error("Expecting ',' delimiter")
    this.#at++
    if (next === end) return true
    this.#blank()
    return false
  }
}

/**
 * `json.loads(text)`.
 * @throws PyError JSONDecodeError in Python's words, with line and column
 */
export function parseJson(text: string): PyValue {
  return new Reader(text).document()
}

/** All that is not printable ASCII, and quotes and backslashes. */
const ESCAPED = /[^ !#-[\]-~]/
const ALL_ESCAPED = /[^ !#-[\]-~]/g
const SHORT: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

function quote(text: string): string {
  if (!ESCAPED.test(text)) return `"${text}"`
  return `"${text.replace(
    ALL_ESCAPED,
    (character) => SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}"`
}

function dumpFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity'
  return reprFloat(value)
}

function dump(value: PyValue, sortKeys: boolean): string {
  if (value === null) return 'null'
  switch (typeof value) {
    case 'string':
      return quote(value)
    case 'number':
      return dumpFloat(value)
    case 'bigint':
    case 'boolean':
      return String(value)
  }
  if (Array.isArray(value)) {
    let text = '['
    let separator = ''
    for (const item of value) {
      text += separator + dump(item, sortKeys)
      separator = ', '
    }
    return `${text}]`
  }
  if (!isDict(value) && !isModel(value)) return quote(value.toString())
  return dumpEntries(isDict(value) ? value : fieldsOf(value), sortKeys)
}

function dumpEntries(entries: Iterable<[string, PyValue]>, sortKeys: boolean): string {
  const ordered = sortKeys ? [...entries].sort(compareKeys) : entries
  let text = '{'
  let separator = ''
  for (const [key, item] of ordered) {
    text += `${separator}${quote(key)}: ${dump(item, sortKeys)}`
    separator = ', '
  }
  return `${text}}`
}

export interface DumpOptions {
  sortKeys?: boolean
}

/**
 * `json.dumps(value, sort_keys=sortKeys, default=str)`: ", " and ": ", ASCII only, floats as repr.
 * Instances are dumped as `model_dump()` gives them; dates as `str` does.
 */
export function dumps(value: PyValue, { sortKeys = false }: DumpOptions = {}): string {
  return dump(value, sortKeys)
}
