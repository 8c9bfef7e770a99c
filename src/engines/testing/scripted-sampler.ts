import type { Sample, Sampler, SamplingParams } from '../engine.ts'

/** A sampler for tests of what stands above an engine: it answers each prompt with given tokens. */
export class ScriptedSampler implements Sampler {
  readonly vocabularySize = 512
  readonly contextLength: number
  /** Every call to `sample`, for assertions. */
  readonly calls: { prompts: number[][]; params: SamplingParams }[] = []
  resets = 0

  constructor(
    private readonly answer: (prompt: number[], call: number, sample: number) => number[],
    contextLength = 4096,
  ) {
    this.contextLength = contextLength
  }

  async sample(prompts: number[][], params: SamplingParams): Promise<Sample[][]> {
    const call = this.calls.length
    this.calls.push({ prompts, params })
    return prompts.map((prompt) =>
      Array.from({ length: params.n }, (_, sample): Sample => {
        const tokens = this.answer(prompt, call, sample)
        return { tokens, logprobs: tokens.map(() => -1), stopReason: 'stop' }
      }),
    )
  }

  async logprobs(sequences: number[][]): Promise<number[][]> {
    return sequences.map((sequence) => sequence.map((_, index) => (index === 0 ? 0 : -1)))
  }

  async reset(): Promise<void> {
    this.resets++
  }

  async close(): Promise<void> {}
}
