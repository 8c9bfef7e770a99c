import { type Group, inputLength } from './groups.ts'

/** Which output row speaks of which token: several entries share a row where sequences share a prefix. */
export interface Selection {
  /** Index of the sequence in the caller's list, and position t in it. */
  sequence: number
  position: number
  row: number
}

/** Model rows of a run: the real tokens of all prefixes and answers, one after the other. */
export interface Placement {
  groups: readonly Group[]
  ids: number[]
  positions: number[]
  /** First row of each group's prefix, and of each of its answers. */
  prefixStart: number[]
  answerStart: number[][]
  /** Model rows that predict a wanted token, in output order. */
  outputRows: number[]
  selections: Selection[]
  /** Largest sizes, to which attention is padded. */
  answers: number
  prefixLength: number
  answerLength: number
  /** The row that padding refers to: after all real ones, and there only if there is padding. */
  dummy: number
}

/** Give every token its model row, and every wanted token the row that predicts it. */
export function placeRows(groups: readonly Group[]): Placement {
  const ids: number[] = []
  const positions: number[] = []
  const outputRows: number[] = []
  const selections: Selection[] = []
  const prefixStart: number[] = []
  const answerStart: number[][] = []
  const append = (tokens: readonly number[], from: number, to: number): number => {
    const start = ids.length
    for (let t = from; t < to; t++) {
      ids.push(tokens[t])
      positions.push(t)
    }
    return start
  }
  for (const { prefix, members } of groups) {
    const start = append(members[0].tokens, 0, prefix)
    prefixStart.push(start)
    const shared = new Map<number, number>()
    const starts = members.map((member) => {
      const own = append(member.tokens, prefix, inputLength(member))
      for (const position of member.selected) {
        // The row that predicts position t holds token t − 1.
        const inPrefix = position - 1 < prefix
        let row = inPrefix ? shared.get(position) : undefined
        if (row === undefined) {
          row = outputRows.length
          outputRows.push((inPrefix ? start : own - prefix) + position - 1)
          if (inPrefix) shared.set(position, row)
        }
        selections.push({ sequence: member.index, position, row })
      }
      return own
    })
    answerStart.push(starts)
  }
  const answers = Math.max(...groups.map((group) => group.members.length))
  const prefixLength = Math.max(...groups.map((group) => group.prefix))
  const answerLength = Math.max(...groups.map((group) => Math.max(...group.members.map(inputLength)) - group.prefix))
  const dummy = ids.length
  if (groups.length * (prefixLength + answers * answerLength) > ids.length) {
    ids.push(0)
    positions.push(0)
  }
  const sizes = { answers, prefixLength, answerLength, dummy }
  return { groups, ids, positions, prefixStart, answerStart, outputRows, selections, ...sizes }
}

/** Head rows (model row × heads + head) of all prefixes, padded: [group, head, position]. */
export function prefixSlots(placement: Placement, heads: number): Int32Array {
  const { groups, prefixStart, prefixLength, dummy } = placement
  const slots = new Int32Array(groups.length * heads * prefixLength)
  let slot = 0
  for (const [g, { prefix }] of groups.entries()) {
    for (let head = 0; head < heads; head++) {
      for (let t = 0; t < prefixLength; t++) slots[slot++] = (t < prefix ? prefixStart[g] + t : dummy) * heads + head
    }
  }
  return slots
}

/**
 * Head rows of all answers, padded: [group, key head, answer, query head of that key head, position]. So a group's
 * queries for one key head stand together, and within them those of one answer.
 */
export function answerSlots(placement: Placement, keyHeads: number, perKey: number): Int32Array {
  const { groups, answers, answerStart, answerLength, dummy } = placement
  const heads = keyHeads * perKey
  const slots = new Int32Array(groups.length * answers * heads * answerLength)
  let slot = 0
  for (const [g, { prefix, members }] of groups.entries()) {
    for (let key = 0; key < keyHeads; key++) {
      for (let answer = 0; answer < answers; answer++) {
        const length = answer < members.length ? inputLength(members[answer]) - prefix : 0
        for (let head = key * perKey; head < (key + 1) * perKey; head++) {
          for (let t = 0; t < answerLength; t++) {
            slots[slot++] = (t < length ? answerStart[g][answer] + t : dummy) * heads + head
          }
        }
      }
    }
  }
  return slots
}

/** Where in `slots` each of `count` rows stands first; `missing` where it does not. */
export function invert(slots: ArrayLike<number>, count: number, missing: number): Int32Array {
  const inverse = new Int32Array(count).fill(missing)
  for (let slot = slots.length - 1; slot >= 0; slot--) inverse[slots[slot]] = slot
  return inverse
}
