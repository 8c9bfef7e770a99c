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
  /** Blocks of rows that sequences, or the prefixes they share, are cut into. */
  blocks: number
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

/** Shorter sequences are not cut: more and smaller products would gain nothing. */
const SHORTEST_CUT = 256
/** Four leave out three eighths of the scores of a whole square; eight would leave out seven sixteenths. */
const BLOCKS = 4

/** Causal mask for `repeat` stacked copies of the queries [start, end) of a sequence, and the keys before the end. */
function causalMask(start: number, end: number, repeat: number): MaskArray {
  const data = new Float32Array(repeat * (end - start) * end)
  let row = 0
  for (let copy = 0; copy < repeat; copy++) {
    for (let query = start; query < end; query++, row++) data.fill(MASKED, row * end + query + 1, (row + 1) * end)
  }
  return { data, dimensions: [repeat * (end - start), end] }
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

/** Slots `[…, length]`, cut along the last axis: those of one block after those of the other. */
function cut(slots: Int32Array, length: number, bounds: readonly number[]): Int32Array[] {
  return bounds.slice(1).map((end, b) => {
    const block = new Int32Array((slots.length / length) * (end - bounds[b]))
    let at = 0
    for (let row = 0; row < slots.length; row += length) {
      for (let t = bounds[b]; t < end; t++) block[at++] = slots[row + t]
    }
    return block
  })
}

/**
 * Inputs of attention to what comes before in the same sequence, `length` long: queries `[batch, repeat, position]` and keys
 * `[batch, position]` by their slots. `scores` counts those of one batch.
 */
function selfAttention(queries: Int32Array, keys: Int32Array, batch: number, repeat: number, length: number) {
  const blocks = length < SHORTEST_CUT ? 1 : BLOCKS
  const bounds = Array.from({ length: blocks + 1 }, (_, b) => Math.round((b * length) / blocks))
  const cuts = cut(queries, length, bounds)
  const indices: RunLayout['indices'] = { selfKeys: vector(keys), selfKeyShape: wide([batch, length, -1]) }
  const masks: RunLayout['masks'] = {}
  let scores = 0
  for (const [b, block] of cuts.entries()) {
    const [start, end] = [bounds[b], bounds[b + 1]]
    indices[`selfQueries${b}`] = vector(block)
    indices[`selfQueryShape${b}`] = wide([batch, repeat * (end - start), -1])
    // The last block sees all keys.
    if (end < length) {
      indices[`selfKeyShape${b}`] = wide([batch, end, -1])
      indices[`selfEnd${b}`] = wide([end])
      indices[`selfPadding${b}`] = wide([0, 0, 0, 0, length - end, 0])
    }
    masks[`selfMask${b}`] = causalMask(start, end, repeat)
    scores += repeat * (end - start) * end
  }
  return { blocks, indices, masks, scores, slots: cuts.reduce(joined) }
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

  const prefixed = prefixLength > 0
  const answerQueries = answerSlots(placement, heads.keyValue, repeat)
  const answerKeys = answerSlots(placement, heads.keyValue, 1)
  const self = prefixed
    ? selfAttention(
        prefixSlots(placement, heads.query),
        prefixSlots(placement, heads.keyValue),
        batch,
        repeat,
        prefixLength,
      )
    : selfAttention(answerQueries, answerKeys, batch * answers, repeat, answerLength)
  const querySlots = prefixed ? joined(self.slots, answerQueries) : self.slots
  const keySlots = prefixed ? joined(self.indices.selfKeys.data as Int32Array, answerKeys) : answerKeys

  // The last layer computes only the rows that are asked for.
  const lastSlots = prefixed && !prefixRows ? answerQueries : querySlots
  const lastInverse = invert(lastSlots, total * heads.query, lastSlots.length)
  const outputSlots = Int32Array.from({ length: outputRows.length * heads.query }, (_, i) => {
    const head = i % heads.query
    return lastInverse[outputRows[(i - head) / heads.query] * heads.query + head]
  })
  const indices: RunLayout['indices'] = {
    ...self.indices,
    ids: vector(ids),
    positions: wide(positions, [total, 1]),
    querySlots: vector(querySlots),
    queryInverse: vector(invert(querySlots, total * heads.query, 0)),
    keyInverse: vector(invert(keySlots, total * heads.keyValue, 0)),
    lastInverse: vector(lastInverse),
    outputSlots: vector(outputSlots),
    outputInverse: vector(invert(outputSlots, lastSlots.length, outputSlots.length)),
    outputRows: vector(outputRows),
    rowInverse: vector(invert(outputRows, total, outputRows.length)),
  }
  const masks: RunLayout['masks'] = { ...self.masks }
  if (prefixed) {
    indices.queryAnswer = vector(answerQueries)
    indices.keyAnswer = vector(answerKeys)
    indices.ownQueryShape = wide([batch * answers, repeat * answerLength, -1])
    indices.ownKeyShape = wide([batch * answers, answerLength, -1])
    indices.crossQueryShape = wide([batch, answers * repeat * answerLength, -1])
    indices.widths = wide([prefixLength, answerLength])
    masks.ownMask = causalMask(0, answerLength, repeat)
    masks.crossMask = prefixPadding(placement, heads.keyValue)
  }
  const own = prefixed ? batch * answers * repeat * answerLength * (prefixLength + answerLength) : 0
  return {
    prefixed,
    blocks: self.blocks,
    indices,
    masks,
    selections,
    positions: prefixLength + answerLength,
    selected: outputRows.length,
    size: { rows: total, scores: (prefixed ? batch : batch * answers) * self.scores + own },
  }
}
