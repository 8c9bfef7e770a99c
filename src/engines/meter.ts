import type {
  AdamParams,
  Datum,
  ForwardBackwardResult,
  Loss,
  Sample,
  Sampler,
  SamplingParams,
  Trainer,
} from './engine.ts'

/** Tokens that went through an engine. */
export interface TokenCounts {
  /** Written by the model. */
  sampled: number
  /** Went through forward and backward, context included. */
  trained: number
}

/** A trainer that counts: wraps any engine and changes nothing else. */
export class MeteredTrainer implements Trainer {
  readonly counts: TokenCounts = { sampled: 0, trained: 0 }
  constructor(private readonly inner: Trainer) {}

  async forwardBackward(data: Datum[], loss: Loss): Promise<ForwardBackwardResult> {
    const result = await this.inner.forwardBackward(data, loss)
    this.counts.trained += result.tokens.total
    return result
  }
  optimStep(adam: AdamParams): Promise<{ gradientNorm: number }> {
    return this.inner.optimStep(adam)
  }
  sampler(): Sampler {
    return new MeteredSampler(this.inner.sampler(), this.counts)
  }
  async freeze(): Promise<Sampler> {
    return new MeteredSampler(await this.inner.freeze(), this.counts)
  }
  save(directory: string): Promise<void> {
    return this.inner.save(directory)
  }
  load(directory: string): Promise<void> {
    return this.inner.load(directory)
  }
  loadWeights(directory: string): Promise<void> {
    return this.inner.loadWeights(directory)
  }
  close(): Promise<void> {
    return this.inner.close()
  }
}

class MeteredSampler implements Sampler {
  constructor(
    private readonly inner: Sampler,
    private readonly counts: TokenCounts,
  ) {}
  get vocabularySize(): number {
    return this.inner.vocabularySize
  }
  get contextLength(): number {
    return this.inner.contextLength
  }
  async sample(prompts: number[][], params: SamplingParams): Promise<Sample[][]> {
    const samples = await this.inner.sample(prompts, params)
    for (const group of samples) for (const { tokens } of group) this.counts.sampled += tokens.length
    return samples
  }
  logprobs(sequences: number[][], temperature?: number): Promise<number[][]> {
    return this.inner.logprobs(sequences, temperature)
  }
  reset(): Promise<void> {
    return this.inner.reset()
  }
  close(): Promise<void> {
    return this.inner.close()
  }
}
