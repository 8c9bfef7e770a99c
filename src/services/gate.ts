import { setTimeout as sleep } from 'node:timers/promises'

export interface GateLimits {
  maxConcurrent: number
  requestsPerMinute?: number
}

/** Lets requests through: so many at once, so many a minute, and none while the service asks to be left alone. */
export class Gate {
  private readonly limits: GateLimits
  private inside = 0
  private readonly waiting: (() => void)[] = []
  /** When the next request may start, in milliseconds of `performance.now()`. */
  private next = 0
  private pausedUntil = 0

  constructor(limits: GateLimits) {
    this.limits = limits
  }

  /** Does `work` when it may. @throws an AbortError once `closing` is aborted, unless the work is under way */
  async through<T>(closing: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.inside < this.limits.maxConcurrent) this.inside++
    // Who leaves hands over the place.
    else await new Promise<void>((enter) => this.waiting.push(enter))
    try {
      await this.turn(closing)
      return await work()
    } finally {
      const enter = this.waiting.shift()
      if (enter) enter()
      else this.inside--
    }
  }

  /** Keeps all requests that have not started from starting. */
  pause(seconds: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, performance.now() + seconds * 1000)
  }

  private async turn(closing: AbortSignal): Promise<void> {
    const { requestsPerMinute } = this.limits
    const start = Math.max(performance.now(), this.next)
    if (requestsPerMinute !== undefined) this.next = start + 60_000 / requestsPerMinute
    for (;;) {
      closing.throwIfAborted()
      const wait = Math.max(start, this.pausedUntil) - performance.now()
      if (wait <= 0) return
      await sleep(Math.ceil(wait), undefined, { signal: closing })
    }
  }
}
