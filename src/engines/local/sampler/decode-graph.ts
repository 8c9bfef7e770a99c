/**
 * Forward graphs of the decoder against a key/value cache. The cache is only ever read here: each run returns
 * the rotated keys and the values of its new tokens, and the caller writes them into the cache.
 *
 * Two graphs, because their shapes want different nodes:
 * - `buildStepGraph`: one new token a slot → the distribution of the next one. No transpose anywhere.
 * - `buildExtendGraph`: several new tokens a slot, only to fill the cache. No head, no distribution.
 *
 * Every dimension but the model's own is symbolic, so one session serves all batch sizes and cache lengths.
 */
import { hasAttentionBias, hasQueryKeyNorm, type ModelConfig } from '../config.ts'
import { GraphBuilder, type Value } from '../onnx/index.ts'
import { type RotaryTables, rotaryTables } from '../rotary-tables.ts'

/** Sizes derived from a config that graphs and cache share. */
export interface DecoderShape {
  layers: number
  heads: number
  keyValueHeads: number
  headSize: number
  /** Heads in one packed row: queries, then keys, then values. */
  packedHeads: number
}

export function decoderShape(config: ModelConfig): DecoderShape {
  const heads = config.num_attention_heads
  const keyValueHeads = config.num_key_value_heads
  return {
    layers: config.num_hidden_layers,
    heads,
    keyValueHeads,
    headSize: config.head_dim,
    packedHeads: heads + 2 * keyValueHeads,
  }
}

/** Where each matrix of the graphs lies in the flat weights. Query, key and value rows are adjacent: one matrix, one bias. */
export interface WeightSlice {
  name: string
  offset: number
  shape: number[]
}

/** The matrices and vectors the graphs read, as slices of the flat weights (parameter order of `parameterSpecs`). */
export function weightSlices(config: ModelConfig): WeightSlice[] {
  const { hidden_size: d, intermediate_size: ff, vocab_size: v } = config
  const { headSize, heads, packedHeads, layers } = decoderShape(config)
  const slices: WeightSlice[] = []
  let offset = 0
  const take = (name: string, shape: number[]) => {
    slices.push({ name, offset, shape })
    offset += shape.reduce((a, b) => a * b, 1)
  }
  take('embedding', [v, d])
  for (let layer = 0; layer < layers; layer++) {
    take(`attentionNorm.${layer}`, [d])
    take(`qkv.${layer}`, [packedHeads * headSize, d])
    if (hasAttentionBias(config)) take(`qkvBias.${layer}`, [packedHeads * headSize])
    if (hasQueryKeyNorm(config)) {
      take(`queryNorm.${layer}`, [headSize])
      take(`keyNorm.${layer}`, [headSize])
    }
    take(`out.${layer}`, [d, heads * headSize])
    take(`mlpNorm.${layer}`, [d])
    take(`gate.${layer}`, [ff, d])
    take(`up.${layer}`, [ff, d])
    take(`down.${layer}`, [d, ff])
  }
  take('norm', [d])
  if (config.tie_word_embeddings) slices.push({ name: 'head', offset: 0, shape: [v, d] })
  else take('head', [v, d])
  return slices
}

/**
 * Rotation tables of the graphs, [1 + 2 · positions, headSize / 2] each. The first row leaves a head as it is; then come
 * all positions, and all positions divided by √headSize: a query rotated with those is scaled for attention, which spares
 * the scale in the product (and the runtime's fast product of a vector and a matrix takes none).
 */
export function decodeTables(config: ModelConfig, positions: number): RotaryTables {
  const plain = rotaryTables(config, positions)
  const scaled = rotaryTables(config, positions, 1 / Math.sqrt(config.head_dim))
  const stack = (start: number, name: 'cosine' | 'sine') => {
    const half = config.head_dim / 2
    const table = new Float32Array(half + 2 * plain[name].length).fill(start, 0, half)
    table.set(plain[name], half)
    table.set(scaled[name], half + plain[name].length)
    return table
  }
  return { positions, cosine: stack(1, 'cosine'), sine: stack(0, 'sine') }
}

/** What both graphs share: weights by name (baked or fed), rotation, norms, the MLP. */
class DecoderGraph {
  readonly graph: GraphBuilder
  readonly shape: DecoderShape
  private readonly config: ModelConfig
  private readonly slices: Map<string, WeightSlice>
  private readonly baked: Float32Array | undefined
  private readonly cosine: Value
  private readonly sine: Value
  private readonly positions: Value

  constructor(name: string, config: ModelConfig, baked: Float32Array | undefined) {
    this.graph = new GraphBuilder(name)
    this.config = config
    this.shape = decoderShape(config)
    this.slices = new Map(weightSlices(config).map((slice) => [slice.name, slice]))
    this.baked = baked
    this.cosine = this.graph.input('cosine', 'float32', ['rotations', config.head_dim / 2])
    this.sine = this.graph.input('sine', 'float32', ['rotations', config.head_dim / 2])
    this.positions = this.graph.input('positions', 'int64', ['rows', 1])
  }

  weight(name: string): Value {
    const slice = this.slices.get(name)
    if (!slice) throw new Error(`no weight named ${name}`)
    if (!this.baked) return this.graph.input(name, 'float32', slice.shape)
    const size = slice.shape.reduce((a, b) => a * b, 1)
    return this.graph.initializer(name, this.baked.subarray(slice.offset, slice.offset + size), slice.shape)
  }

  /** x · Wᵀ for a weight as stored, [out, in]. */
  linear(x: Value, name: string): Value {
    return this.graph.matmul(x, this.weight(name), { transB: true })
  }

  norm(x: Value, name: string): Value {
    const attributes = { epsilon: { float: this.config.rms_norm_eps }, axis: -1 }
    return this.graph.node('SimplifiedLayerNormalization', [x, this.weight(name)], attributes)
  }

  /** [norm(x + addition), x + addition] in one node. */
  addNorm(x: Value, addition: Value, name: string): [Value, Value] {
    const attributes = { epsilon: { float: this.config.rms_norm_eps } }
    const outputs = this.graph.nodes(
      'SkipSimplifiedLayerNormalization',
      [x, addition, this.weight(name)],
      4,
      attributes,
    )
    return [outputs[0], outputs[3]]
  }

  /** Queries, keys and values of a normalised input, [tokens · packedHeads, 1, headSize], ready for attention. */
  packed(x: Value, layer: number): Value {
    const { graph, config } = this
    const { heads, keyValueHeads: kv, headSize, packedHeads } = this.shape
    let packed = this.linear(x, `qkv.${layer}`)
    if (hasAttentionBias(config)) packed = graph.node('Add', [packed, this.weight(`qkvBias.${layer}`)])
    if (hasQueryKeyNorm(config)) {
      const rows = graph.node('Reshape', [packed, graph.int64([-1, packedHeads, headSize])])
      const [q, k, v] = graph.nodes('Split', [rows, graph.int64([heads, kv, kv])], 3, { axis: 1 })
      const normed = [this.norm(q, `queryNorm.${layer}`), this.norm(k, `keyNorm.${layer}`), v]
      packed = graph.node('Concat', normed, { axis: 1 })
    }
    const rows = graph.node('Reshape', [packed, graph.int64([-1, 1, headSize])])
    return graph.node('RotaryEmbedding', [rows, this.positions, this.cosine, this.sine], { interleaved: 0 })
  }

  mlp(x: Value, layer: number): Value {
    const gate = this.graph.node('QuickGelu', [this.linear(x, `gate.${layer}`)], { alpha: { float: 1 } })
    return this.linear(this.graph.node('Mul', [gate, this.linear(x, `up.${layer}`)]), `down.${layer}`)
  }

  cache(layer: number): { keys: Value; values: Value } {
    const dimensions = ['slots', this.shape.keyValueHeads, 'cached', this.shape.headSize]
    return {
      keys: this.graph.input(`keys.${layer}`, 'float32', dimensions),
      values: this.graph.input(`values.${layer}`, 'float32', dimensions),
    }
  }

  /** Scaled queries [slots, kvHeads, rows, headSize] against cached and new tokens; → the same shape as the queries. */
  attend(layer: number, queries: Value, keys: Value, values: Value, mask: Value, sizes: Value, causal?: Value): Value {
    const { graph } = this
    const cache = this.cache(layer)
    const old = graph.node('Add', [graph.matmul(queries, cache.keys, { transB: true }), mask])
    let fresh = graph.matmul(queries, keys, { transB: true })
    if (causal) fresh = graph.node('Add', [fresh, causal])
    const weights = graph.node('Softmax', [graph.node('Concat', [old, fresh], { axis: -1 })], { axis: -1 })
    const [oldWeights, freshWeights] = graph.nodes('Split', [weights, sizes], 2, { axis: -1 })
    return graph.node('Add', [graph.matmul(oldWeights, cache.values), graph.matmul(freshWeights, values)])
  }
}

/**
 * One token a slot. Inputs: `embeddings` [slots, d]; `cosine` and `sine`, the tables of `decodeTables`; `positions`
 * [slots · packedHeads, 1]: their row for each head, a scaled one for queries, 0 for values; `mask`
 * [slots, 1, 1, cached], 0 on rows that hold a token and very negative elsewhere; `sizes` = [cached, 1];
 * `inverseTemperature` [1]; `keys.i`, `values.i` [slots, kvHeads, cached, headSize]; weights unless `baked`.
 * Outputs: `probabilities` [slots, vocabulary] and per layer `rows.i` [slots, packedHeads, headSize].
 */
export function buildStepGraph(config: ModelConfig, baked?: Float32Array): Uint8Array {
  const decoder = new DecoderGraph('step', config, baked)
  const { graph } = decoder
  const { layers, heads, keyValueHeads: kv, headSize, packedHeads } = decoder.shape
  const embeddings = graph.input('embeddings', 'float32', ['slots', config.hidden_size])
  const mask = graph.input('mask', 'float32', ['slots', 1, 1, 'cached'])
  const sizes = graph.input('sizes', 'int64', [2])
  const inverseTemperature = graph.input('inverseTemperature', 'float32', [1])

  let residual = embeddings
  let x = decoder.norm(residual, 'attentionNorm.0')
  for (let layer = 0; layer < layers; layer++) {
    const rows = graph.node('Reshape', [decoder.packed(x, layer), graph.int64([-1, packedHeads, 1, headSize])])
    graph.output(`rows.${layer}`, rows, 'float32', ['slots', packedHeads, 1, headSize])
    const [packed, keys, values] = graph.nodes('Split', [rows, graph.int64([heads, kv, kv])], 3, { axis: 1 })
    const queries = heads === kv ? packed : graph.node('Reshape', [packed, graph.int64([-1, kv, heads / kv, headSize])])
    const mixed = decoder.attend(layer, queries, keys, values, mask, sizes)
    const attended = graph.node('Reshape', [mixed, graph.int64([-1, heads * headSize])])
    const [normed, sum] = decoder.addNorm(residual, decoder.linear(attended, `out.${layer}`), `mlpNorm.${layer}`)
    const next = layer + 1 < layers ? `attentionNorm.${layer + 1}` : 'norm'
    ;[x, residual] = decoder.addNorm(sum, decoder.mlp(normed, layer), next)
  }
  const logits = decoder.linear(graph.node('Mul', [x, inverseTemperature]), 'head')
  const probabilities = graph.node('Softmax', [logits], { axis: -1 })
  graph.output('probabilities', probabilities, 'float32', ['slots', config.vocab_size])
  return graph.build()
}

/**
 * `length` tokens a slot, padded at the end. Inputs as for the step graph, but `embeddings` [slots, length, d];
 * `positions` [slots · length · packedHeads, 1]; `packed` = [slots, length, packedHeads, headSize]; `sizes` =
 * [cached, length]; `causal` [groups · length, length] with `groups` = heads / kvHeads; no temperature. Outputs: per layer
 * `rows.i` [slots, packedHeads, length, headSize].
 */
export function buildExtendGraph(config: ModelConfig, baked?: Float32Array): Uint8Array {
  const decoder = new DecoderGraph('extend', config, baked)
  const { graph } = decoder
  const { layers, heads, keyValueHeads: kv, headSize, packedHeads } = decoder.shape
  const embeddings = graph.input('embeddings', 'float32', ['slots', 'length', config.hidden_size])
  const packed = graph.input('packed', 'int64', [4])
  const mask = graph.input('mask', 'float32', ['slots', 1, 1, 'cached'])
  const sizes = graph.input('sizes', 'int64', [2])
  const causal = graph.input('causal', 'float32', ['queries', 'length'])

  let residual = embeddings
  let x = decoder.norm(residual, 'attentionNorm.0')
  for (let layer = 0; layer < layers; layer++) {
    const byToken = graph.node('Reshape', [decoder.packed(x, layer), packed])
    const rows = graph.node('Transpose', [byToken], { perm: [0, 2, 1, 3] })
    graph.output(`rows.${layer}`, rows, 'float32', ['slots', packedHeads, 'length', headSize])
    // The last layer is run for its keys and values only.
    if (layer + 1 === layers) break
    const [perHead, keys, values] = graph.nodes('Split', [rows, graph.int64([heads, kv, kv])], 3, { axis: 1 })
    const queries = heads === kv ? perHead : graph.node('Reshape', [perHead, graph.int64([0, kv, -1, headSize])])
    const grouped = decoder.attend(layer, queries, keys, values, mask, sizes, causal)
    const mixed = heads === kv ? grouped : graph.node('Reshape', [grouped, graph.int64([0, heads, -1, headSize])])
    const transposed = graph.node('Transpose', [mixed], { perm: [0, 2, 1, 3] })
    const attended = graph.node('Reshape', [transposed, graph.int64([0, 0, -1])])
    const [normed, sum] = decoder.addNorm(residual, decoder.linear(attended, `out.${layer}`), `mlpNorm.${layer}`)
    ;[x, residual] = decoder.addNorm(sum, decoder.mlp(normed, layer), `attentionNorm.${layer + 1}`)
  }
  return graph.build()
}
