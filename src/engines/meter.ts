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
import type { ModelFlops } from './flops.ts'

/** What went through an engine. */
export interface TokenCounts {
  /** Tokens written by the model. */
  sampled: number
  /** Tokens that went through forward and backward, context included. */
  trained: number
  /**
   * Tokens that were only read: prompts, as far as the sampler did not hold their beginning already, and sequences whose
   * log-probabilities were asked for.
   */
  read: number
  /** Floating-point operations of all that; beginnings that neighbours share are computed once. */
  flops: number
}

/** A trainer that counts: wraps any engine and changes nothing else. */
export class MeteredTrainer implements Trainer {
  readonly counts: TokenCounts = { sampled: 0, trained: 0, read: 0, flops: 0 }
  constructor(
    private readonly inner: Trainer,
    private readonly flops: ModelFlops,
  ) {}

  async forwardBackward(data: Datum[], loss: Loss): Promise<ForwardBackwardResult> {
    const result = await this.inner.forwardBackward(data, loss)
    const { total, recomputed = 0 } = result.tokens
    const { tokens, attended } = passed(data.map((datum) => datum.tokens))
    this.counts.trained += total
    this.counts.flops += this.flops.training(tokens, attended)
    if (tokens > 0) this.counts.flops += this.flops.forward(recomputed, (attended * recomputed) / tokens)
    return result
  }
  optimStep(adam: AdamParams): Promise<{ gradientNorm: number }> {
    return this.inner.optimStep(adam)
  }
  sampler(): Sampler {
    return new MeteredSampler(this.inner.sampler(), this.counts, this.flops)
  }
  async freeze(): Promise<Sampler> {
    return new MeteredSampler(await this.inner.freeze(), this.counts, this.flops)
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
  /** Sequences that were read or written to their end, by fingerprint: a prompt that goes on from one is read from there. */
  private readonly held = new Set<number>()
  constructor(
    private readonly inner: Sampler,
    private readonly counts: TokenCounts,
    private readonly flops: ModelFlops,
  ) {}
  get vocabularySize(): number {
    return this.inner.vocabularySize
  }
  get contextLength(): number {
    return this.inner.contextLength
  }
  async sample(prompts: number[][], params: SamplingParams): Promise<Sample[][]> {
    const samples = await this.inner.sample(prompts, params)
    // What this call reads and writes is held after it; equal prompts in it are read once.
    const asked = new Set<number>()
    const written: number[] = []
    for (const [i, prompt] of prompts.entries()) {
      const end = new Fingerprint()
      let known = 0
      for (const [t, token] of prompt.entries()) if (this.held.has(end.add(token))) known = t + 1
      if (asked.has(end.value)) known = prompt.length
      asked.add(end.value)
      this.pass(prompt.length - known, sumTo(prompt.length) - sumTo(known))
      this.counts.read += prompt.length - known
      for (const { tokens } of samples[i]) {
        const whole = end.copy()
        for (const token of tokens) whole.add(token)
        written.push(whole.value)
        this.pass(tokens.length, sumTo(prompt.length + tokens.length) - sumTo(prompt.length))
        this.counts.sampled += tokens.length
      }
    }
    for (const end of [...asked, ...written]) this.held.add(end)
    return samples
  }
  async logprobs(sequences: number[][], temperature?: number): Promise<number[][]> {
    const result = await this.inner.logprobs(sequences, temperature)
    const { tokens, attended } = passed(sequences)
    this.counts.read += tokens
    this.pass(tokens, attended)
    return result
  }
  reset(): Promise<void> {
    this.held.clear()
    return this.inner.reset()
  }
  close(): Promise<void> {
    return this.inner.close()
  }
  private pass(tokens: number, attended: number): void {
    this.counts.flops += this.flops.forward(tokens, attended)
  }
}

/** 1 + 2 + … + count: positions that the first `count` tokens of a sequence attend to. */
const sumTo = (count: number): number => (count * (count + 1)) / 2

/** Tokens of sequences and the positions that they attend to, what each shares with the one before left out. */
function passed(sequences: readonly (readonly number[])[]): { tokens: number; attended: number } {
  let [tokens, attended] = [0, 0]
  for (const [i, sequence] of sequences.entries()) {
    const last = sequences[i - 1] ?? []
    let shared = 0
    while (shared < sequence.length && sequence[shared] === last[shared]) shared++
    tokens += sequence.length - shared
    attended += sumTo(sequence.length) - sumTo(shared)
  }
  return { tokens, attended }
}

/** Of a sequence, token by token: 53 bits, so that two of millions are hardly ever alike. */
class Fingerprint {
  constructor(
    private high = 0x811c9dc5,
    private low = 0x9e3779b9,
  ) {}
  add(token: number): number {
    this.high = Math.imul(this.high ^ token, 0x01000193)
    this.low = Math.imul((this.low + token) ^ (this.low >>> 15), 0x85ebca6b)
    return this.value
  }
  get value(): number {
    return (this.high >>> 0) * 2 ** 21 + (this.low >>> 11)
  }
  copy(): Fingerprint {
    return new Fingerprint(this.high, this.low)
  }
}
