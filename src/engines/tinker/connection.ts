/** One server over HTTP: single requests with a deadline each, and requests that are sent until they are heard. */
import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { keepSecret, plainIssue, uniform } from '../../core/index.ts'
import { connectionFailure, errorCode, type Failure, retryDelay, ServiceError } from '../../services/index.ts'
import { type Codec, jsonCodec, type Result } from './codec.ts'
import { RESUME, type Reply, replyFailure, said } from './failures.ts'
import { protobufCodec } from './protobuf-codec.ts'
import { PROTOBUF, readResult } from './protobuf-results.ts'
import type { Pace, TinkerConfig } from './settings.ts'
import { tokenSchema } from './wire.ts'

/** How often a request is sent again. */
const RETRIES = 10
const RETRIED = new Set([408, 409, 429])
/** How often a server is asked how it takes passes. */
const QUESTIONS = 4
/** Statuses that do not say whether the request was done; 429 and 503 turn it away. */
const UNSURE = new Set([408, 500, 502, 504])
/** No reply is longer, in bytes. */
const LONGEST_REPLY = 2 ** 28
/** The connection was never made: nothing can have arrived. */
const UNSENT = /^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/

const CLOSED: Failure = { kind: 'closed', what: 'was not heard to the end', advice: 'open the engine again' }

export interface Request {
  /** For messages: `forward_backward 3`. */
  what: string
  /** Under `/api/v1`. */
  path: string
  /** Default: POST with a body, GET without. */
  method?: 'DELETE'
  body?: object
  /** What the reply may hold in protobuf. */
  result?: Result
  headers?: Record<string, string>
  /** Longest wait for the reply; without, the settings' `requestSeconds`. */
  seconds?: number
  /** "Too many at once" (429) is for the caller to deal with. */
  handsBack429?: boolean
}

/** A request that had no reply at all. */
export class Unheard extends ServiceError {
  /** Whether it can have arrived. */
  readonly sent: boolean
  constructor(where: string, failure: Failure, sent: boolean) {
    super(where, failure)
    this.sent = sent
  }
}

export class Connection {
  /** For messages. */
  readonly where: string
  readonly pace: Pace
  readonly config: TinkerConfig
  private codec: Codec
  private readonly closing = new AbortController()
  /** Ends each exchange that is under way: a thousand listeners at one signal are found one by one. */
  private readonly underWay = new Set<() => void>()
  /** Private to the machine too: whoever prints a connection must not print it. */
  readonly #key: string | null
  /** Whether the key is exchanged for a token that is sent in its place. */
  #tokens = false
  #token: Promise<string> | null = null

  constructor(config: TinkerConfig, key: string | null, pace: Pace) {
    this.config = config
    this.codec = config.codec === 'protobuf' ? protobufCodec : jsonCodec
    this.pace = pace
    this.where = `${config.model} at ${config.url}`
    this.#key = key
    // All that is under way listens, and that may be a thousand.
    setMaxListeners(0, this.closing.signal)
  }

  /** Aborted once this is closed. */
  get signal(): AbortSignal {
    return this.closing.signal
  }

  /** Breaks off what is under way; afterwards nothing is sent. */
  close(): void {
    this.closing.abort()
    for (const stop of this.underWay) stop()
  }

  /** @throws an AbortError once closed */
  async rest(seconds: number): Promise<void> {
    await sleep(Math.ceil(seconds * 1000), undefined, { signal: this.closing.signal }).catch(() => {
      throw new ServiceError(this.where, CLOSED)
    })
  }

  /** Asks in what way the server takes passes, where the settings do not say. */
  async chooseCodec(): Promise<void> {
    if (this.config.codec !== undefined) return
    // Not a pass: every server refuses it, and some for its kind before they look at it.
    const request = { what: 'forward_backward', path: 'forward_backward', body: {} }
    for (let tries = 0; tries < QUESTIONS; tries++) {
      try {
        const { status } = await this.exchange(request)
        if (status === 415) this.codec = protobufCodec
        if (status < 500 && !RETRIED.has(status)) return
      } catch (error) {
        if (!(error instanceof Unheard)) throw error
      }
      await this.rest(this.backoff(tries, request.what))
    }
  }

  /** From now on the key is exchanged for a token. */
  useTokens(): void {
    this.#tokens = true
  }

  /** Sends a request once. @throws Unheard where no reply came, ServiceError where it is none */
  async exchange(request: Request): Promise<Reply> {
    const reply = await this.send(request, await this.credential())
    if (reply.status !== 401 || !this.#tokens) return reply
    // The token may have grown too old.
    this.#token = null
    return await this.send(request, await this.credential())
  }

  /** What shows the server who asks. */
  private async credential(): Promise<string | null> {
    if (!this.#tokens) return this.#key
    const token = this.#token ?? this.exchangeKey()
    this.#token = token
    token.catch(() => {
      if (this.#token === token) this.#token = null
    })
    return await token
  }

  private async exchangeKey(): Promise<string> {
    const request = { what: 'auth/token', path: 'auth/token', body: {} }
    const reply = await this.send(request, this.#key)
    if (reply.status !== 200) throw this.failure(reply, request.what)
    const { jwt } = this.checked(reply, tokenSchema, request.what)
    keepSecret(jwt)
    return jwt
  }

  private async send(
    { what, path, method, body, result, headers, seconds }: Request,
    key: string | null,
  ): Promise<Reply> {
    if (this.closing.signal.aborted) throw new ServiceError(this.where, CLOSED)
    const limit = seconds ?? this.config.requestSeconds
    // Not AbortSignal.timeout and any: those live until the time is over, and a busy minute has a hundred thousand requests.
    const ending = new AbortController()
    const stop = () => ending.abort()
    let late = false
    const timer = setTimeout(() => {
      late = true
      stop()
    }, limit * 1000)
    this.underWay.add(stop)
    const encoded = body && this.codec.encode(path, body)
    let begun = false
    try {
      const response = await fetch(`${this.config.url}/api/v1/${encoded?.path ?? path}`, {
        method: method ?? (body ? 'POST' : 'GET'),
        headers: {
          accept: this.codec.accepts(result),
          ...(encoded && { 'content-type': encoded.type }),
          ...(key !== null && { 'x-api-key': key }),
          ...headers,
        },
        ...(encoded && { body: encoded.bytes }),
        signal: ending.signal,
        // A redirect could carry the key to somebody else.
        redirect: 'manual',
      })
      begun = true
      const bytes = await this.read(response, what)
      return { status: response.status, body: this.decoded(bytes, response, what, result), headers: response.headers }
    } catch (error) {
      if (error instanceof ServiceError) throw error
      if (this.closing.signal.aborted) throw new ServiceError(this.where, CLOSED)
      if (late) {
        const failure: Failure = { kind: 'stalled', what: `was silent for ${limit} s at ${what}`, advice: SILENT }
        throw new Unheard(this.where, failure, true)
      }
      const code = errorCode(error)
      throw new Unheard(this.where, connectionFailure(code, begun), begun || !UNSENT.test(code))
    } finally {
      clearTimeout(timer)
      this.underWay.delete(stop)
    }
  }

  /**
   * Begins a download: an address under `/api/v1`, with the key, or a whole one elsewhere, without it unless it is the server's
   * own. Its body is the caller's to read. @throws ServiceError
   */
  async open(target: string | URL, what: string): Promise<Response> {
    const url = typeof target === 'string' ? new URL(`${this.config.url}/api/v1/${target}`) : target
    const own = url.origin === new URL(this.config.url).origin
    const key = own ? await this.credential() : null
    const late = AbortSignal.timeout(this.config.requestSeconds * 1000)
    const begun = new AbortController()
    const stop = () => begun.abort()
    late.addEventListener('abort', stop)
    try {
      return await fetch(url, {
        headers: key === null ? {} : { 'x-api-key': key },
        signal: AbortSignal.any([begun.signal, this.closing.signal]),
        redirect: 'manual',
      })
    } catch (error) {
      if (this.closing.signal.aborted) throw new ServiceError(this.where, CLOSED)
      if (late.aborted) throw this.trouble(`was silent for ${this.config.requestSeconds} s at ${what}`)
      throw new ServiceError(this.where, connectionFailure(errorCode(error), false))
    } finally {
      // The deadline is for the beginning: a large archive takes as long as it takes, and its silences are bounded by Node.
      late.removeEventListener('abort', stop)
    }
  }

  /** A failure of the server's that no status tells. */
  trouble(what: string): ServiceError {
    return new ServiceError(this.where, { kind: 'server', what, advice: 'look at its log, then resume' })
  }

  private async read(response: Response, what: string): Promise<Uint8Array> {
    const pieces: Uint8Array[] = []
    let size = 0
    for await (const piece of response.body ?? []) {
      size += piece.length
      if (size > LONGEST_REPLY) throw this.malformed(`sent more than ${LONGEST_REPLY / 2 ** 20} MiB for ${what}`)
      pieces.push(piece)
    }
    return Buffer.concat(pieces)
  }

  private decoded(bytes: Uint8Array, response: Response, what: string, result: Result | undefined): unknown {
    const type = response.headers.get('content-type') ?? ''
    try {
      if (result && type.startsWith(PROTOBUF)) return readResult(bytes, result)
      return bytes.length === 0 ? null : JSON.parse(new TextDecoder().decode(bytes))
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      // A proxy's error page is still an error with a status.
      if (response.status !== 200) return null
      const found = result && type.startsWith(PROTOBUF) ? `protobuf that ${error.message}` : 'what is not JSON'
      throw this.malformed(`answered ${what} with ${found}`)
    }
  }

  private malformed(what: string): ServiceError {
    const advice = 'use a server that speaks the Tinker protocol, such as SkyRL'
    return new ServiceError(this.where, { kind: 'malformed', what, advice })
  }

  /** A reply's body as it has to be. @throws ServiceError where it is not */
  checked<Schema extends z.ZodType>(reply: Reply, schema: Schema, what: string): z.output<Schema> {
    const parsed = schema.safeParse(reply.body)
    if (parsed.success) return parsed.data
    throw this.malformed(`answered ${what} with what is no answer: ${plainIssue(parsed.error.issues[0])}`)
  }

  /** What a reply says, without the key. */
  said(reply: Reply): string {
    return said(reply)
  }

  failure(reply: Reply, what: string): ServiceError {
    return new ServiceError(this.where, replyFailure(reply, what, this.config, this.codec.name, this.#key !== null))
  }

  /**
   * Sends a request until it is heard: again after a broken connection, 408, 409, 429 and 5xx, with growing waits, unless the
   * server asks for a wait of hours. What must not be done twice (`repeatable` false) is not sent again where it can have arrived.
   * @throws ServiceError
   */
  async call<Schema extends z.ZodType>(request: Request, schema: Schema, repeatable = true): Promise<z.output<Schema>> {
    const headers = { ...request.headers, 'x-idempotency-key': randomUUID() }
    for (let tries = 1; ; tries++) {
      let error: ServiceError
      let again: boolean
      try {
        const reply = await this.exchange({ ...request, headers })
        if (reply.status === 200) return this.checked(reply, schema, request.what)
        error = this.failure(reply, request.what)
        again = retried(reply, repeatable) && error.bearable && !(reply.status === 429 && request.handsBack429)
      } catch (failure) {
        if (!(failure instanceof Unheard)) throw failure
        error = repeatable || !failure.sent ? failure : this.unsure(failure, request.what)
        again = error === failure && failure.retryable
      }
      if (!again || tries > RETRIES) throw error.after(tries)
      await this.rest(this.backoff(tries - 1, request.what, error.failure.retryAfter))
    }
  }

  /** Wait before a retry, in seconds. */
  backoff(retries: number, what: string, retryAfter?: number, longest = this.pace.longestBackoff): number {
    const jitter = uniform(process.pid, what, retries)
    return retryDelay({ retries, backoffSeconds: this.pace.backoff, longestSeconds: longest, retryAfter, jitter })
  }

  private unsure({ failure }: Unheard, what: string): ServiceError {
    const advice = `whether it did ${what} is not known, and this server would do it twice: ${RESUME}`
    return new ServiceError(this.where, { ...failure, kind: 'conflict', advice })
  }
}

const SILENT = 'see whether it still runs, or raise requestSeconds'

function retried({ status, headers }: Reply, repeatable: boolean): boolean {
  const wish = headers.get('x-should-retry')
  if (wish !== null) return wish === 'true'
  // These may follow what the server, or the one behind a gateway, has done already.
  if (!repeatable && UNSURE.has(status)) return false
  return RETRIED.has(status) || status >= 500
}
