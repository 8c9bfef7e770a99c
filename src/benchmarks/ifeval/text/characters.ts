/**
 * Text as the reference reads it. Its checks are Python's, whose words, white space and lines differ from JavaScript's:
 * verdicts must not depend on the language of the checker.
 */

/** White space of the checks themselves, for use inside of a character class. */
const SPACES = '\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
export const SPACE = `[${SPACES}]`
/** What words are made of in patterns of the checks. A combining mark ends a word, as in most Indian scripts. */
const WORD = '[\\p{L}\\p{N}_]'
/** Where a word starts or ends. */
export const WORD_EDGE = edge(WORD)
/** The same as NLTK has it from 3.10 on, which is as Unicode has it (UTS 18): marks belong to their word. */
export const UNICODE_WORD = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]'
export const UNICODE_WORD_EDGE = edge(UNICODE_WORD)
/** Only a line feed ends a line. */
export const LINE_START = '(?<![^\\n])'
export const LINE_END = '(?![^\\n])'

const START_BLANKS = new RegExp(`^${SPACE}+`)
const ONE_BLANK = new RegExp(SPACE)
const BLANKS = new RegExp(`${SPACE}+`)

function edge(word: string): string {
  return `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`
}

/** Without white space at both ends. */
export function strip(text: string): string {
  return stripEnd(text.replace(START_BLANKS, ''))
}

/** A pattern for the end would try every run of blanks before it. */
export function stripEnd(text: string): string {
  let end = text.length
  while (end > 0 && ONE_BLANK.test(text[end - 1])) end--
  return text.slice(0, end)
}

/** Without any of these characters at both ends. */
export function stripCharacters(text: string, characters: string): string {
  let start = 0
  let end = text.length
  while (start < end && characters.includes(text[start])) start++
  while (end > start && characters.includes(text[end - 1])) end--
  return text.slice(start, end)
}

/** Pieces between white space. */
export function splitBlanks(text: string): string[] {
  return text.split(BLANKS).filter((piece) => piece !== '')
}

/** Whether there are letters with case, and all of them are capitals. */
export function isUpper(text: string): boolean {
  return /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text)
}

export function isLower(text: string): boolean {
  return /\p{Lowercase}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text)
}

export function countMatches(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].length
}
