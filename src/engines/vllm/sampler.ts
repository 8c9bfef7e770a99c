import { z } from 'zod'
import { hash32, UserError } from '../../core/index.ts'
import { JsonService, type ServiceSettings } from '../../services/index.ts'
import type { Alternatives, Sample, Sampler, SamplingParams, Scored } from '../engine.ts'
import { endOfStop } from '../stop.ts'
import { byToken, type Choice, completionSchema, modelsSchema, tokenOf } from './wire.ts'

export interface VllmOptions {
  /** Number of token ids of the model: its server does not tell. */
  vocabularySize: number
  /** The server was started with `--logprobs-mode processed_logprobs`: what a temperature does to log-probabilities is in them. */
  processed?: boolean
}

/**
 * A vLLM server as a `Sampler`: token ids in, token ids and log-probabilities out, nothing encoded or decoded on the way. An
 * answer without ids fails: re-encoded text would be trained on as if it had been sampled. Weights stay as the server has them,
 * or are an adapter that it reads from the disk (`withAdapter`).
 *
 * Two things differ from the local engine. The same seed need not give the same tokens in other company: vLLM's sums depend on what
 * else is in the batch. And a server without `processed` tells log-probabilities of temperature 1, so it samples at 0 and 1 only.
 */
export class VllmSampler implements Sampler {
  readonly vocabularySize: number
  readonly contextLength: number
  private readonly service: JsonService
  private readonly model: string
  private readonly processed: boolean

  private constructor(service: JsonService, model: string, contextLength: number, options: VllmOptions) {
    this.service = service
    this.model = model
    this.contextLength = contextLength
    this.vocabularySize = options.vocabularySize
    this.processed = options.processed ?? false
  }

  /** @throws UserError (settings, key; a model that the server does not have), ServiceError (no answer) */
  static async connect(settings: ServiceSettings, options: VllmOptions): Promise<VllmSampler> {
    const service = new JsonService(settings)
    const { model } = service.config
    const { data } = await service.get('/models', modelsSchema)
    const served = data.find(({ id }) => id === model)
    if (!served) throw new UserError(`${service.config.url} has no model "${model}"; it has ${names(data)}`, 2)
    if (!served.max_model_len) {
      throw new UserError(`${service.where} does not tell how long its context is (max_model_len): is it vLLM?`)
    }
    return new VllmSampler(service, model, served.max_model_len, options)
  }

  /**
   * The same model with a LoRA adapter on top: `folder` in PEFT's form, as the server sees the disk. It has to run with
   * `--enable-lora` and `VLLM_ALLOW_RUNTIME_LORA_UPDATING=1`. @throws ServiceError where it refuses
   */
  async withAdapter(name: string, folder: string): Promise<VllmSampler> {
    await this.service.post(
      '/load_lora_adapter',
      { lora_name: name, lora_path: folder, load_inplace: true },
      z.unknown(),
    )
    return new VllmSampler(this.service, name, this.contextLength, {
      vocabularySize: this.vocabularySize,
      processed: this.processed,
    })
  }

  async sample(prompts: number[][], params: SamplingParams): Promise<Sample[][]> {
    const { temperature, seed, alternatives = 0 } = params
    if (temperature !== 0 && temperature !== 1 && !this.processed) {
      throw new UserError(
        `${this.service.where} is sampled from at temperature ${temperature}, and its log-probabilities may be those of temperature 1: start it with --logprobs-mode processed_logprobs and say so (processed: true), or sample at 1`,
      )
    }
    for (const prompt of prompts) this.check(prompt, params.maxTokens)
    return Promise.all(
      prompts.map(async (prompt, i) => {
        const { choices } = await this.service.post(
          '/completions',
          this.request(prompt, params, typeof seed === 'number' ? hash32(seed, i) : seed[i]),
          completionSchema,
        )
        const ordered = [...choices].sort((a, b) => a.index - b.index)
        if (ordered.length !== params.n || ordered.some(({ index }, j) => index !== j)) {
          throw this.wrong(`was asked for ${params.n} samples and sent ${choices.length}`)
        }
        return ordered.map((choice) => this.sampleOf(choice, params, alternatives))
      }),
    )
  }

  async logprobs(sequences: number[][], temperature = 1): Promise<number[][]> {
    if (temperature !== 1) {
      throw new UserError(
        `${this.service.where} scores given tokens at temperature 1, not at ${temperature}: train at temperature 1, or on an engine that can`,
      )
    }
    return (await this.score(sequences, 0)).map(({ logprobs }) => logprobs)
  }

  score(sequences: number[][], alternatives: number): Promise<Scored[]> {
    return Promise.all(
      sequences.map(async (tokens) => {
        this.check(tokens, 1)
        const body = { ...this.base(tokens), max_tokens: 1, temperature: 0, prompt_logprobs: alternatives }
        const { choices } = await this.service.post('/completions', body, completionSchema)
        const told = choices[0].prompt_logprobs
        if (told?.length !== tokens.length) {
          throw this.wrong(`sent ${told?.length ?? 'no'} log-probabilities of the ${tokens.length} tokens of a prompt`)
        }
        const entries = told.map((entry, at): [number, Alternatives] => {
          if (at === 0) return [0, { tokens: [], logprobs: [] }]
          const own = entry?.[tokens[at]]
          if (!own) throw this.wrong(`does not tell the log-probability of token ${at} of a prompt`)
          const ranked = Object.entries(entry).map(([token, { logprob }]): [number, number] => [Number(token), logprob])
          return [own.logprob, mostProbable(ranked, alternatives)]
        })
        return { logprobs: entries.map(([own]) => own), alternatives: entries.map(([, others]) => others) }
      }),
    )
  }

  /** The server keeps prefixes as it likes. */
  async reset(): Promise<void> {}

  async close(): Promise<void> {
    this.service.close()
  }

  /** Fields that could be set by the model's `generation_config.json` are all given: what is left out there has its value. */
  private base(prompt: number[]): Record<string, unknown> {
    return {
      model: this.model,
      prompt,
      top_p: 1,
      top_k: 0,
      min_p: 0,
      repetition_penalty: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      return_token_ids: true,
      return_tokens_as_token_ids: true,
    }
  }

  private request(
    prompt: number[],
    { n, maxTokens, temperature, topP = 1, topK = 0, stop, alternatives = 0 }: SamplingParams,
    seed: number,
  ): Record<string, unknown> {
    return {
      ...this.base(prompt),
      n,
      max_tokens: maxTokens,
      temperature,
      top_p: topP,
      top_k: topK,
      seed,
      logprobs: alternatives,
      // A sample ends where it is told to and nowhere else. Longer sequences are cut off afterwards: vLLM knows single tokens.
      ignore_eos: true,
      stop_token_ids: stop.filter((tokens) => tokens.length === 1).map(([token]) => token),
    }
  }

  private sampleOf(choice: Choice, { stop, maxTokens }: SamplingParams, alternatives: number): Sample {
    const { token_ids: tokens, logprobs } = choice
    if (!tokens) throw this.wrong('sent a sample without token ids (return_token_ids)')
    if (tokens.length > maxTokens) throw this.wrong(`sent ${tokens.length} tokens for at most ${maxTokens}`)
    const foreign = tokens.find((token) => token >= this.vocabularySize)
    if (foreign !== undefined) {
      throw new UserError(
        `${this.service.where} sampled token ${foreign}, which is not one of ${this.vocabularySize}: give the vocabularySize of the model that it serves`,
      )
    }
    if (!logprobs || logprobs.token_logprobs.length !== tokens.length) {
      throw this.wrong(`sent ${logprobs?.token_logprobs.length ?? 'no'} log-probabilities for ${tokens.length} tokens`)
    }
    const other = logprobs.tokens.findIndex((name, at) => tokenOf(name) !== tokens[at])
    if (other >= 0) throw this.wrong(`tells the log-probability of another token than it sampled, at ${other}`)
    const end = endOfStop(tokens, stop)
    const length = end ?? tokens.length
    return {
      tokens: tokens.slice(0, length),
      logprobs: logprobs.token_logprobs.slice(0, length),
      stopReason: end === null ? 'length' : 'stop',
      ...(alternatives > 0 && {
        alternatives: this.ranked(logprobs.top_logprobs ?? [])
          .slice(0, length)
          .map((ranked) => mostProbable(ranked, alternatives)),
      }),
    }
  }

  /** The tokens that were thought of at each place, with their log-probabilities. */
  private ranked(told: readonly unknown[]): [token: number, logprob: number][][] {
    return told.map((entry, at) => {
      const { data } = byToken.safeParse(entry)
      if (!data) throw this.wrong(`tells no log-probabilities by token id, at ${at}`)
      return Object.entries(data).map(([name, logprob]) => [tokenOf(name), logprob])
    })
  }

  private check(prompt: number[], maxTokens: number): void {
    if (prompt.length === 0) throw new UserError('a prompt holds no token')
    const bad = prompt.find((token) => !(Number.isInteger(token) && token >= 0 && token < this.vocabularySize))
    if (bad !== undefined) throw new UserError(`token ${bad} of a prompt is not one of ${this.vocabularySize}`)
    if (prompt.length + maxTokens > this.contextLength) {
      throw new UserError(
        `a prompt of ${prompt.length} tokens leaves no room for ${maxTokens} in a context of ${this.contextLength} at ${this.service.where}`,
      )
    }
  }

  private wrong(what: string): UserError {
    return new UserError(`${this.service.where} ${what}: it has to be a vLLM of 0.10.2 or newer`)
  }
}

function mostProbable(entries: [token: number, logprob: number][], count: number): Alternatives {
  const first = entries.sort(([, a], [, b]) => b - a).slice(0, count)
  return { tokens: first.map(([token]) => token), logprobs: first.map(([, logprob]) => logprob) }
}

function names(models: readonly { id: string }[]): string {
  return models.map(({ id }) => id).join(', ') || 'none'
}
