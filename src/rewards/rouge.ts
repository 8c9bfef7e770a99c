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
  let previous = new Array<number>(actual.length + 1).fill(0)
  for (const word of predicted) {
    const row = [0]
    for (let j = 0; j < actual.length; j++) {
      row.push(word === actual[j] ? previous[j] + 1 : Math.max(previous[j + 1], row[j]))
    }
    previous = row
  }
  return rougeScore(previous[actual.length], predicted.length, actual.length)
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
