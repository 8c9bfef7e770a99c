export interface RetryDelay {
  /** Retries before this one. */
  retries: number
  backoffSeconds: number
  /** No backoff is longer. */
  longestSeconds?: number
  /** What the service asks for, in seconds. */
  retryAfter?: number
  /** Uniform in [0, 1): without it, all that failed together would come back together. */
  jitter: number
}

/** How long to wait before a retry, in seconds: twice as long each time, and never less than the service asks for. */
export function retryDelay(delay: RetryDelay): number {
  const { retries, backoffSeconds, longestSeconds = 60, retryAfter = 0, jitter } = delay
  const backoff = Math.min(longestSeconds, backoffSeconds * 2 ** retries) * (0.5 + jitter / 2)
  return Math.max(backoff, retryAfter * (1 + jitter / 10))
}
