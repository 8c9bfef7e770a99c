/** What a Tinker server's refusals mean, and what to do about them. */
import { type Failure, quotable, retryAfterSeconds } from '../../services/index.ts'
import type { Codec } from './codec.ts'
import type { TinkerConfig } from './settings.ts'
import { errorTextSchema } from './wire.ts'

/** A reply, whatever its status. */
export interface Reply {
  status: number
  body: unknown
  headers: Headers
}

/** What the server says in an error, fit for one line of ours. */
export function said({ body }: Reply): string {
  return quotable(errorTextSchema.safeParse(body).data ?? (typeof body === 'string' ? body : ''))
}

/** `what` names the request, `codec` how it was sent; `keyed`: it had a key. */
export function replyFailure(
  reply: Reply,
  what: string,
  config: TinkerConfig,
  codec: Codec['name'],
  keyed: boolean,
): Failure {
  const { status, headers } = reply
  const text = said(reply)
  const quoted = text === '' ? `(${status})` : `(${status}, "${text}")`
  const retryAfter = retryAfterSeconds(headers)
  const wish = retryAfter === undefined ? '' : `, and asks to wait ${Math.ceil(retryAfter)} s`
  const failure = (kind: Failure['kind'], verb: string, advice: string): Failure => ({
    kind,
    what: `${verb} ${quoted}${wish}`,
    advice,
    status,
    ...(retryAfter !== undefined && { retryAfter }),
  })
  // What is said to a wrong key often holds a part of it, and is not repeated.
  if (status === 401) {
    const asked = keyed ? `does not accept the key in ${config.keyVariable}` : 'wants a key'
    return { kind: 'key', what: `${asked} (401)`, advice: `set ${config.keyVariable} to one that it knows`, status }
  }
  if (status === 403) return failure('key', `forbids ${what}`, 'use a key that may do this')
  if (status === 402) return failure('quota', 'says that the account is used up', 'add credit there, then resume')
  if (status === 404) {
    return failure(
      'refused',
      `does not know what ${what} speaks of`,
      'was it restarted? resume from the last checkpoint',
    )
  }
  if (status === 408) return failure('timeout', `ran out of time for ${what}`, 'resume when it is less busy')
  if (status === 409) return failure('conflict', `has had another request in the place of ${what}`, RESUME)
  if (status === 410) return failure('refused', `has thrown away the result of ${what}`, RESUME)
  const other = codec === 'json' ? 'protobuf' : 'json'
  if (status === 415) return failure('refused', `does not take ${what} as ${codec}`, `set codec to '${other}'`)
  if (status === 425) return failure('conflict', `is not done with what ${what} needs`, RESUME)
  if (status === 429) return failure('rate', `is asked too often for ${what}`, 'lower maxConcurrent, or resume later')
  if (status >= 500) return failure('server', `failed at ${what}`, 'look at its log, and resume when it is well again')
  if (status < 400) return failure('refused', `sends ${what} elsewhere`, 'give the new address as url')
  const older = codec === 'protobuf' && status === 422 ? ", or set codec to 'json'" : ''
  return failure('refused', `refuses ${what}`, `check model, lora and the length of the data${older}`)
}

export const RESUME = 'resume from the last checkpoint'
