import { join } from 'node:path'
import type { Datum, Sampler, Trainer } from '../../engine.ts'
import { LORA_CHOICES, openLocalEngine } from '../../local/index.ts'
import type { LossName, WireDatum } from '../wire.ts'

/** A pass as it comes in. */
interface Pass {
  data: WireDatum[]
  loss_fn: LossName
  loss_fn_config?: Record<string, number> | null
}

export interface WireAdam {
  learning_rate: number
  beta1: number
  beta2: number
  eps: number
  weight_decay: number
  grad_clip_norm?: number
}

/**
 * What stands for a model at the server: the local engine, with the reductions that servers apply. Gradients are taken when the
 * step comes, because a mean over all data is known only then; weights do not change before.
 */
export class FakeModel {
  private readonly trainer: Trainer
  private readonly reduction: 'sum' | 'mean'
  private readonly passes: Pass[] = []
  steps = 0

  private constructor(trainer: Trainer, reduction: 'sum' | 'mean') {
    this.trainer = trainer
    this.reduction = reduction
  }

  static async open(base: string, rank: number, reduction: 'sum' | 'mean'): Promise<FakeModel> {
    const lora = { rank, alpha: 64, targets: LORA_CHOICES['all-linear'] }
    return new FakeModel((await openLocalEngine(base, { threads: 1, lora })).trainer(), reduction)
  }

  async pass(pass: Pass, backward: boolean): Promise<object> {
    if (backward) this.passes.push(pass)
    const rows = await this.logprobs(pass)
    return {
      loss_fn_output_type: 'ArrayRecord',
      loss_fn_outputs: rows.map((data) => ({ logprobs: { data, dtype: 'float32', shape: [data.length] } })),
      metrics: {},
    }
  }

  async optimStep(adam: WireAdam): Promise<object> {
    this.steps++
    const count = this.passes.reduce((sum, { data }) => sum + data.length, 0)
    const share = this.reduction === 'mean' ? 1 / count : 1
    for (const pass of this.passes.splice(0)) await this.backward(pass, share)
    const { gradientNorm } = await this.trainer.optimStep({
      learningRate: adam.learning_rate,
      beta1: adam.beta1,
      beta2: adam.beta2,
      epsilon: adam.eps,
      weightDecay: adam.weight_decay,
      clipNorm: this.reduction === 'sum' ? (adam.grad_clip_norm ?? 0) : 0,
    })
    return { metrics: { 'optim/grad_norm': gradientNorm } }
  }

  private async backward(pass: Pass, share: number): Promise<void> {
    const { loss_fn: name, loss_fn_config: config } = pass
    const low = config?.clip_low_threshold ?? 0.8
    const high = config?.clip_high_threshold ?? 1.2
    const data = pass.data.map((datum) => this.datum(datum, share))
    if (name === 'cross_entropy') await this.trainer.forwardBackward(data, { kind: 'cross_entropy' })
    else if (name === 'cispo') {
      const rows = await this.logprobs(pass)
      const linear = data.map(({ tokens, weights, advantages = [], oldLogprobs = [] }, i) => ({
        tokens,
        weights: weights.map((weight, t) => {
          const ratio = t === 0 ? 0 : Math.exp(rows[i][t - 1] - oldLogprobs[t])
          return weight * Math.min(Math.max(ratio, low), high) * advantages[t]
        }),
      }))
      await this.trainer.forwardBackward(linear, { kind: 'cross_entropy' })
    } else {
      const clip = name === 'ppo' ? { clipLow: 1 - low, clipHigh: high - 1 } : { clipLow: 1, clipHigh: 1e9 }
      await this.trainer.forwardBackward(data, { kind: 'ppo', ...clip })
    }
  }

  /** A datum as the local engine takes it, its weights such that a sum is the server's reduction. */
  private datum({ model_input, loss_fn_inputs: inputs }: WireDatum, share: number): Datum {
    const column = (name: string, or: number) => [0, ...(inputs[name]?.data ?? inputs.target_tokens.data.map(() => or))]
    const [first] = model_input.chunks.flatMap(({ tokens }) => tokens)
    const weights = column('weights', 1)
    const total = this.reduction === 'mean' ? weights.reduce((a, b) => a + b, 0) : 1
    return {
      tokens: [first, ...inputs.target_tokens.data],
      weights: weights.map((weight) => (weight * share) / total),
      advantages: column('advantages', 0),
      oldLogprobs: column('logprobs', 0),
    }
  }

  private async logprobs({ data }: Pass): Promise<number[][]> {
    const rows = await this.trainer.sampler().logprobs(data.map((datum) => this.datum(datum, 1).tokens))
    return rows.map((row) => row.slice(1))
  }

  freeze(): Promise<Sampler> {
    return this.trainer.freeze()
  }

  /** Weights and optimiser, as the local engine keeps them. */
  async save(folder: string, name: string): Promise<string> {
    const path = join(folder, name)
    await this.trainer.save(path)
    return path
  }

  async load(path: string, optimizer: boolean): Promise<void> {
    if (optimizer) await this.trainer.load(path)
    else await this.trainer.loadWeights(path)
  }

  async close(): Promise<void> {
    await this.trainer.close()
  }
}
