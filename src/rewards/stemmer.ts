/**
 * Porter's stemmer (1980), as published: strips English endings in five steps. A word's *measure* is the number of
 * vowel–consonant runs in it; most rules apply only where what is left has measure enough. Later additions to the
 * algorithm, which some libraries apply, are left out: they change about one English word in seventy.
 */

const isVowelLetter = (letter: string) => 'aeiou'.includes(letter)

/** `y` is a consonant at the start and after a vowel. */
function isConsonant(word: string, at: number): boolean {
  if (isVowelLetter(word[at])) return false
  if (word[at] !== 'y') return true
  return at === 0 || !isConsonant(word, at - 1)
}

function measure(word: string): number {
  let count = 0
  for (let i = 1; i < word.length; i++) if (isConsonant(word, i) && !isConsonant(word, i - 1)) count++
  return count
}

function hasVowel(word: string): boolean {
  for (let i = 0; i < word.length; i++) if (!isConsonant(word, i)) return true
  return false
}

function endsInDoubleConsonant(word: string): boolean {
  const last = word.length - 1
  return last >= 1 && word[last] === word[last - 1] && isConsonant(word, last)
}

/** Consonant, vowel, consonant, the last not w, x or y. */
function endsInShortSyllable(word: string): boolean {
  const last = word.length - 1
  if (last < 2 || 'wxy'.includes(word[last])) return false
  return isConsonant(word, last) && !isConsonant(word, last - 1) && isConsonant(word, last - 2)
}

/** The longest ending that fits is the only one tried; it is replaced where the rest satisfies the condition. */
function replaceEnding(word: string, endings: [string, string][], condition: (stem: string) => boolean): string {
  const fitting = endings.filter(([ending]) => word.endsWith(ending)).sort((a, b) => b[0].length - a[0].length)[0]
  if (!fitting) return word
  const stem = word.slice(0, word.length - fitting[0].length)
  return condition(stem) ? stem + fitting[1] : word
}

function stripPlural(word: string): string {
  const endings: [string, string][] = [
    ['sses', 'ss'],
    ['ies', 'i'],
    ['ss', 'ss'],
    ['s', ''],
  ]
  return replaceEnding(word, endings, () => true)
}

function stripPast(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word
  const ending = ['ed', 'ing'].find((candidate) => word.endsWith(candidate))
  if (!ending) return word
  const stem = word.slice(0, -ending.length)
  if (!hasVowel(stem)) return word
  if (['at', 'bl', 'iz'].some((end) => stem.endsWith(end))) return `${stem}e`
  if (endsInDoubleConsonant(stem) && !'lsz'.includes(stem.at(-1)!)) return stem.slice(0, -1)
  return measure(stem) === 1 && endsInShortSyllable(stem) ? `${stem}e` : stem
}

const DOUBLE_SUFFIXES: [string, string][] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
]

const DERIVED_SUFFIXES: [string, string][] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
]

const LAST_SUFFIXES = [
  'al',
  'ance',
  'ence',
  'er',
  'ic',
  'able',
  'ible',
  'ant',
  'ement',
  'ment',
  'ent',
  'ion',
  'ou',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
]

function stripLast(word: string): string {
  const ending = LAST_SUFFIXES.filter((suffix) => word.endsWith(suffix)).sort((a, b) => b.length - a.length)[0]
  if (!ending) return word
  const stem = word.slice(0, -ending.length)
  if (measure(stem) <= 1) return word
  return ending === 'ion' && !'st'.includes(stem.at(-1)!) ? word : stem
}

function tidy(word: string): string {
  let out = word
  if (out.endsWith('e')) {
    const stem = out.slice(0, -1)
    if (measure(stem) > 1 || (measure(stem) === 1 && !endsInShortSyllable(stem))) out = stem
  }
  return measure(out) > 1 && endsInDoubleConsonant(out) && out.endsWith('l') ? out.slice(0, -1) : out
}

/** The stem of one lower-case word. */
export function porterStem(word: string): string {
  if (word.length <= 2) return word
  let stem = stripPast(stripPlural(word))
  if (stem.endsWith('y') && hasVowel(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`
  stem = replaceEnding(stem, DOUBLE_SUFFIXES, (rest) => measure(rest) > 0)
  stem = replaceEnding(stem, DERIVED_SUFFIXES, (rest) => measure(rest) > 0)
  return tidy(stripLast(stem))
}
