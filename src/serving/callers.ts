/** Who may ask: programs on this machine, with the key where there is one; never a page in a browser. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { ApiError } from './errors.ts'

/** A page in a browser may send requests here under another name: only names of this machine are answered to. */
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i
/** The same as the origin of a page: one that this machine itself serves. */
const LOCAL_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i

/** Refuses what comes by way of a browser from elsewhere: no answer could be read there, but it would be computed. */
export const onlyLocal: MiddlewareHandler = async ({ req }, next) => {
  const [host, origin, site] = [req.header('host'), req.header('origin'), req.header('sec-fetch-site')]
  if (host !== undefined && !LOCAL_HOST.test(host)) {
    throw new ApiError(403, `this server answers to 127.0.0.1 and localhost only, not to ${quoted(host)}`)
  }
  if ((origin !== undefined && !LOCAL_ORIGIN.test(origin)) || site === 'cross-site') {
    throw new ApiError(403, `this server answers to no page of ${quoted(origin ?? 'another site')}`)
  }
  await next()
}

/** Refuses requests without the key; `open` paths are answered to everybody. Which letter is wrong no clock can tell. */
export function onlyWithKey(key: string, open: readonly string[]): MiddlewareHandler {
  const expected = digest(`Bearer ${key}`)
  return async ({ req }, next) => {
    if (!open.includes(req.path)) {
      const given = req.header('authorization')
      if (given === undefined || !timingSafeEqual(digest(given), expected)) {
        const fault =
          given === undefined ? 'send the key of this server as Authorization: Bearer …' : 'this is another key'
        throw new ApiError(401, fault, { code: 'invalid_api_key', authenticate: 'Bearer' })
      }
    }
    await next()
  }
}

/** Of one length, whatever was sent. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100))
}
