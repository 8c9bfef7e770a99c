import type { TokenSequence } from '../../src/core/index.ts'
import type { ChatFormat } from '../../src/tokens/index.ts'

/** Where to go is mostly chance: at full weight it would drown what can be learned. */
const PLACE_WEIGHT = 0.3
/** Whether the needed thing is here: the one token that everything hangs on. */
const SEEING_WEIGHT = 3

/** Weights along a conversation; `learned` says of each reply (counted from 0) whether it is to be imitated. */
export function weigh(
  { tokens, mask }: TokenSequence,
  learned: (reply: number) => boolean,
  format: ChatFormat,
): number[] {
  const go = format.tokenizer.tokenId('go to')
  const see = format.tokenizer.tokenId(' see')
  let reply = -1
  return tokens.map((_, index) => {
    if (mask[index] === 0) return 0
    if (mask[index - 1] === 0) reply++
    if (!learned(reply)) return 0
    if (tokens[index - 1] === go) return PLACE_WEIGHT
    return tokens[index - 1] === see ? SEEING_WEIGHT : 1
  })
}
