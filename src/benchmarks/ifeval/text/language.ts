/**
 * Which language a text is in, as langdetect says it (Nakatani Shuyo's detection by naive Bayes over character n-grams).
 * The reference samples n-grams anew in every run, so its own verdicts vary; this one draws from langdetect's seed 0, the
 * one its authors advise for the same answer every time.
 */
import { readCjkGroups, readLanguageProfiles } from './packages.ts'
import { Twister } from './twister.ts'

/** All that the package has profiles of. langdetect has Catalan and Welsh too. */
export const LANGUAGES: readonly string[] = (
  'af ar bg bn cs da de el en es et fa fi fr gu he hi hr hu id it ja kn ko lt lv mk ml mr ne nl no pa pl pt ro ru sk sl ' +
  'so sq sv sw ta te th tl tr uk ur vi zh-cn zh-tw'
).split(' ')

const LONGEST_GRAM = 3
const TRIALS = 7
const SMOOTHING = 0.5
const SMOOTHING_DEVIATION = 0.05
/** Smoothing is given in these parts of a probability. */
const BASE_FREQUENCY = 10_000
const CONVERGED = 0.99999
const MOST_DRAWS = 1000
const LEAST_PROBABILITY = 0.1
const LONGEST_TEXT = 10_000

const URL_TEXT = /https?:\/\/[-_.?&~;+=/#0-9A-Za-z]{1,2076}/g
const MAIL_TEXT = /[-_.0-9A-Za-z]{1,64}@[-_0-9A-Za-z]{1,255}[-_.0-9A-Za-z]{1,255}/g
const VIETNAMESE = /[AEIOUYaeiouyÂÊÔâêôĂăƠơƯư][\u0300\u0301\u0303\u0309\u0323]/g

interface Detector {
  /** Probability of every n-gram in each of the languages. */
  probabilities: Map<string, Float64Array>
  /** Chinese characters that count as another. */
  cjk: Map<string, string>
}
let loaded: Detector | null = null

/** Code of the language; `unknown` where none stands out, null where the text has nothing to go by. */
export function detectLanguage(text: string): string | null {
  loaded ??= load()
  const grams = nGrams(withoutLatin(cleaned(text)), loaded)
  if (grams.length === 0) return null
  const shares = sampled(grams, new Twister(0))
  const best = shares.indexOf(Math.max(...shares))
  return shares[best] > LEAST_PROBABILITY ? LANGUAGES[best] : 'unknown'
}

function load(): Detector {
  const probabilities = new Map<string, Float64Array>()
  for (const [index, profile] of readLanguageProfiles(LANGUAGES).entries()) {
    for (const [gram, count] of Object.entries(profile.freq)) {
      const total = profile.n_words[[...gram].length - 1]
      if (total === undefined) continue
      const each = probabilities.get(gram) ?? new Float64Array(LANGUAGES.length)
      each[index] = count / total
      probabilities.set(gram, each)
    }
  }
  const cjk = new Map<string, string>()
  for (const group of readCjkGroups()) for (const character of group) cjk.set(character, group[0])
  return { probabilities, cjk }
}

/** Mean probability of each language over the trials. */
function sampled(grams: readonly Float64Array[], random: Twister): Float64Array {
  const shares = new Float64Array(LANGUAGES.length)
  for (let trial = 0; trial < TRIALS; trial++) {
    const belief = new Float64Array(LANGUAGES.length).fill(1 / LANGUAGES.length)
    const weight = (SMOOTHING + random.normal() * SMOOTHING_DEVIATION) / BASE_FREQUENCY
    for (let draw = 0; ; draw++) {
      const gram = grams[random.below(grams.length)]
      for (let i = 0; i < belief.length; i++) belief[i] *= weight + gram[i]
      if (draw % 5 === 0 && (normalise(belief) > CONVERGED || draw >= MOST_DRAWS)) break
    }
    for (let i = 0; i < shares.length; i++) shares[i] += belief[i] / TRIALS
  }
  return shares
}

/** Makes them sum to 1; returns the largest. */
function normalise(belief: Float64Array): number {
  const sum = belief.reduce((total, one) => total + one, 0)
  let largest = 0
  for (let i = 0; i < belief.length; i++) {
    belief[i] /= sum
    if (belief[i] > largest) largest = belief[i]
  }
  return largest
}

/** Characters without addresses, with single blanks, and with Vietnamese marks joined to their letters. */
function cleaned(text: string): string[] {
  const plain = text.replace(URL_TEXT, ' ').replace(MAIL_TEXT, ' ')
  const characters = [...plain.replace(VIETNAMESE, (pair) => pair.normalize('NFC'))].slice(0, LONGEST_TEXT)
  return characters.filter((character, at) => character !== ' ' || characters[at - 1] !== ' ')
}

/** A text that is mostly in another script is judged by that alone. */
function withoutLatin(text: string[]): string[] {
  const latin = text.filter(isLatin).length
  const other = text.filter((character) => character >= '\u0300').length
  return latin * 2 < other ? text.filter((character) => !isLatin(character)) : text
}

const isLatin = (character: string) => character >= 'A' && character <= 'z'

/** What the profiles know of each known sequence of one to three characters. A word in capitals says nothing. */
function nGrams(text: readonly string[], { probabilities, cjk }: Detector): Float64Array[] {
  const found: Float64Array[] = []
  let window = [' ']
  let inCapitals = false
  for (const raw of text) {
    const character = normalised(raw, cjk)
    const last = window[window.length - 1]
    if (last === ' ') {
      window = [' ']
      inCapitals = false
    }
    if (last !== ' ' || character !== ' ') {
      if (window.length >= LONGEST_GRAM) window.shift()
      window.push(character)
      inCapitals = isCapital(character) && (inCapitals || isCapital(last))
    }
    if (inCapitals) continue
    for (let n = 1; n <= window.length; n++) {
      const gram = window.slice(-n).join('')
      const known = gram === ' ' ? undefined : probabilities.get(gram)
      if (known) found.push(known)
    }
  }
  return found
}

const isCapital = (character: string) => /^\p{Uppercase}$/u.test(character)

/** Characters that tell languages apart stay; punctuation is blank, and of some scripts one character stands for all. */
function normalised(character: string, cjk: ReadonlyMap<string, string>): string {
  const code = character.codePointAt(0)!
  if (code < 0x80) return /[A-Za-z]/.test(character) ? character : ' '
  if (code < 0x100) return '\xa0«°»'.includes(character) ? ' ' : character
  // Romanian, written with a comma below for a cedilla.
  if (character === 'ș') return 'ş'
  if (character === 'ț') return 'ţ'
  // Farsi's yeh is Arabic's.
  if (character === '\u06cc') return '\u064a'
  if (code >= 0x1ea0 && code <= 0x1eff) return 'ể'
  if (code >= 0x2000 && code <= 0x206f) return ' '
  if (code >= 0x3040 && code <= 0x309f) return 'あ'
  if (code >= 0x30a0 && code <= 0x30ff) return 'ア'
  if ((code >= 0x3100 && code <= 0x312f) || (code >= 0x31a0 && code <= 0x31bf)) return 'ㄅ'
  if (code >= 0x4e00 && code <= 0x9fff) return cjk.get(character) ?? character
  if (code >= 0xac00 && code <= 0xd7af) return '가'
  return character
}
