/**
 * From flat data to groups that share a prefix. Neighbours in the data whose tokens begin alike (a prompt and its
 * sampled answers, steps under one system prompt) are found by comparing tokens; nobody has to declare them.
 */

/** What a run needs of one sequence. */
export interface Sequence {
  /** Its position in the caller's list. */
  index: number
  tokens: readonly number[]
  /** Positions t ≥ 1, ascending and not empty, whose log-probability given tokens[0..t−1] is wanted. */
  selected: readonly number[]
}

/** Sequences that agree on their first `prefix` tokens; these run through the model once. */
export interface Group {
  prefix: number
  members: Sequence[]
}

/** Shorter common beginnings are not worth a shared pass. */
const MINIMUM_PREFIX = 8

/** Tokens that go into the model: nothing after the last wanted position has an influence. */
export function inputLength(sequence: Sequence): number {
  return sequence.selected[sequence.selected.length - 1]
}

/** The longest prefix that this sequence could share, by its wanted positions. */
function shareable(sequence: Sequence, prefixRows: boolean): number {
  // The first input row of an answer is the last token before it: it predicts the answer's first token.
  return (prefixRows ? inputLength(sequence) : sequence.selected[0]) - 1
}

function commonPrefix(a: readonly number[], b: readonly number[], limit: number): number {
  let length = 0
  while (length < limit && a[length] === b[length]) length++
  return length
}

/**
 * Greedy grouping of neighbours: a sequence joins the group before it if that saves more tokens than it loses by
 * shortening the shared prefix. With `prefixRows` positions inside the prefix may be wanted too (log-probabilities of
 * whole sequences); otherwise a prefix ends before the first wanted position.
 */
export function groupByPrefix(sequences: readonly Sequence[], prefixRows: boolean): Group[] {
  const groups: Group[] = []
  for (const sequence of sequences) {
    const own = shareable(sequence, prefixRows)
    const group = groups.at(-1)
    if (group) {
      const saved = group.members.length - 1
      const limit = Math.min(group.prefix, own)
      // With wanted positions in the prefix, its last row predicts one more token, which must be the same for all.
      const prefix = prefixRows
        ? commonPrefix(group.members[0].tokens, sequence.tokens, limit + 1) - 1
        : commonPrefix(group.members[0].tokens, sequence.tokens, limit)
      if (prefix >= MINIMUM_PREFIX && (saved + 1) * prefix > saved * group.prefix) {
        group.prefix = prefix
        group.members.push(sequence)
        continue
      }
    }
    groups.push({ prefix: own, members: [sequence] })
  }
  for (const group of groups) if (group.members.length === 1) group.prefix = 0
  return groups
}

/** Model rows of a group: its prefix once, and the rest of each member. */
export function groupRows(group: Group): number {
  return group.members.reduce((sum, member) => sum + inputLength(member) - group.prefix, group.prefix)
}

function longestAnswer(group: Group): number {
  return Math.max(...group.members.map(inputLength)) - group.prefix
}

/** A group too big for one run, as several: each repeats the prefix. */
function splitGroup(group: Group, rowBudget: number): Group[] {
  if (groupRows(group) <= rowBudget) return [group]
  const parts: Group[] = []
  const members = group.members.toSorted((a, b) => inputLength(b) - inputLength(a))
  let part: Group = { prefix: group.prefix, members: [] }
  for (const member of members) {
    const grown = { prefix: group.prefix, members: [...part.members, member] }
    if (part.members.length > 0 && groupRows(grown) > rowBudget) {
      parts.push(part)
      part = { prefix: group.prefix, members: [member] }
    } else part = grown
  }
  parts.push(part)
  return parts.map((split) => (split.members.length === 1 ? { ...split, prefix: 0 } : split))
}

/**
 * Groups packed into runs of at most `rowBudget` model rows. A group by itself may have `groupBudget`, because parts of it would
 * repeat its prefix; a single longer sequence makes a run of its own. Runs hold either groups with a prefix or plain sequences,
 * of similar shape, because attention is padded to the largest.
 */
export function planRuns(groups: readonly Group[], rowBudget: number, groupBudget = rowBudget): Group[][] {
  const parts = groups.flatMap((group) => splitGroup(group, groupBudget))
  const order = (group: Group) => [group.prefix === 0 ? 1 : 0, group.members.length, longestAnswer(group), group.prefix]
  const keyed = parts.map((group) => ({ group, key: order(group) }))
  keyed.sort((a, b) => {
    const at = a.key.findIndex((value, i) => value !== b.key[i])
    return at < 0 ? 0 : b.key[at] - a.key[at]
  })
  const runs: Group[][] = []
  let rows = 0
  for (const { group } of keyed) {
    const run = runs.at(-1)
    const size = groupRows(group)
    if (run && (run[0].prefix === 0) === (group.prefix === 0) && rows + size <= rowBudget) {
      run.push(group)
      rows += size
    } else {
      runs.push([group])
      rows = size
    }
  }
  return runs
}
