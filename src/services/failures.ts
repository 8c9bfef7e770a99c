import { withoutSecrets } from '../core/index.ts'
import type { ServiceConfig } from './config.ts'
import type { Failure } from './errors.ts'

/** Longest text of a service that is repeated in a message. */
const LONGEST_QUOTE = 300
/** So much of it is looked at. */
const LONGEST_READ = 100_000

/** What is known of an answer that is an error. */
export interface ErrorAnswer {
  status: number
  /** What the service says, if anything. */
  said: string
  /** Its own word for the error. */
  code: string
  headers?: Headers
}

/** An HTTP status as what went wrong and what to do about it. */
export function statusFailure(answer: ErrorAnswer, config: ServiceConfig): Failure {
  const { status, said, code, headers } = answer
  const quoted = said === '' ? `(${status})` : `(${status}, "${said}")`
  const retryAfter = headers && retryAfterSeconds(headers)
  const failure = (kind: Failure['kind'], what: string, advice: string): Failure => ({
    kind,
    what: `${what} ${quoted}`,
    advice,
    status,
    ...(retryAfter !== undefined && { retryAfter }),
  })
  if (status === 401) return keyFailure(config)
  if (status === 402 || code === 'insufficient_quota') {
    return failure('quota', 'says that the account is used up', 'add credit there, then resume')
  }
  if (status === 403) return failure('key', 'forbids this', 'use a key that may call this model')
  if (status === 404) {
    return failure('refused', 'has no such address or model', 'check url (most end in /v1) and the name of the model')
  }
  if (status === 408)
    return failure('timeout', 'ran out of time', 'lower maxConcurrent, or resume when it is less busy')
  if (status === 409) return failure('conflict', 'is busy with something else', 'resume later')
  if (status === 429) {
    const wait = retryAfter === undefined ? '' : `, and asks to wait ${Math.ceil(retryAfter)} s`
    return failure('rate', `is asked too often${wait}`, 'lower maxConcurrent or requestsPerMinute, or resume later')
  }
  if (status >= 500) return failure('server', 'failed', 'look at its log, and resume when it is well again')
  if (status < 400) {
    const target = headers?.get('location')
    return failure('refused', `has moved${target ? ` to ${quotable(target)}` : ''}`, 'give the new address as url')
  }
  return failure('refused', 'refuses the request', 'check model, extra and the length of the conversation')
}

/** What the service says to a wrong key often holds a part of it, and is not repeated. */
function keyFailure({ keyVariable }: ServiceConfig): Failure {
  if (keyVariable === undefined) {
    const advice = 'name the environment variable that holds one as keyVariable'
    return { kind: 'key', what: 'wants a key (401)', advice, status: 401 }
  }
  const advice = `set ${keyVariable} to a key that it knows`
  return { kind: 'key', what: `does not accept the key in ${keyVariable} (401)`, advice, status: 401 }
}

/** The address is wrong, or what listens there: no second try changes that. */
const HOPELESS = /^(ENOTFOUND|ERR_INVALID_URL|ERR_TLS_|ERR_SSL_)|CERT|SIGNED/

/** A connection that could not be made or broke: `code` is the system's word for it. */
export function connectionFailure(code: string, begun: boolean): Failure {
  const known = code === '' ? '' : ` (${code})`
  if (HOPELESS.test(code)) {
    return {
      kind: 'refused',
      what: `cannot be reached${known}`,
      advice: 'check url: host name, http or https, certificate',
    }
  }
  return begun
    ? {
        kind: 'dropped',
        what: `broke off in the middle of an answer${known}`,
        advice: 'see whether it still runs, then resume',
      }
    : { kind: 'dropped', what: `cannot be reached${known}`, advice: 'start it, or correct url, then resume' }
}

/** Of an error and its causes, the first code. */
export function errorCode(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string' && at.code !== '') return at.code
  }
  return ''
}

/** What a service says, fit for one line of ours: no key in it (not even one that is cut off), not long, nothing of a web page. */
export function quotable(text: string): string {
  const line = withoutSecrets(text.slice(0, LONGEST_READ)).replace(/\s+/g, ' ').trim()
  if (line.startsWith('<')) return ''
  return line.length <= LONGEST_QUOTE ? line : `${line.slice(0, LONGEST_QUOTE)}…`
}

/** In seconds; undefined where the service does not say. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const milliseconds = Number(headers.get('retry-after-ms') ?? Number.NaN)
  if (milliseconds >= 0) return milliseconds / 1000
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const seconds = /^\s*\d/.test(value) ? Number.parseFloat(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
