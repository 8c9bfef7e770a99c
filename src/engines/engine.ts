/**
 * `Sampler` and `Trainer`: tokens in, tokens out. Everything above this room talks to an engine through these two
 * interfaces; every engine passes the same contract suite.
 */

export interface SamplingParams {
  /** Samples per prompt. */
  n: number
  maxTokens: number
  /** Log-probabilities are those of the tempered distribution that was sampled from. 0 = greedy, with those at 1. */
  temperature: number
  /** 1 = off. Training rollouts keep it off: otherwise log-probabilities and ratios are wrong. */
  topP?: number
  /** 0 = off. */
  topK?: number
  /** A sample ends after any of these token sequences; the stop tokens are part of the sample. */
  stop: number[][]
  /**
   * One seed per prompt, or one from which prompt i gets a hash of it and i. A draw is a pure function of (seed of its
   * prompt, sample index, token index).
   */
  seed: number | number[]
  /** Also report so many of the most probable tokens at every position (at most `MOST_ALTERNATIVES`); 0 = none. */
  alternatives?: number
}

/** How many tokens a position can be asked to list. */
export const MOST_ALTERNATIVES = 20

/** The most probable tokens at one position, the most probable first, with their log-probabilities. */
export interface Alternatives {
  tokens: number[]
  logprobs: number[]
}

export interface Sample {
  tokens: number[]
  /** One per token, natural logarithm, of the distribution sampled from (after temperature, before top-p/top-k). */
  logprobs: number[]
  stopReason: 'stop' | 'length'
  /** One per token, of the distribution that `logprobs` speaks of; only where asked for. */
  alternatives?: Alternatives[]
}

/** Given tokens under the model, at temperature 1. */
export interface Scored {
  /** Log-probability of every token given those before it; entry 0 is 0. */
  logprobs: number[]
  /** One per token; entry 0, which nothing predicts, is empty. Where a token is among them, its two figures are equal. */
  alternatives: Alternatives[]
}

export interface Sampler {
  readonly vocabularySize: number
  readonly contextLength: number
  /** `result[i][j]` is sample j of prompt i. A prompt that extends an earlier one's tokens may reuse its cache. */
  sample(prompts: number[][], params: SamplingParams): Promise<Sample[][]>
  /** Log-probability of every token given those before it at `temperature` (default 1); entry 0 of each is 0. */
  logprobs(sequences: number[][], temperature?: number): Promise<number[][]>
  /**
   * Log-probabilities with the `alternatives` (from 1 on) most probable tokens beside every one. Absent where an engine does not
   * see whole distributions; such an engine samples without alternatives only.
   */
  score?(sequences: number[][], alternatives: number): Promise<Scored[]>
  /** Drop cached state. Called at the start of a wave, so that its results depend only on the calls within it. */
  reset(): Promise<void>
  close(): Promise<void>
}

/** One sequence to learn from. All arrays run along `tokens`; entry t speaks of predicting tokens[t] from those before. */
export interface Datum {
  tokens: number[]
  /**
   * Weight of each token in the summed loss; 0 = not trained on. The engine only ever sums weight × loss: the caller
   * divides by its own denominator (learning/ names the aggregations).
   */
  weights: number[]
  /** Policy losses only. */
  advantages?: number[]
  /** Log-probabilities under the policy that sampled (π_old); policy losses only. */
  oldLogprobs?: number[]
  /** Log-probabilities under the frozen reference; needed where `kl` is set. */
  refLogprobs?: number[]
}

export interface KlTerm {
  coefficient: number
  /** k1 = Δ, k2 = ½Δ², k3 = e^{−Δ} + Δ − 1 with Δ = log π − log π_ref. */
  estimator: 'k1' | 'k2' | 'k3'
}

export type Loss =
  | { kind: 'cross_entropy'; kl?: KlTerm }
  | {
      kind: 'ppo'
      /** Clip range [1 − low, 1 + high]. */
      clipLow: number
      clipHigh: number
      /** Dual clip c > 1 for negative advantages; off when absent. */
      dualClip?: number
      kl?: KlTerm
      /** Entropy bonus coefficient; off when 0 or absent. */
      entropy?: number
      /** Temperature of the policy being trained; must be the one sampled at. Default 1. */
      temperature?: number
    }

export interface ForwardBackwardResult {
  /** Σ weight × loss over all data. */
  loss: number
  /** Means over trained tokens (weight ≠ 0): `entropy`, `kl`, `clipShare`, `ratio`, `logprobDifference` (mean |new − old|), `logprobDifferenceMax`. */
  metrics: Record<string, number>
  /** `recomputed`: tokens whose layers went forward twice, to save memory. Absent: none, or it is not known. */
  tokens: { trained: number; total: number; recomputed?: number }
  /** Per datum, the new log-probabilities along its tokens (0 where not computed). */
  logprobs: number[][]
}

export interface AdamParams {
  learningRate: number
  beta1: number
  beta2: number
  epsilon: number
  weightDecay: number
  /** Clip the global gradient norm to this; 0 = off. */
  clipNorm: number
}

export interface Trainer {
  /** Adds to the accumulated gradient. Non-finite loss or gradient throws, naming the tensor; weights stay as they were. */
  forwardBackward(data: Datum[], loss: Loss): Promise<ForwardBackwardResult>
  /** One optimiser step with the accumulated gradient, which is then cleared. */
  optimStep(adam: AdamParams): Promise<{ gradientNorm: number }>
  /** Samples with the live weights. */
  sampler(): Sampler
  /** A frozen copy of the current weights: the reference of a KL term. */
  freeze(): Promise<Sampler>
  /** The whole training state (weights, optimiser, step) into a folder, readable as a model folder too. */
  save(directory: string): Promise<void>
  load(directory: string): Promise<void>
  /** Replace the weights by those of a model folder and forget the optimiser state: a new stage starts from it. */
  loadWeights(directory: string): Promise<void>
  close(): Promise<void>
}
