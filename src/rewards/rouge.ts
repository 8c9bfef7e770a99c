import { textReward, type WorldModelReward } from './reward.ts'
import { porterStem } from './stemmer.ts'

export interface RougeScore {
  precision: number
  recall: number
  /** Harmonic mean of the two; 0 when nothing is shared. */
  f: number
}

export interface RougeOptions {
  /** Porter stemming of words longer than three letters. */
  stem: boolean
}

/** Words as Google's ROUGE splits them: lower-case runs of ASCII letters and digits; everything else separates. */
export function rougeWords(text: string, options: RougeOptions = { stem: false }): string[] {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return options.stem ? words.map((word) => (word.length > 3 ? porterStem(word) : word)) : words
}

/** ROUGE-N over n-grams, each counted at most as often as both texts hold it. */
export function rougeN(n: number, predicted: readonly string[], actual: readonly string[]): RougeScore {
  const wanted = ngramCounts(n, actual)
  let shared = 0
  for (const [ngram, count] of ngramCounts(n, predicted)) shared += Math.min(count, wanted.get(ngram) ?? 0)
  return rougeScore(shared, predicted.length - n + 1, actual.length - n + 1)
}

/** ROUGE-L: longest common subsequence of words over the whole text. */
export function rougeL(predicted: readonly string[], actual: readonly string[]): RougeScore {
  return rougeScore(longestCommon(predicted, actual), predicted.length, actual.length)
}

export type RougeVariant = 'rouge1' | 'rouge2' | 'rougeL'

/** F-measure of one variant for two texts. */
export function rougeF(variant: RougeVariant, predicted: string, actual: string, options?: RougeOptions): number {
  const [a, b] = [rougeWords(predicted, options), rougeWords(actual, options)]
  if (variant === 'rougeL') return rougeL(a, b).f
  return rougeN(variant === 'rouge1' ? 1 : 2, a, b).f
}

/** To the nearest fifth; a tie goes up. */
export function roundToFifth(value: number): number {
  return Math.round(value * 5) / 5
}

/** F-measure rounded to the nearest 0.2; distance is 1 − F before rounding. The same text always scores 1. */
export function rougeReward(variant: RougeVariant = 'rougeL', options?: RougeOptions): WorldModelReward {
  return textReward(options?.stem ? `${variant} stemmed` : variant, (predicted, actual) => {
    const f = predicted.trim() === actual.trim() ? 1 : rougeF(variant, predicted, actual, options)
    return { reward: roundToFifth(f), distance: 1 - f }
  })
}

/**
 * Length of the longest common subsequence, 32 places of `actual` at a time (Hyyrö 2004): a bit of `open` is 0 where the table of
 * the usual way grows by one. Texts of a hundred thousand words take a second, not minutes.
 */
function longestCommon(predicted: readonly string[], actual: readonly string[]): number {
  const places = new Map<string, number[]>()
  for (const [at, word] of actual.entries()) {
    const known = places.get(word)
    if (known) known.push(at)
    else places.set(word, [at])
  }
  const width = Math.ceil(actual.length / 32)
  const open = new Uint32Array(width).fill(0xffffffff)
  // Masks of words that are everywhere are kept: there are at most 32. Others are cheaply made again.
  const masks = new Map<string, Uint32Array>()
  const scratch = new Uint32Array(width)
  for (const word of predicted) {
    const here = places.get(word)
    if (!here) continue
    const isFrequent = here.length > width
    let mask = masks.get(word)
    if (!mask) {
      mask = isFrequent ? new Uint32Array(width) : scratch
      for (const at of here) mask[at >>> 5] |= 1 << (at & 31)
      if (isFrequent) masks.set(word, mask)
    }
    let carry = 0
    for (let i = 0; i < width; i++) {
      const sum = open[i] + ((open[i] & mask[i]) >>> 0) + carry
      carry = sum > 0xffffffff ? 1 : 0
      open[i] = sum | (open[i] & ~mask[i])
    }
    if (!isFrequent) for (const at of here) scratch[at >>> 5] = 0
  }
  let common = 0
  for (let at = 0; at < actual.length; at++) if (((open[at >>> 5] >>> (at & 31)) & 1) === 0) common++
  return common
}

function ngramCounts(n: number, words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (let i = 0; i + n <= words.length; i++) {
    const ngram = words.slice(i, i + n).join(' ')
    counts.set(ngram, (counts.get(ngram) ?? 0) + 1)
  }
  return counts
}

function rougeScore(shared: number, predicted: number, actual: number): RougeScore {
  const precision = shared / Math.max(predicted, 1)
  const recall = shared / Math.max(actual, 1)
  return { precision, recall, f: shared === 0 ? 0 : (2 * precision * recall) / (precision + recall) }
}
