import type { Group } from './groups.ts'
import { answerSlots, invert, type Placement, placeRows, prefixSlots, type Selection } from './placement.ts'

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

export interface MaskArray {
  data: Float32Array
  dimensions: number[]
}

/** The inputs of one run besides the weights: token ids, row numbers, shapes, masks; and what its outputs mean. */
export interface RunLayout {
  prefixed: boolean
  indices: Record<string, IndexArray>
  masks: Record<string, MaskArray>
  selections: Selection[]
  /** At least as many as positions occur. */
  positions: number
  /** Output rows. */
  selected: number
  /** Rows of the model, and scores that attention computes in each layer: what the memory of a run goes by. */
  size: RunSize
}

export interface RunSize {
  rows: number
  scores: number
}

const MASKED = -1e9

/** Causal mask for `repeat` stacked copies of `length` queries. */
function causalMask(length: number, repeat: number): MaskArray {
  const data = new Float32Array(repeat * length * length)
  for (let query = 0; query < repeat * length; query++) {
    data.fill(MASKED, query * length + (query % length) + 1, (query + 1) * length)
  }
  return { data, dimensions: [repeat * length, length] }
}

/** Hides the padding of shorter prefixes: one row of keys per group and key head. */
function prefixPadding({ groups, prefixLength }: Placement, keyHeads: number): MaskArray {
  const batch = groups.length * keyHeads
  const data = new Float32Array(batch * prefixLength)
  for (let b = 0; b < batch; b++) {
    data.fill(MASKED, b * prefixLength + groups[Math.floor(b / keyHeads)].prefix, (b + 1) * prefixLength)
  }
  return { data, dimensions: [batch, 1, prefixLength] }
}

function vector(values: ArrayLike<number>): IndexArray {
  return { data: Int32Array.from(values), dimensions: [values.length] }
}

function wide(values: readonly number[], dimensions = [values.length]): IndexArray {
  return { data: BigInt64Array.from(values, BigInt), dimensions }
}

function joined(a: Int32Array, b: Int32Array): Int32Array {
  const out = new Int32Array(a.length + b.length)
  out.set(a)
  out.set(b, a.length)
  return out
}

/**
 * Lay groups out for one run. Linear layers run on the real tokens only, one row each. Attention runs on padded
 * batches made by gathering head rows; padding refers to one dummy row, which no loss depends on, so that its
 * gradients are exactly zero. Groups either all have a prefix or none has.
 */
export function layoutRun(groups: readonly Group[], heads: Heads, prefixRows: boolean): RunLayout {
  const placement = placeRows(groups)
  const { ids, positions, outputRows, selections, answers, prefixLength, answerLength } = placement
  const total = ids.length
  const repeat = heads.query / heads.keyValue
  const batch = groups.length * heads.keyValue

  const queryPrefix = prefixSlots(placement, heads.query)
  const keyPrefix = prefixSlots(placement, heads.keyValue)
  const queryAnswer = answerSlots(placement, heads.keyValue, repeat)
  const keyAnswer = answerSlots(placement, heads.keyValue, 1)
  const querySlots = joined(queryPrefix, queryAnswer)

  // The last layer computes only the rows that are asked for.
  const lastSlots = prefixRows ? querySlots : queryAnswer
  const lastInverse = invert(lastSlots, total * heads.query, lastSlots.length)
  const outputSlots = Int32Array.from({ length: outputRows.length * heads.query }, (_, i) => {
    const head = i % heads.query
    return lastInverse[outputRows[(i - head) / heads.query] * heads.query + head]
  })
  const indices: RunLayout['indices'] = {
    ids: vector(ids),
    positions: wide(positions, [total, 1]),
    queryAnswer: vector(queryAnswer),
    keyAnswer: vector(keyAnswer),
    querySlots: vector(querySlots),
    queryInverse: vector(invert(querySlots, total * heads.query, 0)),
    keyInverse: vector(invert(joined(keyPrefix, keyAnswer), total * heads.keyValue, 0)),
    lastInverse: vector(lastInverse),
    outputSlots: vector(outputSlots),
    outputInverse: vector(invert(outputSlots, lastSlots.length, outputSlots.length)),
    outputRows: vector(outputRows),
    rowInverse: vector(invert(outputRows, total, outputRows.length)),
    ownQueryShape: wide([batch * answers, repeat * answerLength, -1]),
    ownKeyShape: wide([batch * answers, answerLength, -1]),
  }
  const masks: RunLayout['masks'] = { ownMask: causalMask(answerLength, repeat) }
  const prefixed = prefixLength > 0
  if (prefixed) {
    indices.queryPrefix = vector(queryPrefix)
    indices.keyPrefix = vector(keyPrefix)
    indices.prefixQueryShape = wide([batch, repeat * prefixLength, -1])
    indices.prefixKeyShape = wide([batch, prefixLength, -1])
    indices.crossQueryShape = wide([batch, answers * repeat * answerLength, -1])
    indices.widths = wide([prefixLength, answerLength])
    masks.prefixMask = causalMask(prefixLength, repeat)
    masks.crossMask = prefixPadding(placement, heads.keyValue)
  }
  return {
    prefixed,
    indices,
    masks,
    selections,
    positions: prefixLength + answerLength,
    selected: outputRows.length,
    size: {
      rows: total,
      scores:
        groups.length *
        heads.query *
        (prefixLength ** 2 + answers * answerLength * ((prefixed ? prefixLength : 0) + answerLength)),
    },
  }
}
