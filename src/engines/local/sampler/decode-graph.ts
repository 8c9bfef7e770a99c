/**
 * Forward graphs of the Llama-style decoder against a key/value cache. The cache is only ever read here: each run returns
 * the rotated keys and the values of its new tokens, and the caller writes them into the cache.
 *
 * Two graphs, because their shapes want different nodes:
 * - `buildStepGraph`: one new token a slot → the distribution of the next one. No transpose anywhere.
 * - `buildExtendGraph`: several new tokens a slot, only to fill the cache. No head, no distribution.
 *
 * Every dimension but the model's own is symbolic, so one session serves all batch sizes and cache lengths.
 */
import type { ModelConfig } from '../config.ts'
import { GraphBuilder, type Value } from '../onnx/index.ts'

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
    headSize: config.hidden_size / heads,
    packedHeads: heads + 2 * keyValueHeads,
  }
}

/** Where each matrix of the graphs lies in the flat weights. Query, key and value rows are adjacent: one matrix. */
export interface WeightSlice {
  name: string
  offset: number
  shape: number[]
}

/** The matrices and vectors the graphs read, as slices of the flat weights (parameter order of `parameterSpecs`). */
export function weightSlices(config: ModelConfig): WeightSlice[] {
  const { hidden_size: d, intermediate_size: ff, vocab_size: v } = config
  const { headSize, packedHeads, layers } = decoderShape(config)
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
    take(`out.${layer}`, [d, d])
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
 * Rotation tables: cosine and sine of position × frequency, [2 · positions, headSize / 2] each. The second half holds the
 * same divided by √headSize: a query rotated with it is scaled for attention, which spares the scale in the product (and
 * the runtime's fast product of a vector and a matrix takes none).
 */
function rotationTables(config: ModelConfig): { cosine: Float32Array; sine: Float32Array; half: number } {
  const { headSize } = decoderShape(config)
  const half = headSize / 2
  const positions = config.max_position_embeddings
  const cosine = new Float32Array(2 * positions * half)
  const sine = new Float32Array(2 * positions * half)
  for (let i = 0; i < half; i++) {
    const frequency = config.rope_theta ** (-i / half)
    for (let row = 0; row < 2 * positions; row++) {
      const scale = row < positions ? 1 : 1 / Math.sqrt(headSize)
      const angle = (row % positions) * frequency
      cosine[row * half + i] = scale * Math.cos(angle)
      sine[row * half + i] = scale * Math.sin(angle)
    }
  }
  return { cosine, sine, half }
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

  constructor(name: string, config: ModelConfig, baked: Float32Array | undefined) {
    this.graph = new GraphBuilder(name)
    this.config = config
    this.shape = decoderShape(config)
    this.slices = new Map(weightSlices(config).map((slice) => [slice.name, slice]))
    this.baked = baked
    const { cosine, sine, half } = rotationTables(config)
    this.cosine = this.graph.initializer('cosine', cosine, [2 * config.max_position_embeddings, half])
    this.sine = this.graph.initializer('sine', sine, [2 * config.max_position_embeddings, half])
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

  /** Rotates rows [n, 1, headSize], each by its own row of the tables; row 0 leaves it as it is. */
  rotate(rows: Value, positions: Value): Value {
    return this.graph.node('RotaryEmbedding', [rows, positions, this.cosine, this.sine], { interleaved: 0 })
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
 * One token a slot. Inputs: `embeddings` [slots, d]; `positions` [slots · packedHeads, 1]: the
 * row of the rotation tables for each head, in the second half for queries, 0 for values; `mask`
 * [slots, 1, 1, cached], 0 on rows that hold a token and very negative elsewhere; `sizes` = [cached, 1];
 * `inverseTemperature` [1]; `keys.i`, `values.i` [slots, kvHeads, cached, headSize]; weights unless `baked`.
 * Outputs: `probabilities` [slots, vocabulary] and per layer `rows.i` [slots, packedHeads, headSize].
 */
export function buildStepGraph(config: ModelConfig, baked?: Float32Array): Uint8Array {
  const decoder = new DecoderGraph('step', config, baked)
  const { graph } = decoder
  const { layers, heads, keyValueHeads: kv, headSize, packedHeads } = decoder.shape
  const embeddings = graph.input('embeddings', 'float32', ['slots', config.hidden_size])
  const positions = graph.input('positions', 'int64', ['rows', 1])
  const mask = graph.input('mask', 'float32', ['slots', 1, 1, 'cached'])
  const sizes = graph.input('sizes', 'int64', [2])
  const inverseTemperature = graph.input('inverseTemperature', 'float32', [1])

  let residual = embeddings
  let x = decoder.norm(residual, 'attentionNorm.0')
  for (let layer = 0; layer < layers; layer++) {
    const flat = graph.node('Reshape', [decoder.linear(x, `qkv.${layer}`), graph.int64([-1, 1, headSize])])
    const rotated = decoder.rotate(flat, positions)
    const rows = graph.node('Reshape', [rotated, graph.int64([-1, packedHeads, 1, headSize])])
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
  const positions = graph.input('positions', 'int64', ['rows', 1])
  const packed = graph.input('packed', 'int64', [4])
  const mask = graph.input('mask', 'float32', ['slots', 1, 1, 'cached'])
  const sizes = graph.input('sizes', 'int64', [2])
  const causal = graph.input('causal', 'float32', ['queries', 'length'])

  let residual = embeddings
  let x = decoder.norm(residual, 'attentionNorm.0')
  for (let layer = 0; layer < layers; layer++) {
    const flat = graph.node('Reshape', [decoder.linear(x, `qkv.${layer}`), graph.int64([-1, 1, headSize])])
    const rotated = graph.node('Reshape', [decoder.rotate(flat, positions), packed])
    const rows = graph.node('Transpose', [rotated], { perm: [0, 2, 1, 3] })
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
