import { join } from 'node:path'
import { UserError } from '../../../core/index.ts'
import {
  readSafetensors,
  verifyChecksums,
  writeChecksums,
  writeFolderAtomic,
  writeSafetensors,
} from '../../../store/index.ts'
import { checkTokens } from '../../check-tokens.ts'
import type { AdamParams, Datum, ForwardBackwardResult, Loss, Scored } from '../../engine.ts'
import { LossMetrics } from '../../loss-metrics.ts'
import type { ModelConfig } from '../config.ts'
import { ModelWeights } from '../model-weights.ts'
import { ParameterSet, requireFinite } from '../parameters.ts'
import type { EngineOptions } from '../protocol.ts'
import { adamStep, globalNorm } from './adamw.ts'
import { Gradient } from './gradient.ts'
import { groupByPrefix, planRuns, type Sequence } from './groups.ts'
import { layoutRun, type RunLayout } from './layout.ts'
import { defaultRowBudget } from './memory.ts'
import { ModelRunner, type RowInputs } from './runner.ts'

/** Results are the same bit for bit only with the same threads and provider, and the same `rowBudget` (default: by memory). */
export type TrainerOptions = Pick<EngineOptions, 'threads' | 'provider' | 'rowBudget' | 'activationBytes' | 'lora'>

const OPTIMIZER_FILE = 'optimizer.safetensors'

/** Holds a model's weights, their gradient and the optimiser's state, and trains them. Not re-entrant: await each call. */
export class TrainerCore {
  readonly config: ModelConfig
  /** Live: what is trained changes with every step. */
  readonly weights: ModelWeights
  private readonly gradient: Gradient
  private readonly first: ParameterSet
  private readonly second: ParameterSet
  private readonly runner: ModelRunner
  private readonly options: TrainerOptions
  private step = 0
  /** Norm of the accumulated gradient. */
  private norm = 0

  private constructor(weights: ModelWeights, options: TrainerOptions) {
    this.config = weights.config
    this.weights = weights
    const [gradient, first, second] = weights.beside.map((flat) => new ParameterSet(weights.trained.specs, flat))
    this.gradient = new Gradient(gradient)
    this.first = first
    this.second = second
    this.runner = new ModelRunner(weights, options)
    this.options = options
  }

  /** A model with random weights from a seed. */
  static fresh(config: ModelConfig, seed: number, options: TrainerOptions): TrainerCore {
    return new TrainerCore(ModelWeights.fresh(config, seed), options)
  }

  /** The model of a folder (config.json, safetensors in F32, F16 or BF16), with a fresh optimiser. */
  static open(folder: string, options: TrainerOptions): TrainerCore {
    verifyChecksums(folder)
    return new TrainerCore(ModelWeights.open(folder, options.lora), options)
  }

  /** A model of its own with the present weights and a fresh optimiser (whose memory is not touched before it trains). */
  copy(): TrainerCore {
    return new TrainerCore(this.weights.copy(), this.options)
  }

  /** The gradient accumulated since the last step. */
  accumulatedGradient(): ParameterSet {
    return this.gradient.parameters()
  }

  private layouts(sequences: readonly Sequence[], prefixRows: boolean): RunLayout[] {
    const heads = { query: this.config.num_attention_heads, keyValue: this.config.num_key_value_heads }
    const { rowBudget, activationBytes } = this.options
    const budget = rowBudget ?? defaultRowBudget(this.config, activationBytes)
    // To repeat a group's prefix costs more than to compute its layers twice.
    const groupBudget = rowBudget ?? defaultRowBudget(this.config, activationBytes, true)
    const runs = planRuns(groupByPrefix(sequences, prefixRows), budget, groupBudget)
    return runs.map((groups) => layoutRun(groups, heads, prefixRows))
  }

  /** Adds the gradient of Σ weight × loss. If it throws (a loss or gradient is not finite), the sum so far is cleared. */
  async forwardBackward(data: readonly Datum[], loss: Loss): Promise<ForwardBackwardResult> {
    const sequences = data.flatMap((datum, index): Sequence[] => {
      checkTokens(datum.tokens, `datum ${index}`, this.config)
      checkDatum(datum, loss, index)
      const selected = datum.weights.flatMap((weight, t) => (weight !== 0 ? [t] : []))
      return selected.length > 0 ? [{ index, tokens: datum.tokens, selected }] : []
    })
    try {
      return await this.accumulate(data, sequences, loss)
    } catch (error) {
      // Half a gradient is worse than none.
      this.clearGradient()
      throw error
    }
  }

  private clearGradient(): void {
    this.gradient.clear()
    this.norm = 0
  }

  private async accumulate(
    data: readonly Datum[],
    sequences: readonly Sequence[],
    loss: Loss,
  ): Promise<ForwardBackwardResult> {
    const metrics = new LossMetrics(loss)
    const logprobs = data.map((datum) => new Array<number>(datum.tokens.length).fill(0))
    let total = 0
    let trained = 0
    let recomputed = 0
    for (const layout of this.layouts(sequences, false)) {
      const outputs = await this.runner.train(layout, rowInputs(layout, data), loss, this.gradient)
      for (const { sequence, position, row } of layout.selections) {
        total += data[sequence].weights[position] * outputs.loss[row]
        logprobs[sequence][position] = outputs.logprobs[row]
        metrics.add(data[sequence], position, outputs.logprobs[row], outputs.entropy[row])
      }
      trained += layout.selections.length
      if (outputs.recomputed) recomputed += layout.size.rows
    }
    this.checkGradient(total)
    const count = data.reduce((sum, datum) => sum + datum.tokens.length, 0)
    return { loss: total, metrics: metrics.means(), tokens: { trained, total: count, recomputed }, logprobs }
  }

  private checkGradient(loss: number): void {
    const gradient = this.gradient.parameters()
    this.norm = globalNorm(gradient.flat)
    if (Number.isFinite(loss) && Number.isFinite(this.norm)) return
    const wrong = Number.isFinite(loss) ? `the gradient of ${notFinite(gradient) ?? 'the model'}` : 'the loss'
    throw new UserError(
      `${wrong} is not finite; the weights are as they were before the step: lower the learning rate, or check rewards and log-probabilities of the data`,
    )
  }

  /**
   * One AdamW step with the accumulated gradient, which is then cleared.
   * @throws UserError naming the tensor that is not finite after it: the model is then of no use, and is not saved.
   */
  optimStep(adam: AdamParams): { gradientNorm: number } {
    const gradientNorm = this.norm
    this.step++
    const state = {
      weights: this.weights.trained.flat,
      gradient: this.gradient.parameters().flat,
      first: this.first.flat,
      second: this.second.flat,
    }
    const finite = adamStep(state, adam, this.step, gradientNorm)
    this.clearGradient()
    if (!finite) this.requireUsable('after the step')
    return { gradientNorm }
  }

  private requireUsable(when: string): void {
    for (const [what, set] of [
      ['weights', this.weights.trained],
      ['first moments', this.first],
      ['second moments', this.second],
    ] as const) {
      const name = notFinite(set)
      if (name === null) continue
      throw new UserError(
        `the ${what} of ${name} are not finite ${when}: go on from the last checkpoint with a lower learning rate or a gradient norm that is clipped`,
      )
    }
  }

  /** Log-probability of every token given those before it; entry 0 of each sequence is 0. */
  async logprobs(sequences: readonly (readonly number[])[], temperature = 1): Promise<number[][]> {
    const result = sequences.map((tokens) => new Array<number>(tokens.length).fill(0))
    for (const { layout, targets } of this.wholeSequences(sequences)) {
      const logprobs = await this.runner.logprobs(layout, targets, temperature)
      for (const { sequence, position, row } of layout.selections) result[sequence][position] = logprobs[row]
    }
    return result
  }

  /** See `Sampler.score`. */
  async score(sequences: readonly (readonly number[])[], alternatives: number): Promise<Scored[]> {
    const result = sequences.map(
      (tokens): Scored => ({
        logprobs: tokens.map(() => 0),
        alternatives: tokens.map(() => ({ tokens: [], logprobs: [] })),
      }),
    )
    for (const { layout, targets } of this.wholeSequences(sequences)) {
      const { logprobs, tokens, tokenLogprobs } = await this.runner.score(layout, targets)
      const width = tokens.length / layout.selected
      const count = Math.min(alternatives, width)
      for (const { sequence, position, row } of layout.selections) {
        const [start, end] = [row * width, row * width + count]
        result[sequence].logprobs[position] = logprobs[row]
        result[sequence].alternatives[position] = {
          tokens: Array.from(tokens.subarray(start, end), Number),
          logprobs: Array.from(tokenLogprobs.subarray(start, end)),
        }
      }
    }
    return result
  }

  /** Runs that predict every token but the first of each sequence. */
  private wholeSequences(sequences: readonly (readonly number[])[]): { layout: RunLayout; targets: Int32Array }[] {
    const wanted = sequences.flatMap((tokens, index): Sequence[] => {
      checkTokens(tokens, `sequence ${index}`, this.config)
      const selected = Array.from({ length: Math.max(0, tokens.length - 1) }, (_, i) => i + 1)
      return selected.length > 0 ? [{ index, tokens, selected }] : []
    })
    return this.layouts(wanted, true).map((layout) => {
      const targets = new Int32Array(layout.selected)
      for (const { sequence, position, row } of layout.selections) targets[row] = sequences[sequence][position]
      return { layout, targets }
    })
  }

  /** Weights, optimiser state, step and checksums into a folder that is also a Hugging Face model folder. Atomic. */
  async save(folder: string): Promise<void> {
    this.requireUsable('and are not saved')
    await writeFolderAtomic(folder, (temporary) => {
      this.weights.write(temporary)
      const moments = new Map([
        ['first', { shape: [this.first.flat.length], data: this.first.flat }],
        ['second', { shape: [this.second.flat.length], data: this.second.flat }],
      ])
      writeSafetensors(join(temporary, OPTIMIZER_FILE), moments, { metadata: { step: String(this.step) } })
      writeChecksums(temporary)
    })
  }

  /**
   * Continue from a folder written by `save`: the next steps are those of an uninterrupted run, bit for bit.
   * @throws UserError, everything as it was, if the folder is damaged or of another model.
   */
  load(folder: string): void {
    verifyChecksums(folder)
    const path = join(folder, OPTIMIZER_FILE)
    const { tensors, metadata } = readSafetensors(path)
    const size = this.first.flat.length
    const first = tensors.get('first')?.data
    const second = tensors.get('second')?.data
    const step = Number(metadata.step)
    if (first?.length !== size || second?.length !== size || !Number.isInteger(step)) {
      throw new UserError(`${path} is not the optimiser state of this model: load the folder that this run saved`)
    }
    requireFinite('first', first, path)
    requireFinite('second', second, path)
    this.takeWeights(folder)
    this.first.flat.set(first)
    this.second.flat.set(second)
    this.step = step
  }

  /**
   * Replace the weights by those of a model folder; the optimiser starts afresh and the gradient is cleared.
   * @throws UserError, everything as it was, if the folder is damaged or of another model.
   */
  loadWeights(folder: string): void {
    verifyChecksums(folder)
    this.takeWeights(folder)
  }

  private takeWeights(folder: string): void {
    this.weights.assign(folder)
    for (const set of [this.first, this.second]) set.flat.fill(0)
    this.clearGradient()
    this.step = 0
  }

  /** Free the runtime's sessions. */
  async close(): Promise<void> {
    await this.runner.release()
  }
}

/** Name of the first tensor that holds NaN or an infinity; null where all are finite. */
function notFinite(set: ParameterSet): string | null {
  if (Number.isFinite(globalNorm(set.flat))) return null
  return [...set.entries()].find(([, view]) => !Number.isFinite(globalNorm(view)))?.[0] ?? null
}

function checkDatum(datum: Datum, loss: Loss, index: number): void {
  const needed = {
    weights: datum.weights,
    ...(loss.kind === 'ppo' ? { advantages: datum.advantages, oldLogprobs: datum.oldLogprobs } : {}),
    ...(loss.kl ? { refLogprobs: datum.refLogprobs } : {}),
  }
  for (const [name, values] of Object.entries(needed)) {
    if (values?.length !== datum.tokens.length) {
      throw new Error(`datum ${index}: ${name} has ${values?.length ?? 'no'} entries for ${datum.tokens.length} tokens`)
    }
  }
  if (datum.weights[0]) throw new Error(`datum ${index}: its first token has a weight, but nothing predicts it`)
}

function rowInputs(layout: RunLayout, data: readonly Datum[]): RowInputs {
  const targets = new Int32Array(layout.selected)
  const [weights, advantages, oldLogprobs, refLogprobs] = Array.from(
    { length: 4 },
    () => new Float32Array(targets.length),
  )
  for (const { sequence, position, row } of layout.selections) {
    const datum = data[sequence]
    targets[row] = datum.tokens[position]
    weights[row] = datum.weights[position]
    advantages[row] = datum.advantages?.[position] ?? 0
    oldLogprobs[row] = datum.oldLogprobs?.[position] ?? 0
    refLogprobs[row] = datum.refLogprobs?.[position] ?? 0
  }
  return { targets, weights, advantages, oldLogprobs, refLogprobs }
}
