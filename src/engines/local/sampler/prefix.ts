/** Which prompts share a beginning, with each other and with sequences whose keys and values are still held. */

/** Length of the common beginning of two token sequences. */
export function commonPrefix(a: readonly number[], b: readonly number[]): number {
  const limit = Math.min(a.length, b.length)
  let length = 0
  while (length < limit && a[length] === b[length]) length++
  return length
}

function compareTokens(a: readonly number[], b: readonly number[]): number {
  const at = commonPrefix(a, b)
  if (at === a.length || at === b.length) return a.length - b.length
  return a[at] - b[at]
}

/** What a prompt can start from; indexes into the arguments of `planReuse`, -1 = none. */
export interface Reuse {
  /** The held sequence with the longest common beginning. */
  held: number
  heldLength: number
  /** An earlier prompt, in `order`, that has a longer one. */
  prompt: number
  promptLength: number
}

export interface ReusePlan {
  /** Prompts so that each comes after the one it starts from; shortest beginnings first. */
  order: number[]
  reuse: Reuse[]
}

/** Waiting for another prompt must save at least this many tokens. */
const MINIMUM_GAIN = 4

/**
 * For every prompt the best beginning to reuse. Sorted lexicographically, the longest common beginning of a prompt with any
 * of a set is with a neighbour; of the prompts that share it, the first one is taken, so that chains stay short.
 */
export function planReuse(prompts: readonly number[][], held: readonly (readonly number[])[]): ReusePlan {
  const reuse = prompts.map((): Reuse => ({ held: -1, heldLength: 0, prompt: -1, promptLength: 0 }))
  const entries = [
    ...prompts.map((tokens, index) => ({ tokens: tokens as readonly number[], index, isPrompt: true })),
    ...held.map((tokens, index) => ({ tokens, index, isPrompt: false })),
  ].sort((a, b) => compareTokens(a.tokens, b.tokens) || Number(a.isPrompt) - Number(b.isPrompt) || a.index - b.index)

  for (const direction of [entries, entries.toReversed()]) {
    let neighbour: (typeof entries)[number] | undefined
    for (const entry of direction) {
      if (!entry.isPrompt) neighbour = entry
      else if (neighbour) {
        const length = commonPrefix(entry.tokens, neighbour.tokens)
        if (length > reuse[entry.index].heldLength) {
          reuse[entry.index].held = neighbour.index
          reuse[entry.index].heldLength = length
        }
      }
    }
  }

  const sorted = entries.filter((entry) => entry.isPrompt).map((entry) => entry.index)
  // A stack of (common length, first prompt that shares it with all since): the usual scan for "smallest so far".
  const stack: { length: number; first: number }[] = []
  for (let i = 1; i < sorted.length; i++) {
    const prompt = prompts[sorted[i]]
    const length = commonPrefix(prompts[sorted[i - 1]], prompt)
    let first = sorted[i - 1]
    while (stack.length > 0 && stack[stack.length - 1].length >= length) first = stack.pop()!.first
    stack.push({ length, first })
    const own = reuse[sorted[i]]
    if (length >= own.heldLength + MINIMUM_GAIN) {
      own.prompt = first
      own.promptLength = length
    }
  }

  const root = (index: number): number => (reuse[index].prompt < 0 ? index : root(reuse[index].prompt))
  const roots = new Map(sorted.map((index) => [index, root(index)]))
  const place = new Map(sorted.map((index, i) => [index, i]))
  const order = sorted.toSorted((a, b) => {
    const [rootA, rootB] = [roots.get(a)!, roots.get(b)!]
    return (
      prompts[rootA].length - prompts[rootB].length ||
      place.get(rootA)! - place.get(rootB)! ||
      place.get(a)! - place.get(b)!
    )
  })
  return { order, reuse }
}
