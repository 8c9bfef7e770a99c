import type { ChatUsage } from './chat.ts'
import type { FailureKind } from './errors.ts'

/** What a service was asked and what became of it. */
export interface ServiceCounters extends ChatUsage {
  /** Answers that were wanted. */
  calls: number
  /** Of those, answered without a request. */
  cached: number
  /** Sent, retries among them. */
  requests: number
  retries: number
  /** Failed requests by kind, those that a retry mended among them. */
  errors: Partial<Record<FailureKind, number>>
  /** Requests whose tokens were estimated because the service did not tell. */
  estimated: number
  /** In dollars; 0 without prices. */
  cost: number
}

export function newCounters(): ServiceCounters {
  return {
    calls: 0,
    cached: 0,
    requests: 0,
    retries: 0,
    errors: {},
    estimated: 0,
    inputTokens: 0,
    cachedInputTokens: 0,
    outputTokens: 0,
    cost: 0,
  }
}
