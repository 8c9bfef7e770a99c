import { observationText, type Trajectory } from '../core/index.ts'
import type { ChatFormat } from '../tokens/index.ts'

/**
 * Along each sequence of an episode, 1 where a token is part of what the environment answered to an action, and 0 for all else:
 * instructions, the task and its first observation, headings of the template, histories shown again, and what the model wrote.
 * An answer is looked for before the reply to it, where the prompt shows it last; one that stands there in another form
 * (shortened, for one) is left out.
 */
export function observedMasks({ tokenizer }: ChatFormat, { turns, sequences }: Trajectory): number[][] {
  const texts = new Map<number, string>()
  const textOf = (token: number) => {
    const known = texts.get(token) ?? tokenizer.decode([token])
    texts.set(token, known)
    return known
  }
  let replies = 0
  return sequences.map(({ tokens, mask }) => {
    const observed = tokens.map(() => 0)
    for (let at = 0; at < tokens.length; ) {
      const end = mask.indexOf(1, at)
      if (end < 0) break
      if (replies > 0) {
        const answer = observationText(turns[replies - 1].observation).trim()
        const [from, to] = spanOf(tokens.slice(at, end).map(textOf), answer)
        observed.fill(1, at + from, at + to)
      }
      replies++
      const next = mask.indexOf(0, end)
      at = next < 0 ? tokens.length : next
    }
    return observed
  })
}

/** The pieces that lie wholly in the last place where a text stands: from one index to before another. */
function spanOf(pieces: readonly string[], text: string): [from: number, to: number] {
  const start = text === '' ? -1 : pieces.join('').lastIndexOf(text)
  if (start < 0) return [0, 0]
  let place = 0
  let [from, to] = [pieces.length, 0]
  for (const [index, piece] of pieces.entries()) {
    if (place >= start && place + piece.length <= start + text.length) {
      from = Math.min(from, index)
      to = index + 1
    }
    place += piece.length
  }
  return from < to ? [from, to] : [0, 0]
}
