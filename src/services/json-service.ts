import type { z } from 'zod'
import { plainIssue } from '../core/index.ts'
import { Attempts } from './attempts.ts'
import { parseService, type ServiceConfig, type ServiceSettings, serviceKey } from './config.ts'
import { CLOSED } from './connection.ts'
import { Deadline } from './deadline.ts'
import { type Failure, ServiceError } from './errors.ts'
import { connectionFailure, errorCode, quotable, statusFailure } from './failures.ts'
import { errorSchema } from './wire.ts'

/**
 * JSON in, JSON out, at a service whose answers come whole: embeddings, completions with token ids. Limits, deadlines and retries
 * are those of a chat service; what it costs is not counted.
 */
export class JsonService {
  /** For messages. */
  readonly where: string
  readonly config: ServiceConfig
  /** Private to the machine too: whoever prints a service must not print it. */
  readonly #key: string | null
  private readonly attempts: Attempts
  private calls = 0

  /** @throws UserError (settings, key) */
  constructor(settings: ServiceSettings) {
    this.config = parseService(settings)
    this.#key = serviceKey(this.config)
    this.where = `${this.config.model} at ${this.config.url}`
    this.attempts = new Attempts(this.config, this.where)
  }

  /**
   * Asks until there is an answer or no hope. `path` begins with `/` and is added to the service's url.
   * @throws ServiceError when no answer can be had
   */
  post<T>(path: string, body: object, schema: z.ZodType<T>): Promise<T> {
    return this.persist(path, { ...body, ...this.config.extra }, schema)
  }

  /** The same for what is only read. @throws ServiceError */
  get<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    return this.persist(path, null, schema)
  }

  private persist<T>(path: string, body: object | null, schema: z.ZodType<T>): Promise<T> {
    return this.attempts.persist(this.calls++, () => this.ask(path, body, schema))
  }

  /** Breaks off what is under way; afterwards nothing is sent any more. */
  close(): void {
    this.attempts.close()
  }

  private async ask<T>(path: string, body: object | null, schema: z.ZodType<T>): Promise<T> {
    const deadline = new Deadline(this.config)
    const stop = () => deadline.controller.abort()
    this.attempts.signal.addEventListener('abort', stop)
    let begun = false
    try {
      const response = await fetch(this.config.url + path, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          ...(this.#key !== null && { authorization: `Bearer ${this.#key}` }),
        },
        // A redirect could carry the key to somebody else.
        redirect: 'manual',
        signal: deadline.controller.signal,
      })
      begun = true
      const text = await deadline.textOf(response)
      if (response.status !== 200) throw this.failed(this.refusal(response, text))
      const checked = schema.safeParse(jsonOf(text))
      if (checked.success) return checked.data
      throw this.failed({
        kind: 'malformed',
        what: `answers ${path} with what is not expected: ${plainIssue(checked.error.issues[0])}`,
        advice: 'see whether it speaks the OpenAI protocol, and what its log says',
      })
    } catch (error) {
      if (error instanceof ServiceError) throw error
      if (this.attempts.signal.aborted) throw this.failed(CLOSED)
      throw this.failed(
        deadline.late === null
          ? connectionFailure(errorCode(error), begun)
          : {
              kind: 'stalled',
              what: deadline.late,
              advice: 'lower maxConcurrent, or raise firstByteSeconds, gapSeconds or answerSeconds',
            },
      )
    } finally {
      deadline.stop()
      this.attempts.signal.removeEventListener('abort', stop)
    }
  }

  private refusal({ status, headers }: Response, text: string): Failure {
    const body = jsonOf(text) as { error?: unknown; message?: unknown; detail?: unknown } | undefined
    const told = errorSchema.safeParse(body?.error ?? body).data
    const words = told?.message ?? (typeof body?.error === 'string' ? body.error : text)
    return statusFailure({ status, said: quotable(words), code: String(told?.code ?? ''), headers }, this.config)
  }

  private failed(failure: Failure): ServiceError {
    return new ServiceError(this.where, failure)
  }
}

/** Undefined where it is no JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
