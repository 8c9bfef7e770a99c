import { type Group, inputLength } from './groups.ts'

/** Which model row predicts which token of which sequence: entry i speaks of the run's output row i. */
export interface Selection {
  /** Index of the sequence in the caller's list, and position t in it. */
  sequence: number
  position: number
  /** Output row; several entries share one where sequences share a prefix. */
  row: number
}

/** Heads of the model, as far as row numbers depend on them. */
export interface Heads {
  query: number
  keyValue: number
}

/** Int32 row numbers, or int64 where an operator insists (positions and shapes). */
export interface IndexArray {
  data: Int32Array | BigInt64Array
  dimensions: number[]
}

/** The inputs of one run besides the weights: token ids, row numbers, shapes, masks; and what its outputs mean. */
export interface RunLayout {
  prefixed: boolean
  indices: Record<string, IndexArray>
  masks: Record<string, { data: Float32Array; dimensions: number[] }>
  selections: Selection[]
  /** Output rows. */
  selected: number
  /** Model rows of real tokens. */
  rows: number
}

const MASKED = -1e9

/** Causal mask for `repeat` stacked copies of `length` queries. */
function causalMask(length: number, repeat: number): { data: Float32Array; dimensions: number[] } {
  const data = new Float32Array(repeat * length * length)
  for (let query = 0; query < repeat * length; query++) {
    data.fill(MASKED, query * length + (query % length) + 1, (query + 1) * length)
  }
  return { data, dimensions: [repeat * length, length] }
}

function vector(values: ArrayLike<number>): IndexArray {
  return { data: Int32Array.from(values), dimensions: [values.length] }
}

function wide(values: readonly number[], dimensions = [values.length]): IndexArray {
  return { data: BigInt64Array.from(values, BigInt), dimensions }
}

/** Where each of `count` rows stands in `slots`; `missing` where it does not. Padding slots refer to row `count − 1`. */
function invert(slots: Int32Array, count: number, missing: number): Int32Array {
  const inverse = new Int32Array(count).fill(missing)
  // Backwards, so that the first slot of a row counts.
  for (let slot = slots.length - 1; slot >= 0; slot--) inverse[slots[slot]] = slot
  return inverse
}

/**
 * Lay groups out for one run. Linear layers run on the real tokens only, one row each: all prefixes and answers one
 * after the other. Attention runs on padded batches made by gathering rows; padding slots refer to one dummy row,
 * which no loss depends on, so that its gradients are exactly zero.
 */
export function layoutRun(groups: readonly Group[], heads: Heads, prefixRows: boolean): RunLayout {
  const prefixed = groups[0].prefix > 0
  const count = groups.length
  const answers = Math.max(...groups.map((group) => group.members.length))
  const prefixLength = Math.max(...groups.map((group) => group.prefix))
  const answerLength = Math.max(...groups.map((group) => Math.max(...group.members.map(inputLength)) - group.prefix))

  const ids: number[] = []
  const positions: number[] = []
  const rowsOut: number[] = []
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
  for (const group of groups) {
    const { prefix, members } = group
    const start = append(members[0].tokens, 0, prefix)
    prefixStart.push(start)
    const shared = new Map<number, number>()
    answerStart.push(
      members.map((member) => {
        const own = append(member.tokens, prefix, inputLength(member))
        for (const position of member.selected) {
          // The row that predicts position t holds token t − 1.
          const source = position - 1 < prefix ? start + position - 1 : own + position - 1 - prefix
          let row = position - 1 < prefix ? shared.get(source) : undefined
          if (row === undefined) {
            row = rowsOut.length
            rowsOut.push(source)
            if (position - 1 < prefix) shared.set(source, row)
          }
          selections.push({ sequence: member.index, position, row })
        }
        return own
      }),
    )
  }
  const rows = ids.length
  const slotsNeeded = count * ((prefixed ? prefixLength : 0) + answers * answerLength)
  const padded = slotsNeeded > rows
  if (padded) {
    ids.push(0)
    positions.push(0)
  }
  const total = ids.length
  const dummy = rows

  const repeat = heads.query / heads.keyValue
  const prefixSlots = (perKey: number) => {
    const headCount = heads.keyValue * perKey
    const slots = new Int32Array(prefixed ? count * headCount * prefixLength : 0)
    let slot = 0
    if (prefixed) {
      for (let g = 0; g < count; g++) {
        for (let head = 0; head < headCount; head++) {
          for (let t = 0; t < prefixLength; t++) {
            const row = t < groups[g].prefix ? prefixStart[g] + t : dummy
            slots[slot++] = row * headCount + head
          }
        }
      }
    }
    return slots
  }
  const answerSlots = (perKey: number) => {
    const headCount = heads.keyValue * perKey
    const slots = new Int32Array(count * answers * headCount * answerLength)
    let slot = 0
    for (let g = 0; g < count; g++) {
      const lengths = groups[g].members.map((member) => inputLength(member) - groups[g].prefix)
      for (let key = 0; key < heads.keyValue; key++) {
        for (let a = 0; a < answers; a++) {
          for (let r = 0; r < perKey; r++) {
            for (let t = 0; t < answerLength; t++) {
              const row = t < (lengths[a] ?? 0) ? answerStart[g][a] + t : dummy
              slots[slot++] = row * headCount + key * perKey + r
            }
          }
        }
      }
    }
    return slots
  }
  const queryPrefix = prefixSlots(repeat)
  const queryAnswer = answerSlots(repeat)
  const keyPrefix = prefixSlots(1)
  const keyAnswer = answerSlots(1)
  const querySlots = Int32Array.from([...queryPrefix, ...queryAnswer])
  const keySlots = Int32Array.from([...keyPrefix, ...keyAnswer])

  // The last layer computes only the rows that are asked for.
  const lastSlots = prefixRows ? querySlots : queryAnswer
  const lastInverse = invert(lastSlots, total * heads.query, lastSlots.length)
  const outputSlots = new Int32Array(rowsOut.length * heads.query)
  for (let i = 0; i < rowsOut.length; i++) {
    for (let head = 0; head < heads.query; head++) {
      outputSlots[i * heads.query + head] = lastInverse[rowsOut[i] * heads.query + head]
    }
  }
  const batch = count * heads.keyValue
  const indices: Record<string, IndexArray> = {
    ids: vector(ids),
    positions: wide(positions, [total, 1]),
    queryAnswer: vector(queryAnswer),
    keyAnswer: vector(keyAnswer),
    querySlots: vector(querySlots),
    queryInverse: vector(invert(querySlots, total * heads.query, 0)),
    keyInverse: vector(invert(keySlots, total * heads.keyValue, 0)),
    lastInverse: vector(lastInverse),
    outputSlots: vector(outputSlots),
    outputInverse: vector(invert(outputSlots, lastSlots.length, outputSlots.length)),
    outputRows: vector(rowsOut),
    rowInverse: vector(invert(Int32Array.from(rowsOut), total, rowsOut.length)),
    ownQueryShape: wide([batch * answers, repeat * answerLength, -1]),
    ownKeyShape: wide([batch * answers, answerLength, -1]),
  }
  const masks: RunLayout['masks'] = { ownMask: causalMask(answerLength, repeat) }
  if (prefixed) {
    Object.assign(indices, {
      queryPrefix: vector(queryPrefix),
      keyPrefix: vector(keyPrefix),
      prefixQueryShape: wide([batch, repeat * prefixLength, -1]),
      prefixKeyShape: wide([batch, prefixLength, -1]),
      crossQueryShape: wide([batch, answers * repeat * answerLength, -1]),
      widths: wide([prefixLength, answerLength]),
    })
    masks.prefixMask = causalMask(prefixLength, repeat)
    const cross = new Float32Array(batch * prefixLength)
    for (let b = 0; b < batch; b++) {
      const { prefix } = groups[Math.floor(b / heads.keyValue)]
      cross.fill(MASKED, b * prefixLength + prefix, (b + 1) * prefixLength)
    }
    masks.crossMask = { data: cross, dimensions: [batch, 1, prefixLength] }
  }
  return { prefixed, indices, masks, selections, selected: rowsOut.length, rows }
}
