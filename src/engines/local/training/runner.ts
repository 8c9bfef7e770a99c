import * as ort from 'onnxruntime-node'
import type { Loss } from '../../engine.ts'
import type { ModelConfig } from '../config.ts'
import type { Lora } from '../lora.ts'
import type { ModelWeights } from '../model-weights.ts'
import type { EngineOptions } from '../protocol.ts'
import { GrowingTables, rotaryTables } from '../rotary-tables.ts'
import type { DecoderForm } from './decoder.ts'
import type { Gradient } from './gradient.ts'
import type { RunLayout } from './layout.ts'
import { mustRecompute, refuseRun } from './memory.ts'
import { logprobGraph, type ModelGraph, scoreGraph, trainingGraph } from './training-graph.ts'

/** Per output row; each array has `layout.selected` entries. */
export interface RowInputs {
  targets: Int32Array
  weights?: Float32Array
  advantages?: Float32Array
  oldLogprobs?: Float32Array
  refLogprobs?: Float32Array
}

export interface RowOutputs {
  logprobs: Float32Array
  entropy: Float32Array
  loss: Float32Array
  /** The layers went forward twice. */
  recomputed: boolean
}

export interface RowScores {
  logprobs: Float32Array
  tokens: BigInt64Array
  tokenLogprobs: Float32Array
}

type RunnerOptions = Pick<EngineOptions, 'threads' | 'provider' | 'activationBytes'>

interface Program {
  graph: ModelGraph
  session: ort.InferenceSession
}

/** Runs layouts through sessions, one per graph form and loss, made when first needed; all sizes are dynamic. */
export class ModelRunner {
  private readonly config: ModelConfig
  private readonly lora: Lora | undefined
  private readonly options: RunnerOptions
  private readonly weights: Record<string, ort.Tensor>
  private readonly rotations: GrowingTables
  private readonly programs = new Map<string, Promise<Program>>()

  constructor({ config, base, lora, trained }: ModelWeights, options: RunnerOptions) {
    this.config = config
    this.lora = lora
    this.options = options
    this.rotations = new GrowingTables((positions) => rotaryTables(config, positions))
    const sets = lora ? [base, trained] : [base]
    this.weights = Object.fromEntries(
      sets.flatMap((set) =>
        set.specs.map(({ name, shape }) => [name, new ort.Tensor('float32', set.view(name), shape)] as const),
      ),
    )
  }

  private program(key: string, build: () => ModelGraph): Promise<Program> {
    const known = this.programs.get(key)
    if (known) return known
    const create = async (): Promise<Program> => {
      const graph = build()
      const session = await ort.InferenceSession.create(graph.bytes, {
        executionProviders: [this.options.provider ?? 'cpu'],
        intraOpNumThreads: this.options.threads,
        // Spinning threads gain a little on an idle machine and cost a factor of two on a busy one.
        extra: { session: { intra_op: { allow_spinning: '0' } } },
        // Only errors: warnings concern the runtime's own optimiser.
        logSeverityLevel: 3,
      })
      return { graph, session }
    }
    const program = create()
    this.programs.set(key, program)
    return program
  }

  private feeds(session: ort.InferenceSession, layout: RunLayout, rows: RowInputs): Record<string, ort.Tensor> {
    const { positions, cosine, sine } = this.rotations.reaching(layout.positions)
    const tableShape = [positions, this.config.head_dim / 2]
    const feeds: Record<string, ort.Tensor> = {
      cosine: new ort.Tensor('float32', cosine, tableShape),
      sine: new ort.Tensor('float32', sine, tableShape),
    }
    for (const name of session.inputNames) {
      if (feeds[name]) continue
      const index = layout.indices[name]
      const mask = layout.masks[name]
      const column = name in rows ? rows[name as keyof RowInputs] : undefined
      if (this.weights[name]) feeds[name] = this.weights[name]
      else if (index?.data instanceof Int32Array) feeds[name] = new ort.Tensor('int32', index.data, index.dimensions)
      else if (index) feeds[name] = new ort.Tensor('int64', index.data, index.dimensions)
      else if (mask) feeds[name] = new ort.Tensor('float32', mask.data, mask.dimensions)
      else if (column instanceof Int32Array) feeds[name] = new ort.Tensor('int32', column, [column.length])
      else if (column) feeds[name] = new ort.Tensor('float32', column, [column.length, 1])
      else throw new Error(`graph input ${name} has no value`)
    }
    return feeds
  }

  private form({ prefixed, blocks }: RunLayout, rest: Pick<DecoderForm, 'prefixRows' | 'recompute'>): DecoderForm {
    return { prefixed, blocks, lora: this.lora, ...rest }
  }

  /** Log-probability of each output row's target at a temperature. */
  async logprobs(layout: RunLayout, targets: Int32Array, temperature: number): Promise<Float32Array> {
    const form = this.form(layout, { prefixRows: true })
    const key = JSON.stringify({ form, temperature })
    const { session } = await this.program(key, () => logprobGraph(this.config, form, temperature))
    const outputs = await session.run(this.feeds(session, layout, { targets }))
    return outputs.logprobs.data as Float32Array
  }

  /** Log-probability of each output row's target at temperature 1, and the most probable tokens, [rows, count]. */
  async score(layout: RunLayout, targets: Int32Array): Promise<RowScores> {
    const form = this.form(layout, { prefixRows: true })
    const { session } = await this.program(JSON.stringify({ form, score: true }), () => scoreGraph(this.config, form))
    const outputs = await session.run(this.feeds(session, layout, { targets }))
    return {
      logprobs: outputs.logprobs.data as Float32Array,
      tokens: outputs.alternativeTokens.data as BigInt64Array,
      tokenLogprobs: outputs.alternativeLogprobs.data as Float32Array,
    }
  }

  /** Forward and backward; the gradient of Σ weight × loss is added to `gradient`. */
  async train(layout: RunLayout, rows: RowInputs, loss: Loss, gradient: Gradient): Promise<RowOutputs> {
    refuseRun(this.config, this.lora, layout.size)
    const recompute = mustRecompute(this.config, layout.size, this.options.activationBytes)
    const form = this.form(layout, { prefixRows: false, recompute })
    const key = JSON.stringify({ form, loss })
    const { graph, session } = await this.program(key, () => trainingGraph(this.config, form, loss))
    const fetches: Record<string, ort.Tensor | null> = Object.fromEntries(
      session.outputNames.map((name) => [name, null]),
    )
    for (const { output, parameter } of graph.dense) {
      const place = gradient.place(parameter)
      if (place) fetches[output] = new ort.Tensor('float32', place, this.weights[parameter].dims)
    }
    const outputs = await session.run(this.feeds(session, layout, rows), fetches)
    // What was fetched into a tensor is there, and in a copy besides.
    const values = (output: string) => (fetches[output] ?? outputs[output]).data as Float32Array
    gradient.add(
      graph.dense.map(({ output, parameter }) => ({ parameter, values: values(output) })),
      graph.byRow.map(({ output, parameter, index }) => ({
        parameter,
        values: values(output),
        numbers: index === 'targets' ? rows.targets : (layout.indices[index].data as Int32Array),
      })),
    )
    return {
      logprobs: outputs.logprobs.data as Float32Array,
      entropy: outputs.entropy.data as Float32Array,
      loss: outputs.loss.data as Float32Array,
      recomputed: recompute,
    }
  }

  /** Free all sessions. The runner can be used again; sessions are then made anew. */
  async release(): Promise<void> {
    const programs = [...this.programs.values()]
    this.programs.clear()
    for (const program of programs) await (await program).session.release()
  }
}
