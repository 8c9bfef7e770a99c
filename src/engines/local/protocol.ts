/** What crosses the boundary to the engine's worker thread: its calls, and token lists as flat buffers. */
import type {
  AdamParams,
  Alternatives,
  Datum,
  ForwardBackwardResult,
  Loss,
  Sample,
  SamplingParams,
  Scored,
} from '../engine.ts'
import type { ModelConfig } from './config.ts'
import type { Lora } from './lora.ts'
import type { Provider } from './runtime.ts'

/** A Hugging Face model folder, or a shape whose weights are drawn from a seed. */
export type ModelSource = string | { config: ModelConfig; seed: number }

export interface EngineOptions {
  /** Threads of ONNX Runtime. */
  threads: number
  /** What ONNX Runtime computes with (default `cpu`). */
  provider?: Provider
  /** Sequences decoded at once (default 128). */
  batch?: number
  /** Bound on the keys and values kept for reuse, in bytes (default 512 MiB), for each model that samples. */
  cacheBytes?: number
  /** The weights will not change: pack them once, for every call (default false: only for calls long enough to gain by it). */
  frozen?: boolean
  /** Train an adapter beside the weights of the folder that is opened (default: all of its weights). */
  lora?: Lora
  /** Most tokens of one forward and backward pass, a shared prefix counted once: gradients add up over as many as it takes. */
  rowBudget?: number
  /** Bytes that activations of a pass may take before layers are computed twice (default 3e9, or a quarter of the memory). */
  activationBytes?: number
}

/** Number lists in one buffer, which is transferred and not copied. */
export interface PackedRows {
  values: Float64Array
  lengths: Uint32Array
}

export function packRows(rows: readonly (readonly number[])[]): PackedRows {
  const lengths = Uint32Array.from(rows, (row) => row.length)
  const values = new Float64Array(lengths.reduce((a, b) => a + b, 0))
  let at = 0
  for (const row of rows) {
    values.set(row, at)
    at += row.length
  }
  return { values, lengths }
}

export function unpackRows({ values, lengths }: PackedRows): number[][] {
  let at = 0
  return Array.from(lengths, (length) => {
    at += length
    return Array.from(values.subarray(at - length, at))
  })
}

/** Data with every column as packed rows; absent columns stay absent, datum by datum. */
export interface PackedData {
  columns: Record<(typeof datumColumns)[number], PackedRows>
  /** Per datum, a bit for each column that it has. */
  present: Uint8Array
}

const datumColumns = ['tokens', 'weights', 'advantages', 'oldLogprobs', 'refLogprobs'] as const

export function packData(data: readonly Datum[]): PackedData {
  const column = (name: (typeof datumColumns)[number]) => packRows(data.map((datum) => datum[name] ?? []))
  const present = Uint8Array.from(data, (datum) =>
    datumColumns.reduce((bits, name, i) => (datum[name] ? bits | (1 << i) : bits), 0),
  )
  return {
    columns: {
      tokens: column('tokens'),
      weights: column('weights'),
      advantages: column('advantages'),
      oldLogprobs: column('oldLogprobs'),
      refLogprobs: column('refLogprobs'),
    },
    present,
  }
}

export function unpackData({ columns, present }: PackedData): Datum[] {
  const data: Datum[] = Array.from(present, () => ({ tokens: [], weights: [] }))
  datumColumns.forEach((name, i) => {
    unpackRows(columns[name]).forEach((row, j) => {
      if (present[j] & (1 << i)) data[j][name] = row
    })
  })
  return data
}

export interface PackedSamples {
  tokens: PackedRows
  logprobs: PackedRows
  stopped: boolean[]
  n: number
  /** Per sample, where asked for: seldom, so they are copied as they are. */
  alternatives?: Alternatives[][]
}

export function packSamples(samples: readonly Sample[][]): PackedSamples {
  const flat = samples.flat()
  return {
    tokens: packRows(flat.map((sample) => sample.tokens)),
    logprobs: packRows(flat.map((sample) => sample.logprobs)),
    stopped: flat.map((sample) => sample.stopReason === 'stop'),
    n: samples.length === 0 ? 0 : samples[0].length,
    ...(flat[0]?.alternatives && { alternatives: flat.map((sample) => sample.alternatives ?? []) }),
  }
}

export function unpackSamples({ tokens, logprobs, stopped, n, alternatives }: PackedSamples): Sample[][] {
  const tokenRows = unpackRows(tokens)
  const logprobRows = unpackRows(logprobs)
  const flat = stopped.map(
    (stop, i): Sample => ({
      tokens: tokenRows[i],
      logprobs: logprobRows[i],
      stopReason: stop ? 'stop' : 'length',
      ...(alternatives && { alternatives: alternatives[i] }),
    }),
  )
  return Array.from({ length: n === 0 ? 0 : flat.length / n }, (_, i) => flat.slice(i * n, (i + 1) * n))
}

/** The calls the worker answers, in order of arrival. `model` 0 is the one being trained, others are frozen copies. */
export interface Calls {
  open(source: ModelSource, options: EngineOptions): ModelConfig
  sample(model: number, prompts: PackedRows, params: SamplingParams): PackedSamples
  logprobs(model: number, sequences: PackedRows, temperature: number): PackedRows
  score(model: number, sequences: PackedRows, alternatives: number): Scored[]
  reset(model: number): undefined
  freeze(): number
  release(model: number): undefined
  forwardBackward(data: PackedData, loss: Loss): Omit<ForwardBackwardResult, 'logprobs'> & { logprobs: PackedRows }
  optimStep(adam: AdamParams): { gradientNorm: number }
  save(directory: string): undefined
  load(directory: string): undefined
  loadWeights(directory: string): undefined
  close(): undefined
}
