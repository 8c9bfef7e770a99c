import type { OpenAI } from 'openai'
import { AnswerBuilder, BadAnswer, type Heard } from './answer-builder.ts'
import { type ServiceConfig, serviceKey } from './config.ts'
import { Deadline } from './deadline.ts'
import { type Failure, ServiceError } from './errors.ts'
import { eventData } from './event-stream.ts'
import { connectionFailure, errorCode, quotable, statusFailure } from './failures.ts'
import { errorSchema } from './wire.ts'

interface Library {
  client: OpenAI
  APIError: typeof import('openai').APIError
}

/** An error that the service tells inside an answer. */
class ToldError extends Error {
  readonly told: unknown
  constructor(told: unknown) {
    super('an error inside an answer')
    this.told = told
  }
}

/** @throws ToldError where it is an error and no part of an answer */
function withoutError(part: unknown): unknown {
  if (typeof part === 'object' && part !== null && 'error' in part && part.error) throw new ToldError(part.error)
  return part
}

/** Sends single requests to a service and listens to the answers. Trying again is for others. */
export class Connection {
  /** For messages. */
  readonly where: string
  private readonly config: ServiceConfig
  /** Private to the machine too: whoever prints a service must not print it. */
  readonly #key: string | null
  private loading: Promise<Library> | undefined

  /** @throws UserError if the key is not to be had */
  constructor(config: ServiceConfig) {
    this.config = config
    this.#key = serviceKey(config)
    this.where = `${config.model} at ${config.url}`
  }

  /** @throws ServiceError */
  async ask(body: Record<string, unknown>, closing: AbortSignal): Promise<Heard> {
    this.loading ??= this.load()
    const library = await this.loading
    if (closing.aborted) throw new ServiceError(this.where, CLOSED)
    const deadline = new Deadline(this.config)
    const stop = () => deadline.controller.abort()
    closing.addEventListener('abort', stop)
    const builder = new AnswerBuilder()
    let begun = false
    try {
      const { signal } = deadline.controller
      const response = await library.client.post('/chat/completions', { body, signal }).asResponse()
      begun = true
      await this.hear(response, deadline, builder)
      return builder.finish()
    } catch (error) {
      // Whatever is left of an answer is not waited for.
      stop()
      // Nothing that comes after its end takes an answer away: some services keep the connection, some lose it.
      if (builder.ended && !(error instanceof BadAnswer)) return builder.finish()
      const failure = closing.aborted ? CLOSED : this.explain(error, { deadline, begun, library })
      throw new ServiceError(this.where, failure, { received: begun ? builder.received : null })
    } finally {
      deadline.stop()
      closing.removeEventListener('abort', stop)
    }
  }

  /** An answer to its end: many parts of a stream, or one where the service sends none. */
  private async hear(response: Response, deadline: Deadline, builder: AnswerBuilder): Promise<void> {
    const type = response.headers.get('content-type') ?? ''
    if (/\bhtml\b/.test(type)) throw new BadAnswer('malformed', 'sent a web page for an answer')
    if (/\bjson\b/.test(type)) return builder.add(withoutError(JSON.parse(await deadline.textOf(response))))
    for await (const events of eventData(deadline.bytesOf(response))) {
      for (const data of events) {
        if (data.startsWith('[DONE]')) return
        builder.add(withoutError(JSON.parse(data)))
      }
    }
  }

  private explain(error: unknown, at: { deadline: Deadline; begun: boolean; library: Library }): Failure {
    const { deadline, begun, library } = at
    if (deadline.late !== null) {
      return {
        kind: 'stalled',
        what: deadline.late,
        advice: 'lower maxConcurrent, or raise firstByteSeconds, gapSeconds or answerSeconds',
      }
    }
    if (error instanceof BadAnswer) {
      return { kind: error.kind, what: error.message, advice: error.kind === 'cutOff' ? LOOK : SPEAKS }
    }
    if (error instanceof SyntaxError) return { kind: 'malformed', what: 'sent what is not JSON', advice: SPEAKS }
    if (error instanceof ToldError) return this.told(error.told)
    if (error instanceof library.APIError) {
      if (typeof error.status === 'number') return this.refused(error)
    }
    return connectionFailure(errorCode(error), begun)
  }

  private refused({ status, error, message, headers }: InstanceType<Library['APIError']>): Failure {
    const told = errorSchema.safeParse(error).data
    // Without an error in the body, the library's message is the status and the body's text.
    const body = message.replace(/^\d+ ?/, '').replace(/^status code \(no body\)$/, '')
    const text = typeof error === 'string' ? error : (told?.message ?? body)
    const answer = { status: status ?? 500, said: quotable(text), code: String(told?.code ?? ''), headers }
    return statusFailure(answer, this.config)
  }

  private told(value: unknown): Failure {
    const { message = '', code } = errorSchema.safeParse(value).data ?? {}
    const said = quotable(typeof value === 'string' ? value : message)
    const status = Number(code)
    if (status >= 400 && status < 600) return statusFailure({ status, said, code: '' }, this.config)
    return {
      kind: 'server',
      what: `sent an error for an answer${said === '' ? '' : ` ("${said}")`}`,
      advice: LOOK,
    }
  }

  /** The library takes a moment to load, and most commands ask no service. */
  private async load(): Promise<Library> {
    const { OpenAI, APIError } = await import('openai')
    const headers = {
      accept: 'text/event-stream, application/json',
      'content-type': 'application/json',
      ...(this.#key !== null && { authorization: `Bearer ${this.#key}` }),
    }
    const client = new OpenAI({
      baseURL: this.config.url,
      // What the library would find in the environment is meant for another service.
      apiKey: 'none',
      adminAPIKey: null,
      organization: null,
      project: null,
      maxRetries: 0,
      // Never the first to give up: deadlines are ours.
      timeout: 2 ** 31 - 1,
      logLevel: 'off',
      // Its own headers tell of this machine. A redirect could carry the key to somebody else.
      fetch: (url, init) => fetch(url, { ...init, headers, redirect: 'manual' }),
    })
    return { client, APIError }
  }
}

const LOOK = 'look at its log, and resume when it is well again'
const SPEAKS = 'see whether it speaks the OpenAI chat protocol, and what its log says'

export const CLOSED: Failure = { kind: 'closed', what: 'was not heard to the end', advice: 'resume to ask again' }
