import { UserError } from '../core/index.ts'
import { ServiceError } from '../services/index.ts'

/** Statuses that this server answers errors with. */
export type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 413 | 415 | 429 | 500 | 503 | 504

interface Details {
  /** The field that is wrong, as a path: `messages[0].content`. */
  param?: string
  code?: string
  /** How to show who asks. */
  authenticate?: string
  /** Methods that the path does answer to. */
  allow?: string
  /** Seconds after which another try makes sense. */
  retryAfter?: number
}

/** A request that is refused or fails, in the shape that OpenAI's clients read. */
export class ApiError extends Error {
  readonly status: ErrorStatus
  readonly details: Details

  constructor(status: ErrorStatus, message: string, details: Details = {}) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.details = details
  }

  get body(): { error: { message: string; type: string; param: string | null; code: string | null } } {
    const { param = null, code = null } = this.details
    return { error: { message: this.message, type: errorType(this.status), param, code } }
  }
}

function errorType(status: ErrorStatus): string {
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

/**
 * What went wrong as an answer: a `UserError` is about the request (a template that refuses a role), but for what another service
 * fails at (the embedding model of a reward); the rest is ours.
 */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof ServiceError) return new ApiError(503, error.message)
  if (error instanceof UserError) return new ApiError(400, error.message)
  return new ApiError(500, error instanceof Error ? error.message : String(error))
}
