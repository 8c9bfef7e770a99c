/** The sampler: continuous batching over the decode graphs, with reuse of everything computed before. */
import { hash32, type Runtime, UserError, uniform } from '../../../core/index.ts'
import { MOST_ALTERNATIVES, type Sample, type SamplingParams } from '../../engine.ts'
import { endsWithStop } from '../../stop.ts'
import type { ModelConfig } from '../config.ts'
import type { Provider } from '../runtime.ts'
import { drawRestricted, drawToken, mostProbable, mostProbableTokens, type Row } from './draw.ts'
import { defaultCacheBytes } from './memory.ts'
import { type Sequence, SequencePool } from './pool.ts'
import { planReuse } from './prefix.ts'
import { DecoderRunner } from './runner.ts'

export interface SamplerOptions {
  threads: number
  provider?: Provider
  /** Sequences decoded at once, as far as the cache holds them. */
  batch?: number
  /** Bound on keys and values held, in bytes. */
  cacheBytes?: number
  /** The weights will not change: pack them at once. */
  frozen?: boolean
}

/** Tokens of one extension run, padding included. */
const EXTEND_TOKENS = 2048
/** What starting one run costs, in tokens: weighs padding against the number of runs. */
const RUN_OVERHEAD_TOKENS = 32
/** Tokens of one slot in one run: the scores of attention grow with its square. */
const LONGEST_RUN = 256
/** Packing the weights pays from about this many steps on. */
const BAKE_STEPS = 12

/** One sample to draw. */
interface Request {
  prompt: number[]
  seed: number
  sampleIndex: number
  maxTokens: number
  /** What to start from: a held sequence, or the request of another prompt, or of the same one. */
  source: Sequence | Request | undefined
  sequence: Sequence | undefined
  sample: Sample
}

function isRequest(source: Sequence | Request | undefined): source is Request {
  return source !== undefined && 'prompt' in source
}

export class SamplerCore {
  private readonly config: ModelConfig
  private readonly runner: DecoderRunner
  private readonly batch: number
  private readonly cacheBytes: number
  private readonly frozen: boolean
  private pool: SequencePool
  private readonly running = new Map<Sequence, Request>()

  /** `weights` gives them flat in parameter order, as they are; call `weightsChanged` when they have changed. */
  constructor(ort: Runtime, config: ModelConfig, weights: () => Float32Array, options: SamplerOptions) {
    this.config = config
    this.runner = new DecoderRunner(ort, config, weights, options)
    this.cacheBytes = options.cacheBytes ?? defaultCacheBytes(config)
    this.pool = new SequencePool(this.runner.shape, this.cacheBytes)
    this.batch = options.batch ?? 128
    this.frozen = options.frozen ?? false
  }

  /** Drop cached keys and values. */
  reset(): void {
    this.pool.clear()
  }

  async weightsChanged(): Promise<void> {
    this.reset()
    await this.runner.weightsChanged()
  }

  async close(): Promise<void> {
    this.reset()
    await this.runner.close()
  }

  /** See `Sampler.sample`. One call at a time. */
  async sample(prompts: number[][], params: SamplingParams): Promise<Sample[][]> {
    checkSampling(prompts, params, this.config)
    const { waiting, results } = this.plan(prompts, params)
    if (waiting.length === 0) return results
    const { temperature, stop } = params
    const longest = waiting.reduce((most, request) => Math.max(most, request.prompt.length + request.maxTokens), 0)
    const limit = Math.min(this.batch, this.pool.slotsFor(longest))
    // A function of this call alone: packed and unpacked weights may differ in the last bit.
    await this.runner.prepare(this.frozen || params.maxTokens * Math.ceil(waiting.length / limit) >= BAKE_STEPS)
    // Slots that have grown for longer sequences are fewer; far fewer are not worth what they hold.
    if (this.pool.slotsFor(this.pool.arena.capacity) < limit / 2) this.reset()
    const room = Math.min(limit, this.pool.slotsFor(this.pool.arena.capacity))
    try {
      while (waiting.length > 0 || this.running.size > 0) {
        const free = room - this.running.size
        if (waiting.length > 0 && (this.running.size === 0 || free >= Math.min(waiting.length, room / 4))) {
          await this.admit(waiting.splice(0, free))
        } else if (this.pool.activeCount - this.running.size >= Math.max(1, this.running.size / 8)) {
          this.compact()
        }
        await this.step(
          temperature > 0 ? 1 / temperature : 1,
          (row, request) => {
            if (temperature === 0) return mostProbable(row)
            const u = uniform(request.seed, request.sampleIndex, request.sample.tokens.length)
            const { topK = 0, topP = 1 } = params
            return topK > 0 || topP < 1 ? drawRestricted(row, u, topK, topP) : drawToken(row, u)
          },
          stop,
          params.alternatives ?? 0,
        )
      }
    } catch (error) {
      // A new pool, not a cleared one: what it holds may be non-finite, which masking does not silence.
      this.running.clear()
      this.pool = new SequencePool(this.runner.shape, this.cacheBytes)
      throw error
    }
    return results
  }

  /** All requests of a call, in the order of admission, and the samples they will fill. */
  private plan(prompts: number[][], params: SamplingParams): { waiting: Request[]; results: Sample[][] } {
    const held = this.pool.held()
    const rows = held.map((sequence) => sequence.tokens.slice(0, this.pool.arena.lengths[sequence.slot]))
    const { order, reuse } = planReuse(prompts, rows)
    const firsts = new Map<number, Request>()
    const results: Sample[][] = prompts.map(() => [])
    const waiting: Request[] = []
    for (const index of order) {
      const prompt = prompts[index]
      const { held: heldIndex, prompt: promptIndex } = reuse[index]
      if (heldIndex >= 0) this.pool.touch(held[heldIndex])
      for (let sampleIndex = 0; sampleIndex < params.n; sampleIndex++) {
        const sample: Sample = { tokens: [], logprobs: [], stopReason: 'length' }
        if (params.alternatives) sample.alternatives = []
        const source = promptIndex >= 0 ? firsts.get(promptIndex) : heldIndex >= 0 ? held[heldIndex] : undefined
        const request: Request = {
          prompt,
          seed: typeof params.seed === 'number' ? hash32(params.seed, index) : params.seed[index],
          sampleIndex,
          maxTokens: Math.min(params.maxTokens, this.config.max_position_embeddings - prompt.length),
          source: sampleIndex === 0 ? source : firsts.get(index),
          sequence: undefined,
          sample,
        }
        if (sampleIndex === 0) firsts.set(index, request)
        results[index].push(sample)
        waiting.push(request)
      }
    }
    return { waiting, results }
  }

  /** Bring the running sequences to the front. */
  private compact(): void {
    const active = [...this.running.keys()].sort((a, b) => a.slot - b.slot)
    this.pool.gather(active, 0)
    this.pool.activeCount = active.length
  }

  /** Start requests: all but the last token of each prompt gets its keys and values, shared beginnings once. */
  private async admit(requests: Request[]): Promise<void> {
    this.compact()
    const longest = requests.reduce((most, request) => Math.max(most, request.prompt.length), 0)
    const own = requests.filter(({ prompt, source }) => isRequest(source) || this.pool.needsSlot(prompt, source))
    this.pool.reserve(this.pool.held().length + own.length, longest)
    let left = requests
    while (left.length > 0) {
      const later: Request[] = []
      const level: Sequence[] = []
      const started = new Set<Request>()
      for (const request of left) {
        const { source } = request
        // What it starts from must have been computed: not in this round, nor waiting itself.
        if (isRequest(source) && (started.has(source) || !source.sequence)) {
          later.push(request)
          continue
        }
        request.sequence = this.pool.start(request.prompt, isRequest(source) ? source.sequence : source)
        this.running.set(request.sequence, request)
        started.add(request)
        level.push(request.sequence)
      }
      this.pool.gather(level, this.pool.activeCount)
      this.pool.arrange(
        level,
        this.pool.activeCount,
        (sequence) => sequence.tokens.length - this.pool.arena.lengths[sequence.slot],
      )
      await this.extend(this.pool.activeCount, level.length)
      this.pool.activeCount += level.length
      left = later
    }
  }

  /** Compute all pending tokens but the last of the sequences in the slots [first, first + count). */
  private async extend(first: number, count: number): Promise<void> {
    const { arena } = this.pool
    const pending = (slot: number) => this.pool.at(slot)!.tokens.length - 1 - arena.lengths[slot]
    const end = first + count
    let start = first
    while (start < end) {
      const counts: number[] = []
      for (let slot = start; slot < end; slot++) counts.push(Math.max(0, pending(slot)))
      if (counts[0] === 0) {
        start++
        continue
      }
      const { slots, length } = bestRun(counts)
      const chunks = counts.slice(0, slots).map((size, i) => {
        const slot = start + i
        return this.pool.at(slot)!.tokens.slice(arena.lengths[slot], arena.lengths[slot] + Math.min(size, length))
      })
      await this.runner.extend(arena, start, chunks)
    }
  }

  /** One token for every running sequence. */
  private async step(
    inverseTemperature: number,
    draw: (row: Row, request: Request) => number,
    stop: number[][],
    alternatives: number,
  ): Promise<void> {
    const { arena } = this.pool
    const slots = this.pool.activeCount
    const tokens: number[] = []
    const requests: (Request | undefined)[] = []
    let rows = 0
    for (let slot = 0; slot < slots; slot++) {
      const sequence = this.pool.at(slot)
      const request = sequence?.active ? this.running.get(sequence) : undefined
      requests.push(request)
      tokens.push(request ? sequence!.tokens[sequence!.tokens.length - 1] : 0)
      if (request) rows = Math.max(rows, arena.lengths[slot] + 1)
    }
    this.pool.reserve(slots, rows)
    const keep = requests.map((request) => request !== undefined)
    const probabilities = await this.runner.step(arena, tokens, keep, inverseTemperature)
    const size = this.config.vocab_size
    requests.forEach((request, slot) => {
      if (!request) return
      const row = { values: probabilities, offset: slot * size, size }
      const token = draw(row, request)
      const logprob = Math.log(probabilities[slot * size + token])
      if (!Number.isFinite(logprob))
        throw new UserError(
          'the model gives probabilities that are not finite: its weights have diverged; go on from an earlier checkpoint with a lower learning rate',
        )
      const { sample } = request
      sample.tokens.push(token)
      sample.logprobs.push(logprob)
      if (sample.alternatives) {
        const tokens = mostProbableTokens(row, alternatives)
        sample.alternatives.push({ tokens, logprobs: tokens.map((one) => Math.log(row.values[row.offset + one])) })
      }
      request.sequence!.tokens.push(token)
      const stopped = endsWithStop(sample.tokens, stop)
      if (!stopped && sample.tokens.length < request.maxTokens) return
      sample.stopReason = stopped ? 'stop' : 'length'
      request.sequence!.active = false
      this.pool.touch(request.sequence!)
      this.running.delete(request.sequence!)
    })
  }
}

/**
 * The run that computes the most needed tokens for its cost, given how many each of some neighbouring slots needs: how many
 * slots, from the first, and how many tokens of each.
 */
function bestRun(counts: number[]): { slots: number; length: number } {
  let best = { slots: 1, length: Math.min(counts[0], LONGEST_RUN) }
  let bestRate = 0
  let useful = 0
  let length = 0
  for (let slots = 1; slots <= counts.length; slots++) {
    const count = Math.min(counts[slots - 1], LONGEST_RUN)
    useful += count
    length = Math.max(length, count)
    if (slots > 1 && slots * length > EXTEND_TOKENS) break
    const rate = useful / (slots * length + RUN_OVERHEAD_TOKENS)
    if (rate >= bestRate) [best, bestRate] = [{ slots, length }, rate]
  }
  return best
}

function checkSampling(prompts: number[][], params: SamplingParams, config: ModelConfig): void {
  const { n, maxTokens, temperature, topP = 1, topK = 0, seed, alternatives = 0 } = params
  const refuse = (what: string): never => {
    throw new UserError(`sample: ${what}`)
  }
  if (!(Number.isInteger(n) && n >= 1)) refuse(`n is ${n}; it must be a whole number from 1 on`)
  if (!(Number.isInteger(maxTokens) && maxTokens >= 1)) refuse(`maxTokens is ${maxTokens}; it must be at least 1`)
  if (!(temperature >= 0 && Number.isFinite(temperature))) refuse(`temperature is ${temperature}; it must be 0 or more`)
  if (!(topP > 0 && topP <= 1)) refuse(`topP is ${topP}; it must be above 0 and at most 1`)
  if (!(Number.isInteger(topK) && topK >= 0)) refuse(`topK is ${topK}; it must be 0 (off) or a whole number`)
  if (!(Number.isInteger(alternatives) && alternatives >= 0 && alternatives <= MOST_ALTERNATIVES)) {
    refuse(`alternatives is ${alternatives}; it must be a whole number up to ${MOST_ALTERNATIVES}`)
  }
  if (typeof seed !== 'number' && seed.length !== prompts.length) {
    refuse(`${seed.length} seeds for ${prompts.length} prompts; give one seed, or one per prompt`)
  }
  prompts.forEach((prompt, i) => {
    if (prompt.length === 0) refuse(`prompt ${i} is empty; it needs at least one token`)
    if (prompt.length >= config.max_position_embeddings) {
      refuse(
        `prompt ${i} has ${prompt.length} tokens, which leaves no room in a context of ${config.max_position_embeddings}; shorten it`,
      )
    }
    const bad = prompt.find((token) => !(Number.isInteger(token) && token >= 0 && token < config.vocab_size))
    if (bad !== undefined) refuse(`prompt ${i} holds token ${bad}, but the vocabulary has ${config.vocab_size} entries`)
  })
}
