import { z } from 'zod'
import { isLower, isUpper, strip, stripCharacters } from '../text/characters.ts'
import { detectLanguage, LANGUAGES } from '../text/language.ts'
import { countCapitalWords } from '../text/words.ts'
import { count, holds, phrase, type Rule, relation, rule } from './rule.ts'

/** What the whole of a response is like, how it starts and how it ends. */
export const wordingRules: Record<string, Rule> = {
  'language:response_language': rule(
    { language: z.enum(LANGUAGES) },
    ({ language }) =>
      (response) =>
        isIn(response, language),
  ),

  'change_case:english_capital': rule({}, () => (response) => isUpper(response) && isIn(response, 'en')),

  'change_case:english_lowercase': rule({}, () => (response) => isLower(response) && isIn(response, 'en')),

  'change_case:capital_word_frequency': rule(
    { capital_frequency: count, capital_relation: relation },
    ({ capital_frequency, capital_relation }) => {
      return (response) => holds(countCapitalWords(response), capital_relation, capital_frequency)
    },
  ),

  'punctuation:no_comma': rule({}, () => (response) => !response.includes(',')),

  'startend:end_checker': rule({ end_phrase: phrase }, ({ end_phrase }) => {
    const end = strip(end_phrase).toLowerCase()
    return (response) => stripCharacters(strip(response), '"').toLowerCase().endsWith(end)
  }),

  'startend:quotation': rule({}, () => (response) => {
    const text = strip(response)
    return text.length > 1 && text.startsWith('"') && text.endsWith('"')
  }),

  /** Two that differ, and nothing empty between them. */
  'combination:two_responses': rule({}, () => (response) => {
    const parts = response.split('******').map(strip)
    if (parts.slice(1, -1).includes('')) return false
    const written = parts.filter((part) => part !== '')
    return written.length === 2 && written[0] !== written[1]
  }),

  'combination:repeat_prompt': rule({ prompt_to_repeat: phrase }, ({ prompt_to_repeat }) => {
    const prompt = strip(prompt_to_repeat).toLowerCase()
    return (response) => strip(response).toLowerCase().startsWith(prompt)
  }),
}

/** A text that no language can be told from counts as following. */
function isIn(response: string, language: string): boolean {
  const found = detectLanguage(response)
  return found === null || found === language
}
