import { hash32, UserError } from '../../core/index.ts'
import { Gate, ServiceError } from '../../services/index.ts'
import { checkTokens } from '../check-tokens.ts'
import type { Sample, Sampler, SamplingParams } from '../engine.ts'
import type { ModelConfig } from '../local/index.ts'
import { endOfStop } from '../stop.ts'
import type { Connection } from './connection.ts'
import { resultOf } from './future.ts'
import { futureSchema, modelInput, type SamplesOutput, samplesSchema } from './wire.ts'

/** A prompt of more bytes is asked to wait longer, where too many are under way. */
const LONG_PROMPT = 128 * 1024

/** Weights at the server that can be sampled from; requests to them are numbered. */
export class SamplingSession {
  readonly id: string
  private sequence = 0
  constructor(id: string) {
    this.id = id
  }
  next(): number {
    return this.sequence++
  }
}

/** The queue in which all samplers of an engine stand. */
export class SamplingQueue {
  readonly connection: Connection
  private readonly gate: Gate

  constructor(connection: Connection, maxConcurrent: number) {
    this.connection = connection
    this.gate = new Gate({ maxConcurrent })
  }

  /** One request, in its turn. "Too many at once" pauses all that have not started. */
  async ask(session: SamplingSession, prompt: number[], fields: object): Promise<SamplesOutput> {
    const { connection } = this
    const number = session.next()
    const what = `asample ${number} of ${session.id}`
    const body = {
      sampling_session_id: session.id,
      seq_id: number,
      prompt: modelInput(prompt),
      ...fields,
      type: 'sample',
    }
    const headers = { 'x-tinker-sampling-backpressure': '1' }
    const submit = async () => {
      const began = performance.now()
      for (;;) {
        try {
          const request = { what, path: 'asample', body, headers, handsBack429: true }
          return (await connection.call(request, futureSchema)).request_id
        } catch (error) {
          if (!(error instanceof ServiceError) || error.kind !== 'rate' || !error.bearable) throw error
          if (performance.now() - began > connection.config.resultSeconds * 1000) throw error
          const { crowded, crowdedLong } = connection.pace
          const wait = Math.max(7 * prompt.length > LONG_PROMPT ? crowdedLong : crowded, error.failure.retryAfter ?? 0)
          this.gate.pause(wait)
          await connection.rest(wait)
        }
      }
    }
    return await this.gate.through(connection.signal, async () => {
      const requestId = await submit()
      return await resultOf(connection, { what, requestId, result: 'samples', resubmit: submit }, samplesSchema)
    })
  }
}

/** The weights that a sampler samples from. */
export interface SampledWeights {
  /** Does `work` with them, as they are at the moment of the call. */
  use<T>(work: (session: SamplingSession) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Samples from weights at the server: those of the moment, or frozen ones. */
export class TinkerSampler implements Sampler {
  readonly vocabularySize: number
  readonly contextLength: number
  private readonly config: ModelConfig
  private readonly queue: SamplingQueue
  private readonly weights: SampledWeights

  constructor(queue: SamplingQueue, config: ModelConfig, weights: SampledWeights) {
    this.config = config
    this.queue = queue
    this.weights = weights
    this.vocabularySize = config.vocab_size
    this.contextLength = config.max_position_embeddings
  }

  /**
   * See `Sampler.sample`. Log-probabilities at temperatures other than 1 are whatever the server reports (SkyRL: those at 1), and
   * are not trained on: `forwardBackward` refuses such temperatures. Stop sequences of several tokens are found here.
   */
  async sample(prompts: number[][], params: SamplingParams): Promise<Sample[][]> {
    if (params.alternatives) {
      throw new UserError(
        'a Tinker server does not list alternatives to sampled tokens: ask for none, or use the local engine',
      )
    }
    prompts.forEach((prompt, i) => {
      if (prompt.length === 0) throw new UserError(`prompt ${i} is empty: there is nothing to continue`)
      checkTokens(prompt, `prompt ${i}`, this.config)
    })
    if (prompts.length === 0 || params.n === 0) return prompts.map(() => [])
    return await this.weights.use((session) =>
      settled(prompts.map((prompt, i) => this.samplesOf(session, prompt, seedOf(params.seed, i), params))),
    )
  }

  private async samplesOf(session: SamplingSession, prompt: number[], seed: number, params: SamplingParams) {
    const { n, temperature, topP = 1, topK = 0, stop } = params
    const maxTokens = Math.min(params.maxTokens, this.contextLength - prompt.length)
    if (maxTokens <= 0)
      return Array.from({ length: n }, (): Sample => ({ tokens: [], logprobs: [], stopReason: 'length' }))
    const single = stop.flatMap((tokens) => (tokens.length === 1 ? tokens : []))
    const { sequences } = await this.queue.ask(session, prompt, {
      num_samples: n,
      sampling_params: {
        max_tokens: maxTokens,
        seed,
        temperature,
        top_k: topK > 0 ? topK : -1,
        top_p: topP,
        ...(single.length > 0 && { stop: single }),
      },
    })
    if (sequences.length !== n) throw this.strange(`${sequences.length} samples for ${n}`)
    return sequences.map(({ tokens, logprobs, stop_reason: stopReason }): Sample => {
      if (logprobs.length !== tokens.length)
        throw this.strange(`${logprobs.length} log-probabilities of ${tokens.length} tokens`)
      if (tokens.length > maxTokens) throw this.strange(`${tokens.length} tokens for at most ${maxTokens}`)
      const wrong = tokens.find((token) => token >= this.vocabularySize)
      if (wrong !== undefined)
        throw this.strange(`token ${wrong}, which is not in the vocabulary of ${this.vocabularySize}`)
      return cut({ tokens, logprobs, stopReason }, stop)
    })
  }

  /** Only at temperature 1: servers tell the log-probabilities of a given text at no other. */
  async logprobs(sequences: number[][], temperature = 1): Promise<number[][]> {
    if (temperature !== 1) {
      throw new UserError(
        `a Tinker server tells log-probabilities of given tokens at temperature 1 only, not ${temperature}: set the temperature to 1, or use the local engine`,
      )
    }
    sequences.forEach((tokens, i) => {
      checkTokens(tokens, `sequence ${i}`, this.config)
    })
    if (sequences.every((tokens) => tokens.length < 2)) return sequences.map((tokens) => tokens.map(() => 0))
    return await this.weights.use((session) => settled(sequences.map((tokens) => this.logprobsOf(session, tokens))))
  }

  private async logprobsOf(session: SamplingSession, tokens: number[]): Promise<number[]> {
    if (tokens.length < 2) return tokens.map(() => 0)
    const { prompt_logprobs: found } = await this.queue.ask(session, tokens, {
      num_samples: 1,
      sampling_params: { max_tokens: 1, seed: 0, temperature: 1, top_k: -1, top_p: 1 },
      prompt_logprobs: true,
    })
    // Nothing predicts the first token: some servers say null, some leave it out.
    const rest = found?.slice(found.length === tokens.length ? 1 : 0) ?? []
    if (rest.length !== tokens.length - 1)
      throw this.strange(`${rest.length} log-probabilities of a text of ${tokens.length}`)
    return [0, ...rest.map((value) => value ?? this.missing())]
  }

  /** What a server keeps of earlier prompts changes no result that it promises. */
  async reset(): Promise<void> {}

  async close(): Promise<void> {
    await this.weights.close()
  }

  private missing(): never {
    throw this.strange('no log-probability of a token')
  }

  private strange(what: string): ServiceError {
    const { where } = this.queue.connection
    const advice = 'compare model and folder: they must be the same model'
    return new ServiceError(where, { kind: 'malformed', what: `sent ${what}`, advice })
  }
}

/** From one seed, prompt i gets a hash of it and i; servers count up from there, sample by sample, in 31 bits. */
function seedOf(seed: number | number[], prompt: number): number {
  return (Array.isArray(seed) ? hash32('tinker', seed[prompt]) : hash32('tinker', seed, prompt)) >>> 2
}

/** All, or the first failure once none is under way any more. */
async function settled<T>(all: Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(all)
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}

/** A sample up to the end of the first stop sequence in it. */
function cut(sample: Sample, stop: readonly number[][]): Sample {
  const end = endOfStop(sample.tokens, stop)
  if (end === null) return sample
  return { tokens: sample.tokens.slice(0, end), logprobs: sample.logprobs.slice(0, end), stopReason: 'stop' }
}
