import { hash32, UserError } from '../core/index.ts'
import { hashOf } from '../store/index.ts'
import { charactersOf, type Heard } from './answer-builder.ts'
import { Attempts } from './attempts.ts'
import { AnswerCache } from './cache.ts'
import type { ChatAnswer, ChatMessage, ChatModel, ChatOptions, ChatUsage } from './chat.ts'
import { parseService, type ServiceConfig, type ServiceSettings } from './config.ts'
import { Connection } from './connection.ts'
import type { ServiceCounters } from './counters.ts'
import { ServiceError } from './errors.ts'
import { quotable } from './failures.ts'
import { costOf, estimatedTokens } from './prices.ts'
import type { Spending } from './spending.ts'
import { requestBody } from './wire.ts'

export interface ChatServiceOptions {
  /** Where answers are kept, so that no request is paid twice. */
  cacheFolder?: string
  /** What counts and limits the cost; needs prices. */
  spending?: Spending
}

/** Dense JSON and digits come to about this many; a service that counts more is believed from then on. */
const TOKENS_PER_BYTE = 0.5

/** One model at one service, with all that makes it dependable: limits, retries, a cache, and a count of everything. */
export class ChatService implements ChatModel {
  readonly name: string
  private readonly config: ServiceConfig
  private readonly connection: Connection
  private readonly attempts: Attempts
  private readonly cache: AnswerCache | null
  private readonly spending: Spending | null
  private readonly counted: ServiceCounters
  private readonly running = new Map<string, Promise<ChatAnswer>>()
  private tokensPerByte = TOKENS_PER_BYTE

  /** @throws UserError (settings, key, a limit without prices) */
  constructor(settings: ServiceSettings, { cacheFolder, spending }: ChatServiceOptions = {}) {
    this.config = parseService(settings)
    this.name = this.config.model
    this.connection = new Connection(this.config)
    this.attempts = new Attempts(this.config, this.connection.where)
    this.counted = this.attempts.counted
    this.cache = cacheFolder === undefined ? null : new AnswerCache(cacheFolder)
    this.spending = spending ?? null
    if (spending && !this.config.prices) {
      throw new UserError(
        `${this.connection.where} has no prices, so its cost is not known: give prices, or no limit`,
        2,
      )
    }
  }

  /** @throws ServiceError when no answer can be had; UserError (a spending limit without maxTokens, disk) */
  async complete(messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<ChatAnswer> {
    const call = this.counted.calls++
    const { url, model, extra } = this.config
    const key = this.cache ? hashOf({ url, model, extra, messages, options }) : String(call)
    const known = this.cache?.get(key)
    if (known) return this.again(known)
    const same = this.running.get(key)
    if (same) return this.again(await same)
    const answer = this.persist(messages, options, key)
    this.running.set(key, answer)
    try {
      return await answer
    } finally {
      this.running.delete(key)
    }
  }

  counters(): ServiceCounters {
    return { ...this.counted, errors: { ...this.counted.errors } }
  }

  /** Breaks off what is under way; afterwards nothing is sent or written any more. */
  async close(): Promise<void> {
    this.attempts.close()
    await Promise.allSettled(this.running.values())
  }

  private again(answer: ChatAnswer): ChatAnswer {
    this.counted.cached++
    return { ...answer, cached: true }
  }

  /** Asks until there is an answer or no hope. */
  private async persist(messages: readonly ChatMessage[], options: ChatOptions, key: string): Promise<ChatAnswer> {
    let empty = 0
    const answer = await this.attempts.persist(key, async () => {
      try {
        return await this.request(requestBody(this.config, messages, reseeded(options, empty)), options)
      } catch (error) {
        if (error instanceof ServiceError && error.kind === 'empty') empty++
        throw error
      }
    })
    this.cache?.put(key, answer)
    return answer
  }

  /** Sends one request within the spending limit. */
  private async request(body: Record<string, unknown>, { maxTokens }: ChatOptions): Promise<ChatAnswer> {
    const bytes = Buffer.byteLength(JSON.stringify(body))
    const settle = await this.reserve(bytes, maxTokens)
    let charged: ChatUsage | null = null
    try {
      this.counted.requests++
      const heard = await this.connection.ask(body, this.attempts.signal)
      charged = heard.usage ?? estimatedUsage(bytes, charactersOf(heard))
      if (heard.usage) this.tokensPerByte = Math.max(this.tokensPerByte, heard.usage.inputTokens / bytes)
      else this.counted.estimated++
      if (heard.text.trim() === '' && heard.toolCalls.length === 0) throw this.emptyAnswer(heard)
      return { ...heard, usage: charged, usageEstimated: !heard.usage, cost: this.costOf(charged), cached: false }
    } catch (error) {
      // What broke off was read and partly written all the same, and is on the bill.
      if (error instanceof ServiceError && error.received !== null && !charged) {
        charged = estimatedUsage(bytes, error.received)
        this.counted.estimated++
      }
      throw error
    } finally {
      if (charged) this.count(charged)
      settle?.(charged ? this.costOf(charged) : 0)
    }
  }

  private async reserve(bytes: number, maxTokens: number | undefined): Promise<((cost: number) => void) | null> {
    const { spending, connection } = this
    if (!spending) return null
    if (maxTokens === undefined && spending.limit !== null) {
      throw new UserError(
        `a spending limit needs maxTokens: without, one answer of ${connection.where} may cost anything`,
        2,
      )
    }
    const inputTokens = Math.ceil(bytes * this.tokensPerByte)
    const most = { inputTokens, cachedInputTokens: 0, outputTokens: maxTokens ?? 0 }
    return spending.reserve(this.costOf(most), connection.where)
  }

  private count(usage: ChatUsage): void {
    this.counted.inputTokens += usage.inputTokens
    this.counted.cachedInputTokens += usage.cachedInputTokens
    this.counted.outputTokens += usage.outputTokens
    this.counted.cost += this.costOf(usage)
  }

  private costOf(usage: ChatUsage): number {
    return this.config.prices ? costOf(usage, this.config.prices) : 0
  }

  private emptyAnswer({ finishReason, reasoning }: Heard): ServiceError {
    const thoughts = reasoning === '' ? '' : ' but thoughts'
    const advice = finishReason === 'length' ? 'raise maxTokens' : 'ask another model, or see what it is given'
    return new ServiceError(this.connection.where, {
      kind: 'empty',
      what: `gave an empty answer (nothing${thoughts}, finish reason "${quotable(finishReason)}")`,
      advice,
    })
  }
}

/** With the same seed, a model that wrote nothing would write nothing again. */
function reseeded(options: ChatOptions, empty: number): ChatOptions {
  if (empty === 0 || options.seed === undefined) return options
  return { ...options, seed: hash32(options.seed, empty) >>> 1 }
}

function estimatedUsage(bytes: number, received: number): ChatUsage {
  return { inputTokens: estimatedTokens(bytes), cachedInputTokens: 0, outputTokens: estimatedTokens(received) }
}
