import { SPACE, splitBlanks, strip } from '../text/characters.ts'
import { splitSentences } from '../text/sentences.ts'
import { countWords } from '../text/words.ts'
import { count, holds, phrase, type Rule, relation, rule } from './rule.ts'

const DIVIDER = new RegExp(`${SPACE}?\\*{3}${SPACE}?`)
const blank = (text: string) => strip(text) === ''

/** How many sentences, words and paragraphs. */
export const lengthRules: Record<string, Rule> = {
  'length_constraints:number_sentences': rule({ num_sentences: count, relation }, ({ num_sentences, relation }) => {
    return (response) => holds(splitSentences(response).length, relation, num_sentences)
  }),

  'length_constraints:number_words': rule({ num_words: count, relation }, ({ num_words, relation }) => {
    return (response) => holds(countWords(response), relation, num_words)
  }),

  /** Between dividers of three asterisks; only the first and the last may be empty. */
  'length_constraints:number_paragraphs': rule({ num_paragraphs: count }, ({ num_paragraphs }) => (response) => {
    const paragraphs = response.split(DIVIDER)
    if (paragraphs.slice(1, -1).some(blank)) return false
    return paragraphs.filter((paragraph) => !blank(paragraph)).length === num_paragraphs
  }),

  /** Between empty lines. More of those in a row do not count, but the nth is found with them counted. */
  'length_constraints:nth_paragraph_first_word': rule(
    { num_paragraphs: count, nth_paragraph: count, first_word: phrase },
    ({ num_paragraphs, nth_paragraph, first_word }) => {
      const expected = first_word.toLowerCase()
      return (response) => {
        const paragraphs = response.split('\n\n')
        const written = paragraphs.filter((paragraph) => !blank(paragraph)).length
        if (written !== num_paragraphs || nth_paragraph < 1 || nth_paragraph > written) return false
        return firstWord(paragraphs[nth_paragraph - 1]) === expected
      }
    },
  ),
}

/** In lower case, up to its first punctuation mark; an opening quote is none. Null for an empty paragraph. */
function firstWord(paragraph: string): string | null {
  const word = splitBlanks(paragraph)[0]
  if (word === undefined) return null
  return word
    .replace(/^'*"*/, '')
    .replace(/[.,?!'"].*$/s, '')
    .toLowerCase()
}
