import { closing } from './answer.ts'

/** Commands that only set type or space. */
const INVISIBLE =
  /\\(?:left|right|displaystyle|limits|[bB]igg?[lr]?|quad|qquad|thinspace)(?![a-zA-Z])|(?<!\\)\\[!,;:> ]|~/g

/** Those among them that are seen as a space. */
const SPACE = /^(?:~|\\[,;:> ]|\\q?quad|\\thinspace)$/

/** Wrappers of words. */
const TEXT = /\\(?:text|mbox|mathrm|mathbf|textbf|textit|textrm|mathit|operatorname|emph)\s*\{/

/** Words after a number that do not change it. */
const UNITS =
  'square|cubic|sq|units?|inch(?:es)?|in|feet|foot|ft|yards?|yd|miles?|mi|mph|mm|cm|km|dm|met(?:er|re)s?|centimet(?:er|re)s?|kilomet(?:er|re)s?|' +
  'hours?|hrs?|minutes?|min|seconds?|sec|days?|weeks?|months?|years?|dollars?|cents?|euros?|pounds?|lbs?|ounces?|oz|tons?|' +
  'grams?|gm|kg|kilograms?|mg|gallons?|lit(?:er|re)s?|ml|degrees?|degs?|radians?|ways|integers|points|digits|numbers?|students|people|' +
  'meals|edges|multiples|tickets|children|percent|per|an|each'
/** Those of one letter only where a space stands before it that is not the end of a command: `5m` and `3\pi h` are products. */
const LETTERS = String.raw`(?<=[\d.})!]\s+|[a-zA-Z]{2}\s+|\/)(?<!\\[a-zA-Z]+\s+)[mhsga]`
const TRAILING_UNITS = new RegExp(
  String.raw`^(.*[\d.})!]|.*\\pi|.*\s)\s*(?:(?<![a-zA-Z\\])(?:${UNITS}|${LETTERS})(?:\^\{?[23]\}?|\.)?(?:\s+|\/|$))+$`,
)

/**
 * An answer as MATH writes it, in one spelling: no set-up of type, no units, one form of fractions and roots. Braces are
 * balanced wherever they were.
 */
export function normaliseLatex(answer: string): string {
  let text = answer.trim().replace(/\s+/g, ' ')
  text = text.replace(/^\\[([]|\\[)\]]$/g, '').replace(/^\$+|\$+$/g, '')
  text = text.replace(/^\\(?:boxed|fbox)\s*\{(.*)\}$/, '$1')
  text = text.replace(/\\\\(?=\s*[a-zA-Z])/g, (whole, at) => (inMatrix(text, at) ? whole : '\\'))
  text = text
    .replaceAll('{,}', ',')
    .replace(/,\\!/g, ',')
    .replace(INVISIBLE, (whole) => (SPACE.test(whole) ? ' ' : ''))
  text = text.replace(/\\[cdt]frac/g, '\\frac').replace(/\\(?:\$|%)|%|\$|°/g, '')
  text = text.replace(/\^\s*\{\s*\\circ\s*\}|\^\s*\\circ(?![a-zA-Z])|\\degree(?![a-zA-Z])/g, '')
  text = text.replace(/\\(?:le|leqslant)(?![a-zA-Z])/g, '\\leq').replace(/\\(?:ge|geqslant)(?![a-zA-Z])/g, '\\geq')
  text = text
    .replace(/\\neq(?![a-zA-Z])/g, '\\ne')
    .replace(/\\(?:lbrace|rbrace)(?![a-zA-Z])/g, (one) => (one === '\\lbrace' ? '\\{' : '\\}'))
  text = text
    .replace(/\\(?:cdot|times|ast)(?![a-zA-Z])/g, '*')
    .replace(/−|–/g, '-')
    .replace(/\\div(?![a-zA-Z])/g, '/')
  text = withoutWrappers(text).trim()
  text = text.replace(/\s*(?:,\s*)?\b(?:and|or)\b\s*/g, ',').replace(/[.,;:]$/, '')
  text = text.replace(TRAILING_UNITS, '$1')
  text = text.replace(/^[a-zA-Z](?:_\{?\w+\}?)?(?:\([a-zA-Z]\))?\s*(?:=|\\in(?![a-zA-Z]))\s*(?!.*=)/, '')
  text = braced(text.replace(/\s+(?![a-zA-Z])|(?<!\\[a-zA-Z]*)\s+/g, ''))
  // 1,000 is a number; 1,200 in a list of several is not told apart from two of them.
  if (/^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text)) text = text.replaceAll(',', '')
  return text.replace(/(?<!\d)\.(?=\d)/g, '0.')
}

/** A doubled backslash before a letter: a row of a matrix begins, or somebody escaped twice. */
function inMatrix(text: string, at: number): boolean {
  return text.lastIndexOf('\\begin', at) > text.lastIndexOf('\\end', at)
}

/** `\text{…}` as its words; gone where it says what the number before it counts. */
function withoutWrappers(text: string): string {
  for (let out = text; ; ) {
    const found = TEXT.exec(out)
    if (!found) return out
    const open = found.index + found[0].length - 1
    const end = closing(out, open)
    if (end < 0) return out
    const words = out.slice(open + 1, end)
    const before = out.slice(0, found.index)
    const counted =
      /[\d.})]\s*$|\\pi\s*$/.test(before) && /^[\sa-zA-Z.,/'-]*$/.test(words) && !/^\s*(?:and|or)\s*$/.test(words)
    out = counted
      ? `${before} ${out.slice(end + 1).replace(/^\s*\^\{?[23]\}?/, '')}`
      : `${before} ${words} ${out.slice(end + 1)}`
  }
}

/** Arguments of `\frac`, `\sqrt`, `^` and `_` in braces: `\frac12`, `\sqrt3`, `x^2`. */
function braced(text: string): string {
  let out = ''
  for (let at = 0; at < text.length; ) {
    const head = /^(?:\\frac|\\sqrt|[\^_])/.exec(text.slice(at))
    if (!head) {
      out += text[at++]
      continue
    }
    out += head[0]
    at += head[0].length
    if (head[0] === '\\sqrt' && text[at] === '[') {
      const end = text.indexOf(']', at)
      if (end > 0) {
        out += text.slice(at, end + 1)
        at = end + 1
      }
    }
    for (let count = head[0] === '\\frac' ? 2 : 1; count > 0; count--) {
      while (text[at] === ' ') at++
      const argument = argumentAt(text, at)
      out += `{${braced(argument.inside)}}`
      at = argument.end
    }
  }
  return out
}

/** What a command at `at` takes: a group, a command, or one character. */
function argumentAt(text: string, at: number): { inside: string; end: number } {
  if (text[at] === '{') {
    const end = closing(text, at)
    if (end > 0) return { inside: text.slice(at + 1, end), end: end + 1 }
  }
  const one = /^(?:\\[a-zA-Z]+|[\s\S])?/.exec(text.slice(at))?.[0] ?? ''
  return { inside: one, end: at + one.length }
}
