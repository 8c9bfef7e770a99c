import { countMatches, UNICODE_WORD_EDGE as EDGE, isUpper, splitBlanks, UNICODE_WORD as WORD } from './characters.ts'
import { splitSentences } from './sentences.ts'

const WORDS = new RegExp(`${WORD}+`, 'gu')

export function countWords(text: string): number {
  return countMatches(text, WORDS)
}

/**
 * Where the reference's tokenizer (NLTK's, after the Penn Treebank's) takes letters apart. It takes off more punctuation,
 * but only what stands between letters can change how many words are in capitals.
 */
const SEPARATIONS: readonly [RegExp, string][] = [
  [/[«“‘„»”’`";@#$%&?!*()[\]{}<>\u2012-\u2015]|''|\.{2,}|--/gu, ' $& '],
  [new RegExp(`(?<!${WORD})'(?!(?:re|ve|ll|m|t|s|d|n)${EDGE})(?=${WORD})`, 'giu'), "' "],
  [/[:,](?=\P{Nd})/gu, ' $& '],
  [/(?<=[^.])\.(?=[\])}>"'»”’ ]*\s*$)/u, ' . '],
  [/(?<=[^'])' /g, " ' "],
  [/\p{White_Space}+|$/gu, ' '],
  // Clitics come off; of several, only the last of each group.
  [/([^' ])('[sSmMdD]|') /g, '$1 $2 '],
  [/([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) /g, '$1 $2 '],
  ...['can)(not', "d)('ye", 'gim)(me', 'gon)(na', 'got)(ta', 'lem)(me', "more)('n"].map((pair): [RegExp, string] => [
    new RegExp(`${EDGE}(${pair})${EDGE}`, 'giu'),
    ' $1 $2 ',
  ]),
  [new RegExp(`${EDGE}(wan)(na)(?=\\p{White_Space})`, 'giu'), ' $1 $2 '],
]

/** Words that are all capitals. A word with a hyphen is one. */
export function countCapitalWords(text: string): number {
  return splitSentences(text).flatMap(separated).filter(isUpper).length
}

function separated(sentence: string): string[] {
  return splitBlanks(SEPARATIONS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), sentence))
}
