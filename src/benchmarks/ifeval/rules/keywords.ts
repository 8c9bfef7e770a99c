import { countMatches, strip, WORD_EDGE } from '../text/characters.ts'
import { count, holds, pattern, phrase, phrases, type Rule, relation, rule } from './rule.ts'

/** Which words, and how often. Case does not count. */
export const keywordRules: Record<string, Rule> = {
  'keywords:existence': rule({ keywords: phrases }, ({ keywords }) => {
    const patterns = keywords.map((keyword) => pattern(keyword, 'i'))
    return (response) => patterns.every((each) => each.test(response))
  }),

  /** Inside of other words too. */
  'keywords:frequency': rule({ keyword: phrase, frequency: count, relation }, ({ keyword, frequency, relation }) => {
    const sought = pattern(strip(keyword), 'gi')
    return (response) => holds(countMatches(response, sought), relation, frequency)
  }),

  /** As whole words. */
  'keywords:forbidden_words': rule({ forbidden_words: phrases }, ({ forbidden_words }) => {
    const patterns = forbidden_words.map((word) => pattern(`${WORD_EDGE}${word}${WORD_EDGE}`, 'i'))
    return (response) => !patterns.some((each) => each.test(response))
  }),

  /**
   * Any one character: two of the published prompts ask for `#` and `!`. The reference draws a letter at random for those,
   * anew in every run.
   */
  'keywords:letter_frequency': rule(
    {
      letter: phrase.refine((text) => [...text].length === 1, 'must be one character'),
      let_frequency: count,
      let_relation: relation,
    },
    ({ letter, let_frequency, let_relation }) => {
      const sought = letter.toLowerCase()
      return (response) => holds(response.toLowerCase().split(sought).length - 1, let_relation, let_frequency)
    },
  ),
}
