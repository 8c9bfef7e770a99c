/** What every server of ours has: who may ask, how large a body is, and errors that are one clear line. */
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { onlyLocal, onlyWithKey } from './callers.ts'
import { ApiError, asApiError } from './errors.ts'

export interface Checks {
  /** Bytes of a body at most. */
  body: number
  /** What requests have to bring as `Authorization: Bearer`; null: nothing. */
  key: string | null
  /** Paths that are answered without it. */
  open?: readonly string[]
  /** One line for every request that was answered or refused. */
  log(line: string): void
}

/** An application without routes yet. */
export function checkedApp({ body: maxSize, key, open = [], log }: Checks): Hono {
  const app = new Hono()
  app.onError((error, context) => {
    const { status, body, details, message } = asApiError(error)
    log(`${context.req.method} ${context.req.path} ${status}, ${message}`)
    if (details.retryAfter !== undefined) context.header('Retry-After', String(details.retryAfter))
    if (details.authenticate !== undefined) context.header('WWW-Authenticate', details.authenticate)
    if (details.allow !== undefined) context.header('Allow', details.allow)
    return context.json(body, status)
  })
  app.notFound((context) => {
    const { method, path } = context.req
    // `ALL` are the checks above the routes.
    const routes = app.routes.filter((route) => route.method !== 'ALL')
    const others = routes.filter((route) => matches(route.path, path)).map((route) => route.method)
    if (others.length > 0) {
      const allow = others.join(', ')
      throw new ApiError(405, `${path} answers to ${allow}, not to ${method}`, { allow })
    }
    const there = routes.map((route) => `${route.method} ${route.path.replace(/\{.*/, '')}`)
    throw new ApiError(404, `there is no ${method} ${path} here; there is ${there.join(', ')}`)
  })
  app.use(onlyLocal)
  if (key !== null) app.use(onlyWithKey(key, open))
  app.use(
    bodyLimit({
      maxSize,
      onError: () => {
        throw new ApiError(413, `the body is larger than ${maxSize} bytes`)
      },
    }),
  )
  return app
}

/** A request's body. @throws ApiError where it is no JSON */
export async function bodyOf(context: Context): Promise<unknown> {
  const type = context.req.header('content-type') ?? ''
  if (!/^application\/json\b/i.test(type)) {
    throw new ApiError(415, 'the body must be JSON: send the header Content-Type: application/json')
  }
  const text = await context.req.text()
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ApiError(400, `the body is not JSON: ${(error as Error).message}`)
  }
}

/** Whether a path is one of a route's: `/v1/models/:model{.+}`. */
function matches(route: string, path: string): boolean {
  return new RegExp(`^${route.replace(/:\w+\{(.*)\}/, '$1')}$`).test(path)
}
