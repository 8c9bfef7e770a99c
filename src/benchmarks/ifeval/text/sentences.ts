/**
 * Sentences as Punkt finds them (Kiss and Strunk 2006, "Unsupervised multilingual sentence boundary detection"), with the
 * English parameters that NLTK has: a sentence ends at `.`, `?` or `!` unless an abbreviation, an initial or a number
 * ends there and what follows does not look like the start of a sentence.
 */
import { isLower, isUpper, LINE_END, strip, stripEnd } from './characters.ts'
import { type PunktParameters, readEnglishPunkt } from './packages.ts'

const SPACE = '\\p{White_Space}'
const VISIBLE = '\\P{White_Space}'
const CLOSERS = '‘’“”«»'
/** Ends a word where it stands in one. */
const BREAKER = `[)";}\\]*:@'({\\[${CLOSERS}!?]`
const DASHES_OR_DOTS = `(?:-{2,}|\\.{2,}|(?:\\.${SPACE}){2,}\\.)`
const WORD_START = '[^("`{\\[:;&#*@)}\\]\\-,]'
const END = `(?=${SPACE}|$|${BREAKER}|${DASHES_OR_DOTS}|,(?=$|${SPACE}|${BREAKER}|${DASHES_OR_DOTS}))`
const TOKENS = new RegExp(`${DASHES_OR_DOTS}|(?=${WORD_START})${VISIBLE}+?${END}|${VISIBLE}`, 'gu')
/** A possible end, and what comes after it. */
const CANDIDATES = new RegExp(`[.?!](?=(${BREAKER}|${SPACE}+(${VISIBLE}+)))`, 'gu')
/** Closing marks after an end, which belong to the sentence before. */
const CLOSING = new RegExp(`["')\\]}${CLOSERS}]+?(?:${SPACE}+|(?=--)|${LINE_END})`, 'uy')

const ELLIPSIS = /^\.\.+$/
const INITIAL = /^[\p{Alphabetic}\p{M}\p{Pc}\p{Join_Control}]\.$/u
const NUMBER = /^-?[.,]?\p{Nd}[\p{Nd},.-]*\.?$/u
const NUMBER_TYPE = '##number##'

/** In which places, and how written, training text had a word: flags of `orthoContext`. */
const MIDDLE_UPPER = 4
const ANY_UPPER = 14
const BEGIN_LOWER = 16
const ANY_LOWER = 112

interface Parameters {
  abbreviations: ReadonlySet<string>
  starters: ReadonlySet<string>
  /** Pairs of words with a period between them that ends nothing. */
  collocations: ReadonlyMap<string, string>
  contexts: ReadonlyMap<string, number>
}
let loaded: Parameters | null = null

interface Token {
  text: string
  /** Lower case, numbers alike. */
  type: string
  ends: boolean
  abbreviation: boolean
}

interface Span {
  start: number
  end: number
}

export function splitSentences(text: string): string[] {
  loaded ??= indexed(readEnglishPunkt())
  return realigned(text, spans(text, loaded)).map(({ start, end }) => text.slice(start, end))
}

function indexed({ abbreviations, sentStarters, collocations, orthoContext }: PunktParameters): Parameters {
  return {
    abbreviations: new Set(abbreviations),
    starters: new Set(sentStarters),
    collocations: new Map(Object.entries(collocations)),
    contexts: new Map(Object.entries(orthoContext)),
  }
}

function spans(text: string, parameters: Parameters): Span[] {
  const found: Span[] = []
  let start = 0
  for (const { end, next, context } of candidates(text)) {
    if (!endsInside(context, parameters)) continue
    found.push({ start, end })
    start = next
  }
  return [...found, { start, end: stripEnd(text).length }]
}

interface Candidate {
  /** Behind the mark. */
  end: number
  /** Where the next sentence would start. */
  next: number
  /** The word before the mark, the mark, and what follows. */
  context: string
}

/** Of several marks at one word, the last. */
function candidates(text: string): Candidate[] {
  const found: Candidate[] = []
  let word: Span = { start: 0, end: 0 }
  let waiting: Candidate | null = null
  for (const match of text.matchAll(CANDIDATES)) {
    const blank = lastBlank(text, word.end, match.index)
    const start: number = blank > word.end ? blank + 1 : word.start
    if (waiting && word.end <= start) found.push(waiting)
    word = { start, end: match.index }
    const [mark, after, following] = match
    const end = match.index + mark.length
    const next = following === undefined ? end : end + after.length - following.length
    waiting = { end, next, context: text.slice(start, match.index) + mark + after }
  }
  return waiting ? [...found, waiting] : found
}

/** -1 where there is none. */
function lastBlank(text: string, from: number, to: number): number {
  for (let at = to - 1; at >= from; at--) if (' \t\n\r\v\f'.includes(text[at])) return at
  return -1
}

/** Whether a sentence ends at one of the tokens, and another follows it. */
function endsInside(context: string, parameters: Parameters): boolean {
  const tokens = context
    .split('\n')
    .filter((line) => strip(line) !== '')
    .flatMap((line) => line.match(TOKENS) ?? [])
    .map((text) => token(text, parameters))
  return tokens.slice(0, -1).some((one, i) => endsBefore(one, tokens[i + 1], parameters))
}

/** Judged by its form alone. */
function token(text: string, { abbreviations }: Parameters): Token {
  const lower = text.toLowerCase()
  const type = lower.replace(NUMBER, NUMBER_TYPE)
  if (text === '.' || text === '?' || text === '!') return { text, type, ends: true, abbreviation: false }
  if (!text.endsWith('.') || text.endsWith('..')) return { text, type, ends: false, abbreviation: false }
  const stem = lower.slice(0, -1)
  const abbreviation = abbreviations.has(stem) || abbreviations.has(stem.slice(stem.lastIndexOf('-') + 1))
  return { text, type, ends: !abbreviation, abbreviation }
}

/** The same, judged by what comes next too. */
function endsBefore(one: Token, next: Token, parameters: Parameters): boolean {
  if (!one.text.endsWith('.')) return one.ends
  const type = withoutPeriod(one.type)
  const nextType = next.ends ? withoutPeriod(next.type) : next.type
  if (parameters.collocations.get(type) === nextType) return false
  const initial = INITIAL.test(one.text)
  const starts = looksLikeStart(next, nextType, parameters)
  const capital = isUpper(firstOf(next))
  if ((one.abbreviation || ELLIPSIS.test(one.text)) && !initial) {
    if (starts === true || (capital && parameters.starters.has(nextType))) return true
  }
  if (initial || type === NUMBER_TYPE) {
    if (starts === false) return false
    const everLower = (parameters.contexts.get(nextType) ?? 0) & ANY_LOWER
    if (starts === null && initial && capital && !everLower) return false
  }
  return one.ends
}

function withoutPeriod(type: string): string {
  return type.length > 1 && type.endsWith('.') ? type.slice(0, -1) : type
}

const firstOf = ({ text }: Token) => String.fromCodePoint(text.codePointAt(0)!)

/** Null where training text does not tell. */
function looksLikeStart(token: Token, type: string, { contexts }: Parameters): boolean | null {
  if (token.text.length === 1 && ';:,.!?'.includes(token.text)) return false
  const context = contexts.get(type) ?? 0
  const first = firstOf(token)
  if (isUpper(first) && context & ANY_LOWER && !(context & MIDDLE_UPPER)) return true
  if (isLower(first) && (context & ANY_UPPER || !(context & BEGIN_LOWER))) return false
  return null
}

/** Quotes and brackets that close after the end go to the sentence that they close. */
function realigned(text: string, spans: readonly Span[]): Span[] {
  const found: Span[] = []
  let taken = 0
  for (const [i, { start, end }] of spans.entries()) {
    const from = start + taken
    const next = spans[i + 1]
    CLOSING.lastIndex = 0
    const closing = next ? CLOSING.exec(text.slice(next.start, next.end)) : null
    taken = closing ? closing[0].length : 0
    if (next && closing) found.push({ start: from, end: next.start + stripEnd(closing[0]).length })
    else if (from < end) found.push({ start: from, end })
  }
  return found
}
