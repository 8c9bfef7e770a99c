/** The ONNX Runtime sessions of the sampler and the marshalling of their inputs. */
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import type { Runtime } from '../../../core/index.ts'
import type { ModelConfig } from '../config.ts'
import { GrowingTables, type RotaryTables } from '../rotary-tables.ts'
import type { Provider } from '../runtime.ts'
import type { KvArena } from './arena.ts'
import {
  buildExtendGraph,
  buildStepGraph,
  type DecoderShape,
  decoderShape,
  decodeTables,
  weightSlices,
} from './decode-graph.ts'

const MASKED = -1e30

/** int64 tensors hold small non-negative numbers: write the low halves, which is far cheaper than BigInt. */
class Int64Buffer {
  private wide = new BigInt64Array(0)
  private narrow = new Int32Array(0)

  /** Room for `size` numbers; `put` sets one, `tensorData` views them. What was there before may remain. */
  resize(size: number): void {
    if (this.wide.length >= size) return
    this.wide = new BigInt64Array(size)
    this.narrow = new Int32Array(this.wide.buffer)
  }

  put(index: number, value: number): void {
    this.narrow[2 * index] = value
  }

  tensorData(size: number): BigInt64Array {
    return this.wide.subarray(0, size)
  }
}

interface RunnerOptions {
  threads: number
  provider?: Provider
}

export class DecoderRunner {
  readonly shape: DecoderShape
  private readonly ort: Runtime
  private readonly config: ModelConfig
  private readonly options: RunnerOptions
  private readonly currentWeights: () => Float32Array
  private weights: Float32Array | undefined
  private fedStep: InferenceSession | undefined
  private bakedStep: InferenceSession | undefined
  /** The one of the two that the current call uses. */
  private stepSession: InferenceSession | undefined
  private extendSession: InferenceSession | undefined
  private weightFeeds: Record<string, Tensor> = {}
  private readonly positions = new Int64Buffer()
  private readonly rotations: GrowingTables
  private embeddings = new Float32Array(0)
  private causal: { length: number; tensor: Tensor } | undefined

  /** `currentWeights` are flat, in the order of `parameterSpecs`: asked for before the first run and after each change. */
  constructor(ort: Runtime, config: ModelConfig, currentWeights: () => Float32Array, options: RunnerOptions) {
    this.ort = ort
    this.config = config
    this.shape = decoderShape(config)
    this.currentWeights = currentWeights
    this.options = options
    this.rotations = new GrowingTables((positions) => decodeTables(config, positions))
  }

  private async open(model: Uint8Array): Promise<InferenceSession> {
    return this.ort.InferenceSession.create(model, {
      executionProviders: [this.options.provider ?? 'cpu'],
      intraOpNumThreads: this.options.threads,
      interOpNumThreads: 1,
      // Sizes change from run to run, so a remembered memory plan seldom fits.
      enableMemPattern: false,
      logSeverityLevel: 3,
      // Threads that spin for a moment while they wait: a tenth faster on an idle machine, little slower on a busy one, where
      // spinning on would halve the speed. (A small model's steps are too short to gain, a training pass has too few waits.)
      extra: { session: { intra_op: { allow_spinning: '1', spin_duration_us: '100' } } },
    })
  }

  /** Open what a call needs. With `bake` the step graph holds a packed copy of the current weights. */
  async prepare(bake: boolean): Promise<void> {
    if (!this.weights) {
      this.weights = this.currentWeights()
      for (const { name, offset, shape } of weightSlices(this.config)) {
        const data = this.weights.subarray(offset, offset + shape.reduce((a, b) => a * b, 1))
        this.weightFeeds[name] = new this.ort.Tensor('float32', data, shape)
      }
    }
    this.extendSession ??= await this.open(buildExtendGraph(this.config))
    if (bake) this.bakedStep ??= await this.open(buildStepGraph(this.config, this.weights))
    else this.fedStep ??= await this.open(buildStepGraph(this.config))
    this.stepSession = bake ? this.bakedStep : this.fedStep
  }

  /** The weights have changed: drop the packed copy. */
  async weightsChanged(): Promise<void> {
    await this.bakedStep?.release()
    this.bakedStep = undefined
    this.stepSession = undefined
    this.weights = undefined
  }

  async close(): Promise<void> {
    await this.weightsChanged()
    await this.fedStep?.release()
    await this.extendSession?.release()
    this.fedStep = undefined
    this.extendSession = undefined
  }

  /** Embeddings of `tokens` (-1 = padding, any row) and, for each of their heads, the row of the tables it is rotated by. */
  private lookUp(tokens: ArrayLike<number>, at: ArrayLike<number>, { positions }: RotaryTables): void {
    const { hidden_size: d } = this.config
    const { packedHeads, heads, keyValueHeads } = this.shape
    const { weights } = this
    if (!weights) throw new Error('look up before prepare')
    if (this.embeddings.length < tokens.length * d) this.embeddings = new Float32Array(tokens.length * d)
    this.positions.resize(tokens.length * packedHeads)
    for (let i = 0; i < tokens.length; i++) {
      const row = Math.max(0, tokens[i]) * d
      for (let j = 0; j < d; j++) this.embeddings[i * d + j] = weights[row + j]
      // See `decodeTables`: scaled for queries, plain for keys, the first for values.
      for (let h = 0; h < packedHeads; h++) {
        const row = h < heads ? 1 + positions + at[i] : h < heads + keyValueHeads ? 1 + at[i] : 0
        this.positions.put(i * packedHeads + h, row)
      }
    }
  }

  /** Rotations for everything that fits the arena, and for the position after it: full slots that are only held have it. */
  private tablesFor(arena: KvArena): RotaryTables {
    return this.rotations.reaching(arena.capacity + 1)
  }

  private feeds(
    arena: KvArena,
    tables: RotaryTables,
    first: number,
    slots: number,
    length: number,
  ): Record<string, Tensor> {
    const { Tensor } = this.ort
    const { layers, keyValueHeads, headSize, packedHeads } = this.shape
    const { capacity } = arena
    const rows = slots * length * packedHeads
    const tableShape = [1 + 2 * tables.positions, headSize / 2]
    const feeds: Record<string, Tensor> = {
      cosine: new Tensor('float32', tables.cosine, tableShape),
      sine: new Tensor('float32', tables.sine, tableShape),
      positions: new Tensor('int64', this.positions.tensorData(rows), [rows, 1]),
      mask: new Tensor('float32', arena.maskView(first, slots), [slots, 1, 1, capacity]),
      sizes: new Tensor('int64', BigInt64Array.of(BigInt(capacity), BigInt(length)), [2]),
    }
    const dimensions = [slots, keyValueHeads, capacity, headSize]
    for (let layer = 0; layer < layers; layer++) {
      feeds[`keys.${layer}`] = new Tensor('float32', arena.view(layer, 0, first, slots), dimensions)
      feeds[`values.${layer}`] = new Tensor('float32', arena.view(layer, 1, first, slots), dimensions)
    }
    return feeds
  }

  /**
   * One token in each of the slots [0, tokens.length), at position = rows the slot holds. Writes the rows of the slots
   * where `keep` is true, and returns the tempered next-token probabilities, [slots, vocabulary].
   */
  async step(arena: KvArena, tokens: number[], keep: boolean[], inverseTemperature: number): Promise<Float32Array> {
    const session = this.stepSession
    if (!session) throw new Error('step before prepare')
    const { Tensor } = this.ort
    const slots = tokens.length
    const tables = this.tablesFor(arena)
    this.lookUp(tokens, arena.lengths, tables)
    const d = this.config.hidden_size
    const feeds = this.feeds(arena, tables, 0, slots, 1)
    feeds.embeddings = new Tensor('float32', this.embeddings.subarray(0, slots * d), [slots, d])
    feeds.inverseTemperature = new Tensor('float32', Float32Array.of(inverseTemperature), [1])
    const outputs = await session.run({ ...feeds, ...this.weightsFor(session) })
    for (let layer = 0; layer < this.shape.layers; layer++) {
      const rows = outputs[`rows.${layer}`].data as Float32Array
      for (let slot = 0; slot < slots; slot++) if (keep[slot]) arena.write(layer, slot, rows, slot, 1, 1)
    }
    for (let slot = 0; slot < slots; slot++) if (keep[slot]) arena.setLength(slot, arena.lengths[slot] + 1)
    return outputs.probabilities.data as Float32Array
  }

  /** Append `chunks[i]` (possibly empty) to slot `first + i`. */
  async extend(arena: KvArena, first: number, chunks: number[][]): Promise<void> {
    const session = this.extendSession
    if (!session) throw new Error('extend before prepare')
    const { Tensor } = this.ort
    const { layers, headSize, packedHeads } = this.shape
    const slots = chunks.length
    const length = Math.max(...chunks.map((chunk) => chunk.length))
    const tokens = new Int32Array(slots * length)
    const at = new Int32Array(slots * length)
    chunks.forEach((chunk, i) => {
      for (let j = 0; j < chunk.length; j++) {
        tokens[i * length + j] = chunk[j]
        at[i * length + j] = arena.lengths[first + i] + j
      }
    })
    const tables = this.tablesFor(arena)
    this.lookUp(tokens, at, tables)
    const d = this.config.hidden_size
    const feeds = this.feeds(arena, tables, first, slots, length)
    feeds.embeddings = new Tensor('float32', this.embeddings.subarray(0, tokens.length * d), [slots, length, d])
    feeds.packed = new Tensor('int64', BigInt64Array.from([slots, length, packedHeads, headSize].map(BigInt)), [4])
    feeds.causal = this.causalMask(length)
    const outputs = await session.run({ ...feeds, ...this.weightsFor(session) })
    for (let layer = 0; layer < layers; layer++) {
      const rows = outputs[`rows.${layer}`].data as Float32Array
      chunks.forEach((chunk, i) => {
        if (chunk.length > 0) arena.write(layer, first + i, rows, i, length, chunk.length)
      })
    }
    chunks.forEach((chunk, i) => {
      arena.setLength(first + i, arena.lengths[first + i] + chunk.length)
    })
  }

  private weightsFor(session: InferenceSession): Record<string, Tensor> {
    const names = session.inputNames.filter((name) => name in this.weightFeeds)
    return Object.fromEntries(names.map((name) => [name, this.weightFeeds[name]]))
  }

  private causalMask(length: number): Tensor {
    if (this.causal?.length === length) return this.causal.tensor
    const { Tensor } = this.ort
    const groups = this.shape.heads / this.shape.keyValueHeads
    const mask = new Float32Array(groups * length * length)
    for (let row = 0; row < groups * length; row++) {
      mask.fill(MASKED, row * length + (row % length) + 1, (row + 1) * length)
    }
    this.causal = { length, tensor: new Tensor('float32', mask, [groups * length, length]) }
    return this.causal.tensor
  }
}
