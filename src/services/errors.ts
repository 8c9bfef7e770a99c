import { UserError, withoutSecrets } from '../core/index.ts'

/** What can go wrong with a request. Counters go by these names. */
export type FailureKind =
  /** 401, 403. */
  | 'key'
  /** 400, 404, 422 and the like: the same request would be refused again. */
  | 'refused'
  /** The account is empty. */
  | 'quota'
  /** 408: the service gave up waiting. */
  | 'timeout'
  /** 409. */
  | 'conflict'
  /** 429. */
  | 'rate'
  /** 5xx, or an error that the service told in the middle of an answer. */
  | 'server'
  /** No connection, or one that broke. */
  | 'dropped'
  /** One of our deadlines passed. */
  | 'stalled'
  /** The answer ended without its end. */
  | 'cutOff'
  /** Not what the protocol allows. */
  | 'malformed'
  /** Neither text nor tool calls. */
  | 'empty'
  /** The spending limit, before anything was sent. */
  | 'spending'
  /** We ended the service. */
  | 'closed'

const RETRIED: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'timeout',
  'conflict',
  'rate',
  'server',
  'dropped',
  'stalled',
  'cutOff',
  'malformed',
  'empty',
])

/** The next request would fare no better. */
const FINAL: ReadonlySet<FailureKind> = new Set<FailureKind>(['key', 'quota', 'spending', 'closed'])

/** Nobody waits longer on a service's word, in seconds. */
const LONGEST_WAIT = 300

export interface Failure {
  kind: FailureKind
  /** As a predicate: `refuses the request (400)`. */
  what: string
  /** What to do. */
  advice: string
  status?: number
  /** How long the service asks to wait, in seconds. */
  retryAfter?: number
}

/** A request that got no answer, as one line: who, what, how often it was tried, what to do. */
export class ServiceError extends UserError {
  readonly failure: Failure
  /** The model and its address. */
  readonly where: string
  /** Characters that had come of an answer; null where none had begun, so that nothing is charged. */
  readonly received: number | null

  constructor(
    where: string,
    failure: Failure,
    { received = null, tries = 1 }: { received?: number | null; tries?: number } = {},
  ) {
    super(`${where} ${failure.what}${tries > 1 ? `, after ${tries} tries` : ''}: ${failure.advice}`)
    this.name = 'ServiceError'
    this.where = where
    this.failure = { ...failure, what: withoutSecrets(failure.what) }
    this.received = received
  }

  get kind(): FailureKind {
    return this.failure.kind
  }

  /** Whether the same request may be answered later. */
  get retryable(): boolean {
    return RETRIED.has(this.kind) && this.bearable
  }

  /** Whether the service does not ask for a longer wait than anybody has patience for. */
  get bearable(): boolean {
    return (this.failure.retryAfter ?? 0) <= LONGEST_WAIT
  }

  /** Whether this concerns not this request alone but all further ones: the run ends, and another conversation is no way out. */
  get final(): boolean {
    return FINAL.has(this.kind)
  }

  /** The same after several tries. */
  after(tries: number): ServiceError {
    return new ServiceError(this.where, this.failure, { received: this.received, tries })
  }
}
