import { uniform } from '../../core/index.ts'
import { normaliseLatex } from './normalise.ts'
import { Formula } from './value.ts'

/** Points at which formulas are compared, and in how many both must have a value. */
const POINTS = 12
const ENOUGH = 4
const TOLERANCE = 1e-9
const INTEGER = /^[+-]?\d+$/

/**
 * Whether two answers are the same mathematics: the same spelling once both are normalised, or, part by part of tuples,
 * intervals, matrices, equations and unions, formulas of the same value. Lists are in order, and what is no formula is words.
 */
export function sameAnswer(given: string, gold: string): boolean {
  const [a, b] = [normaliseLatex(given), normaliseLatex(gold)]
  return a === '' || b === '' ? a === b : sameParts(a, b)
}

function sameParts(a: string, b: string): boolean {
  // Of large ones the next is within any tolerance of values.
  if (INTEGER.test(a) && INTEGER.test(b)) return BigInt(a) === BigInt(b)
  if (a === b || sameValue(a, b)) return true
  const [left, right] = [outer(a), outer(b)]
  if (left && right) return left.brackets === right.brackets && sameParts(left.inside, right.inside)
  const [first, second] = [split(a), split(b)]
  if (first.parts.length < 2 || first.marks.join(' ') !== second.marks.join(' ')) return false
  return first.parts.every((part, index) => sameParts(part, second.parts[index]))
}

/** The brackets around all of a text, and what is within. */
function outer(text: string): { brackets: string; inside: string } | null {
  const matrix = /^\\begin\{([a-z]*matrix)\}(.*)\\end\{\1\}$/.exec(text)
  if (matrix) return { brackets: matrix[1], inside: matrix[2] }
  const opening = /^(?:\\\{|[([])/.exec(text)?.[0]
  const ending = /(?:\\\}|[)\]])$/.exec(text)?.[0]
  if (!opening || !ending || splitAt(text.slice(opening.length, -ending.length)) === null) return null
  return { brackets: opening + ending, inside: text.slice(opening.length, -ending.length) }
}

function split(text: string): { parts: string[]; marks: string[] } {
  return splitAt(text) ?? { parts: [text], marks: [] }
}

const MARK = /^(?:,|&|\\\\|=|<|>|\\(?:leq|geq|ne|cup|cap|pm|mp|to|in)(?![a-zA-Z]))/

/** Split at commas, relations and the like outside of brackets; null where brackets do not match. */
function splitAt(text: string): { parts: string[]; marks: string[] } | null {
  const parts = ['']
  const marks: string[] = []
  let depth = 0
  for (let at = 0; at < text.length; ) {
    const mark = depth === 0 ? MARK.exec(text.slice(at))?.[0] : undefined
    if (mark) {
      marks.push(mark)
      parts.push('')
      at += mark.length
      continue
    }
    const piece = /^\\[a-zA-Z]+|^\\.|^[\s\S]/.exec(text.slice(at))![0]
    if (/^(?:\\\{|[([{]|\\begin)$/.test(piece)) depth++
    if (/^(?:\\\}|[)\]}]|\\end)$/.test(piece) && --depth < 0) return null
    parts[parts.length - 1] += piece
    at += piece.length
  }
  return depth === 0 ? { parts, marks } : null
}

function sameValue(a: string, b: string): boolean {
  let known = 0
  for (let point = 0; point < POINTS; point++) {
    // Small and large values: what has no value at some has one at others.
    const variable = (name: string) => uniform('point', point, name) * (point % 3 === 0 ? 1 : point % 3 === 1 ? 4 : 20)
    const [x, y] = [Formula.value(a, variable), Formula.value(b, variable)]
    if (x === null || y === null) return false
    if (Number.isNaN(x) && Number.isNaN(y)) continue
    if (!(x === y || Math.abs(x - y) <= TOLERANCE * Math.max(1, Math.abs(x), Math.abs(y)))) return false
    known++
  }
  return known >= ENOUGH
}
