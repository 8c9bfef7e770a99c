import type { z } from 'zod'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** What zod says unasked begins so; whatever a schema says itself is kept as it is. */
const STOCK = /^(Invalid|Too|Unrecognized)\b/

const KINDS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/**
 * What is wrong with a value that came from outside, in plain words: `messages[0].content must be text, not a number`.
 * `whole` names the value itself where the fault is in no part of it.
 */
export function plainIssue(issue: Issue, whole = 'it'): string {
  const { path, words } = plainFault(issue)
  const joined = /^(is|must|has)\b/.test(words) ? ' ' : ': '
  return `${fieldName(path) || whole}${joined}${words}`
}

/** The same in two parts: where it is, and what is wrong there. Of a union, the alternative that came furthest speaks. */
export function plainFault(issue: Issue): { path: Path; words: string } {
  const { path, message } = issue
  if (issue.code === 'unrecognized_keys') return { path: [...path, issue.keys[0]], words: 'is not known: leave it out' }
  if (issue.code === 'invalid_union') {
    const inner = issue.errors.flatMap((issues) => issues.slice(0, 1).map(plainFault))
    const furthest = inner.reduce<(typeof inner)[number] | null>(
      (best, one) => (best && best.path.length >= one.path.length ? best : one),
      null,
    )
    if (furthest && furthest.path.length > 0) return { path: [...path, ...furthest.path], words: furthest.words }
    return { path, words: STOCK.test(message) ? anyOf(issue) : message }
  }
  return { path, words: STOCK.test(message) ? wordsOf(issue) : message }
}

/** `messages[0].content`; empty for the whole. */
export function fieldName(path: Path): string {
  return path.reduce<string>(
    (name, key) => (typeof key === 'number' ? `${name}[${key}]` : name === '' ? String(key) : `${name}.${String(key)}`),
    '',
  )
}

function wordsOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type': {
      // What was found stands in zod's text alone.
      const found = /received (\w+)$/.exec(issue.message)?.[1]
      if (found === 'undefined') return 'is missing'
      const expected = KINDS[issue.expected] ?? issue.expected
      const same = found === undefined || (issue.expected === 'int' && found === 'number')
      const other = found === 'boolean' ? 'a truth value' : (KINDS[found ?? ''] ?? found)
      return `must be ${expected}${same ? '' : `, not ${other}`}`
    }
    case 'too_small':
      return limit(issue.origin, issue.minimum, issue.exact ? 'exactly' : issue.inclusive ? 'at least' : 'above')
    case 'too_big':
      return limit(issue.origin, issue.maximum, issue.exact ? 'exactly' : issue.inclusive ? 'at most' : 'below')
    case 'invalid_value':
      return oneOf(issue.values)
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    default:
      return 'is not of the right form'
  }
}

/** Lengths and sizes. */
function limit(origin: string, bound: number | bigint, words: string): string {
  const counted = { string: 'character', array: 'item' }[origin]
  if (counted === undefined) return `must be ${words} ${bound}`
  if (Number(bound) === 1 && words === 'at least') return 'must not be empty'
  return `must have ${words} ${bound} ${counted}${Number(bound) === 1 ? '' : 's'}`
}

function oneOf(values: readonly unknown[]): string {
  const shown = values.map((value) => JSON.stringify(value)).join(', ')
  return values.length === 1 ? `must be ${shown}` : `must be one of ${shown}`
}

/** Of a union whose alternatives all fail at once: what it may be. */
function anyOf(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  if ('options' in issue && Array.isArray(issue.options)) return oneOf(issue.options)
  const first = issue.errors.flatMap((issues) => issues.slice(0, 1))
  const words = [...new Set(first.map((one) => plainFault(one).words))]
  if (words.includes('is missing')) return 'is missing'
  if (!first.every(({ code }) => code === 'invalid_type')) return words[0] ?? 'is not of the right form'
  const [one, ...others] = words.map((text) => text.replace(/^must be /, ''))
  const [, not = ''] = /(, not .*)$/.exec(one) ?? []
  return `must be ${[one, ...others].map((text) => text.replace(not, '')).join(' or ')}${not}`
}
