/** Between requests, which come one by one, and the engine, which is fast when it does many at once. */
import type { Alternatives, Sample, Sampler, Scored } from '../engines/index.ts'
import { ApiError } from './errors.ts'

/** Tokens per call of the engine. New requests join and streams go out at these bounds, and seeds hang on them. */
export const BURST = 4

/** Prompts scored in one call: the engine does nothing else meanwhile. */
const SCORED_AT_ONCE = 32
/** Sequences decoded in one call. */
const DECODED_AT_ONCE = 128

/** The next few tokens of one answer. */
export interface Burst {
  /** Everything before them: the prompt, and the answer so far. */
  tokens: number[]
  seed: number
  maxTokens: number
  temperature: number
  topP: number
  /** Most probable tokens to list beside each. */
  alternatives: number
}

interface Waiting<Ask, Answer> {
  ask: Ask
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/** Asks that wait for one kind of call. */
class Line<Ask, Answer> {
  private waiting: Waiting<Ask, Answer>[] = []

  get length(): number {
    return this.waiting.length
  }

  /** An aborted ask leaves the line, and nothing more is computed for it. */
  join(ask: Ask, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const leave = () => {
        this.waiting = this.waiting.filter((other) => other !== waiting)
        reject(signal.reason)
      }
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value) => {
          signal.removeEventListener('abort', leave)
          settle(value)
        }
      const waiting = { ask, resolve: settled(resolve), reject: settled(reject) }
      signal.addEventListener('abort', leave, { once: true })
      this.waiting.push(waiting)
    })
  }

  /** Serve the first and those after it that fit it, at most `limit`, with one call. */
  async serve(limit: number, fits: (a: Ask, b: Ask) => boolean, call: (asks: Ask[]) => Promise<Answer[]>) {
    const [first] = this.waiting
    if (!first) return
    const batch = this.waiting.filter(({ ask }) => fits(first.ask, ask)).slice(0, limit)
    this.waiting = this.waiting.filter((waiting) => !batch.includes(waiting))
    try {
      const answers = await call(batch.map(({ ask }) => ask))
      batch.forEach(({ resolve }, i) => {
        resolve(answers[i])
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}

/**
 * Gathers what waits into calls of one sampler. An answer is asked for a burst at a time, and goes to the end of the line
 * after each: so a new request starts beside those being written, one that nobody waits for any more costs nothing, and
 * different temperatures take turns.
 */
export class Batcher {
  /** What the engine's last call failed with. */
  failure: string | null = null
  private readonly bursts = new Line<Burst, Sample>()
  private readonly scores = new Line<{ tokens: number[]; alternatives: number }, Scored>()
  private readonly sampler: Sampler
  private readonly stop: number[][]
  private running = false

  /** `stop` are token sequences that end every answer. */
  constructor(sampler: Sampler, stop: number[][]) {
    this.sampler = sampler
    this.stop = stop
  }

  /**
   * At least one token and at most `BURST`: fewer where a stop sequence came, and perhaps more than `maxTokens`, as the call is
   * shared with others.
   */
  burst(burst: Burst, signal: AbortSignal): Promise<Sample> {
    const sample = this.bursts.join(burst, signal)
    void this.run()
    return sample
  }

  /** Log-probabilities of given tokens, and the most probable ones beside them. */
  score(tokens: number[], alternatives: number, signal: AbortSignal): Promise<Scored> {
    if (!this.sampler.score)
      return Promise.reject(new ApiError(400, 'this model cannot score prompts', { param: 'echo' }))
    const scored = this.scores.join({ tokens, alternatives }, signal)
    void this.run()
    return scored
  }

  private async run(): Promise<void> {
    if (this.running) return
    this.running = true
    while (true) {
      // Those whose burst has just come ask for the next one first.
      await new Promise(setImmediate)
      if (this.bursts.length + this.scores.length === 0) break
      await this.scores.serve(
        SCORED_AT_ONCE,
        () => true,
        (asks) => this.watched(this.callScore(asks)),
      )
      await this.bursts.serve(DECODED_AT_ONCE, sameDistribution, (asks) => this.watched(this.callSample(asks)))
    }
    this.running = false
  }

  /** Requests were checked before: what fails in a call is the engine. */
  private async watched<T>(call: Promise<T>): Promise<T> {
    try {
      const result = await call
      this.failure = null
      return result
    } catch (error) {
      this.failure = `the engine failed: ${error instanceof Error ? error.message : String(error)}`
      throw new ApiError(500, this.failure)
    }
  }

  private async callSample(asks: Burst[]): Promise<Sample[]> {
    const samples = await this.sampler.sample(
      asks.map(({ tokens }) => tokens),
      {
        n: 1,
        maxTokens: Math.min(BURST, Math.max(...asks.map(({ maxTokens }) => maxTokens))),
        temperature: asks[0].temperature,
        topP: asks[0].topP,
        stop: this.stop,
        seed: asks.map(({ seed }) => seed),
        alternatives: Math.max(...asks.map(({ alternatives }) => alternatives)),
      },
    )
    return samples.map(([sample], i) => ({
      ...sample,
      alternatives: sample.alternatives?.map((one) => first(one, asks[i].alternatives)),
    }))
  }

  private async callScore(asks: { tokens: number[]; alternatives: number }[]): Promise<Scored[]> {
    const most = Math.max(1, ...asks.map(({ alternatives }) => alternatives))
    const scored = await this.sampler.score!(
      asks.map(({ tokens }) => tokens),
      most,
    )
    return scored.map((one, i) => ({
      ...one,
      alternatives: one.alternatives.map((some) => first(some, asks[i].alternatives)),
    }))
  }
}

function sameDistribution(a: Burst, b: Burst): boolean {
  return a.temperature === b.temperature && a.topP === b.topP
}

function first({ tokens, logprobs }: Alternatives, count: number): Alternatives {
  return { tokens: tokens.slice(0, count), logprobs: logprobs.slice(0, count) }
}
