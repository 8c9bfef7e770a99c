import { Random } from '../../../core/index.ts'
import type { Datum } from '../../engine.ts'

/** `length` token ids, small ones more often, so that rows of the embedding repeat. */
export function randomTokens(random: Random, vocabulary: number, length: number): number[] {
  return Array.from({ length }, () => Math.floor(vocabulary * random.next() ** 3))
}

/** Prompts of `shortest` to 15 more tokens with `samples` answers of 3 to 12 each, as policy losses take them. */
export function promptsWithAnswers(
  vocabulary: number,
  prompts: number,
  samples: number,
  seed: number,
  shortest = 9,
): Datum[] {
  const random = new Random('data', seed)
  return Array.from({ length: prompts }, () => {
    const prompt = randomTokens(random, vocabulary, random.integer(shortest, shortest + 15))
    return Array.from({ length: samples }, (): Datum => {
      const answer = randomTokens(random, vocabulary, random.integer(3, 12))
      const tokens = [...prompt, ...answer]
      const logprob = () => -Math.log(vocabulary) + random.next() - 0.5
      return {
        tokens,
        weights: tokens.map((_, t) => (t < prompt.length ? 0 : 1 / (answer.length + 1))),
        advantages: tokens.map(() => 2 * random.next() - 1),
        oldLogprobs: tokens.map(logprob),
        refLogprobs: tokens.map(logprob),
      }
    })
  }).flat()
}

/** ‖a − b‖ / ‖b‖. */
export function relativeError(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let difference = 0
  let size = 0
  for (let i = 0; i < b.length; i++) {
    difference += (a[i] - b[i]) ** 2
    size += b[i] ** 2
  }
  return Math.sqrt(difference / size)
}
