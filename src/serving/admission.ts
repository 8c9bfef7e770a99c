import { setMaxListeners } from 'node:events'
import { ApiError } from './errors.ts'
import { LIMITS } from './limits.ts'

/** A request that was let in. `signal` aborts it: its client has gone, its time is over, or the server ends. */
export interface Admitted {
  signal: AbortSignal
  /** It is over: what is still being done for it stops. May be called twice. */
  release(): void
}

/** Lets requests in as far as there is room, and sees them out when the server ends. */
export class Admission {
  private readonly open = new Map<AbortController, number>()
  private closing = false
  private emptied: (() => void) | undefined

  /** Answers of requests that are open. */
  get answers(): number {
    let sum = 0
    for (const answers of this.open.values()) sum += answers
    return sum
  }

  /** @throws ApiError where there is no room, or the server is ending. `client` aborts when the client goes away. */
  admit(answers: number, client: AbortSignal): Admitted {
    if (this.closing) throw new ApiError(503, 'the server is stopping')
    if (this.answers + answers > LIMITS.waiting) {
      throw new ApiError(
        429,
        `${this.answers} answers are being written or waiting, at most ${LIMITS.waiting} can: try again`,
        {
          code: 'rate_limit_exceeded',
          retryAfter: LIMITS.retryAfter,
        },
      )
    }
    const controller = new AbortController()
    setMaxListeners(LIMITS.answers + 1, controller.signal)
    const leave = () => controller.abort(new ApiError(503, 'the client has gone'))
    const late = () =>
      controller.abort(new ApiError(504, `no answer within ${LIMITS.answerTime / 1000} s: ask for fewer tokens`))
    const timer = setTimeout(late, LIMITS.answerTime).unref()
    if (client.aborted) leave()
    client.addEventListener('abort', leave)
    this.open.set(controller, answers)
    return {
      signal: controller.signal,
      release: () => {
        clearTimeout(timer)
        client.removeEventListener('abort', leave)
        this.open.delete(controller)
        controller.abort(new ApiError(503, 'the request is over'))
        if (this.open.size === 0) this.emptied?.()
      },
    }
  }

  /** Let nobody in any more, and wait for those inside; who takes longer than `grace` ms is aborted. @returns whether none was. */
  async close(grace: number = LIMITS.closingTime): Promise<boolean> {
    this.closing = true
    if (this.open.size === 0) return true
    const empty = new Promise<void>((resolve) => {
      this.emptied = resolve
    })
    let finished = true
    const timer = setTimeout(() => {
      finished = false
      for (const controller of this.open.keys()) controller.abort(new ApiError(503, 'the server is stopping'))
    }, grace)
    await empty
    clearTimeout(timer)
    return finished
  }
}
