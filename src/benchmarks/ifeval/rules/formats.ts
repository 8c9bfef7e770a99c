import { countMatches, LINE_END, LINE_START, SPACE, strip, stripCharacters } from '../text/characters.ts'
import { count, pattern, phrase, type Rule, rule } from './rule.ts'

const ANSWERS = ['My answer is yes.', 'My answer is no.', 'My answer is maybe.']

/** Bullets with an asterisk, but not bold text; bullets with a dash, and rules of dashes. */
const STARRED = new RegExp(`${LINE_START}${SPACE}*\\*[^*][^\\n]*${LINE_END}`, 'gu')
const DASHED = new RegExp(`${LINE_START}${SPACE}*-[^\\n]*${LINE_END}`, 'gu')

const EMPHASIS = /\*[^\n*]*\*/g
const STRONG = /\*\*[^\n*]*\*\*/g
const TITLE = /<<[^\n]+>>/g
const PLACEHOLDER = /\[[^\n]*?\]/g

const POSTSCRIPTS: Record<string, string> = { 'P.S.': `p\\.${SPACE}?s\\.`, 'P.P.S': `p\\.${SPACE}?p\\.${SPACE}?s` }

/** What a response must have, and how it is marked. */
export const formatRules: Record<string, Rule> = {
  'detectable_content:number_placeholders': rule({ num_placeholders: count }, ({ num_placeholders }) => (response) => {
    return countMatches(response, PLACEHOLDER) >= num_placeholders
  }),

  /** Anywhere: the reference does not look for the end. */
  'detectable_content:postscript': rule({ postscript_marker: phrase }, ({ postscript_marker }) => {
    const marker = strip(postscript_marker)
    const sought = pattern(POSTSCRIPTS[marker] ?? marker.toLowerCase(), '')
    return (response) => sought.test(response.toLowerCase())
  }),

  'detectable_format:number_bullet_lists': rule({ num_bullets: count }, ({ num_bullets }) => (response) => {
    return countMatches(response, STARRED) + countMatches(response, DASHED) === num_bullets
  }),

  'detectable_format:constrained_response': rule({}, () => (response) => {
    return ANSWERS.some((answer) => response.includes(answer))
  }),

  /** Bold text counts once: its pairs of asterisks are highlights too, but empty ones. */
  'detectable_format:number_highlighted_sections': rule({ num_highlights: count }, ({ num_highlights }) => {
    const written = (part: string) => strip(stripCharacters(part, '*')) !== ''
    return (response) => {
      const parts = [...(response.match(EMPHASIS) ?? []), ...(response.match(STRONG) ?? [])]
      return parts.filter(written).length >= num_highlights
    }
  }),

  'detectable_format:multiple_sections': rule(
    { section_spliter: phrase, num_sections: count },
    ({ section_spliter, num_sections }) => {
      const heading = pattern(`${strip(section_spliter)}${SPACE}?\\p{Nd}+`, 'g')
      return (response) => countMatches(response, heading) >= num_sections
    },
  ),

  'detectable_format:json_format': rule({}, () => (response) => isJson(unfenced(response))),

  'detectable_format:title': rule({}, () => (response) => {
    const titles = response.match(TITLE) ?? []
    return titles.some((title) => strip(title.replace(/^<+/, '').replace(/>+$/, '')) !== '')
  }),
}

/** Without the fence of a code block. */
function unfenced(response: string): string {
  const opened = ['```json', '```Json', '```JSON', '```'].reduce(
    (text, fence) => (text.startsWith(fence) ? text.slice(fence.length) : text),
    strip(response),
  )
  return strip(opened.replace(/```$/, ''))
}

/** As Python reads it, with infinities and what is not a number. */
function isJson(text: string): boolean {
  const known = text.replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/gs, (part) => (part.startsWith('"') ? part : 'null'))
  try {
    JSON.parse(known)
    return true
  } catch {
    return false
  }
}
