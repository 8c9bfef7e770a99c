import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { uniform } from '../core/index.ts'
import type { ServiceConfig } from './config.ts'
import { CLOSED } from './connection.ts'
import { newCounters, type ServiceCounters } from './counters.ts'
import { ServiceError } from './errors.ts'
import { Gate } from './gate.ts'
import { retryDelay } from './retry.ts'

/** The requests of one service: each in its turn, again after failures that a later try can mend, none once closed. */
export class Attempts {
  readonly counted: ServiceCounters = newCounters()
  private readonly config: ServiceConfig
  /** For messages. */
  private readonly where: string
  private readonly gate: Gate
  private readonly closing = new AbortController()

  constructor(config: ServiceConfig, where: string) {
    // All that is under way listens, and that may be a thousand.
    setMaxListeners(0, this.closing.signal)
    this.config = config
    this.where = where
    this.gate = new Gate(config)
  }

  /** Aborted once this is closed. */
  get signal(): AbortSignal {
    return this.closing.signal
  }

  close(): void {
    this.closing.abort()
  }

  /** Does `send` until there is an answer or no hope. Calls with another `key` wait unlike long. @throws ServiceError */
  async persist<T>(key: string | number, send: () => Promise<T>): Promise<T> {
    const { retries, backoffSeconds } = this.config
    for (let tries = 1; ; tries++) {
      try {
        return await this.unlessClosed(this.gate.through(this.signal, send))
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        this.counted.errors[error.kind] = (this.counted.errors[error.kind] ?? 0) + 1
        if (!error.retryable || tries > retries) throw error.after(tries)
        const { kind, retryAfter } = error.failure
        if (kind === 'rate') this.gate.pause(retryAfter ?? 0)
        const jitter = uniform(process.pid, key, tries)
        const seconds = retryDelay({ retries: tries - 1, backoffSeconds, retryAfter, jitter })
        await this.unlessClosed(sleep(Math.ceil(seconds * 1000), undefined, { signal: this.signal }))
        this.counted.retries++
      }
    }
  }

  /** Waiting that we broke off ourselves is told as such. */
  private async unlessClosed<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if ((error as Error).name === 'AbortError') throw new ServiceError(this.where, CLOSED)
      throw error
    }
  }
}
