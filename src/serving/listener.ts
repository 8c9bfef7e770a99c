import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Hono } from 'hono'
import { UserError } from '../core/index.ts'
import { LIMITS } from './limits.ts'

/** Other machines are not served. */
const HOST = '127.0.0.1'

/** An application that listens, on this machine only. */
export interface Listener {
  url: string
  /** Takes no new connection; ends those that are open once `finished` has, or a little later. */
  close(finished: Promise<unknown>): Promise<void>
}

/** @param port 0 = any free one. @throws UserError (port in use) */
export async function listen(app: Hono, port: number): Promise<Listener> {
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    createServer,
    serverOptions: { headersTimeout: LIMITS.headTime, requestTimeout: LIMITS.requestTime },
  }) as Server
  await listening(server, port)
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    async close(finished) {
      const closed = new Promise((resolve) => server.close(resolve))
      await finished
      server.closeIdleConnections()
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 1000).unref())])
      server.closeAllConnections()
    },
  }
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') {
        reject(
          new UserError(`port ${port} is in use on ${HOST}: give another with --port, or --port 0 for any free one`),
        )
      } else reject(new UserError(`cannot listen on ${HOST}:${port}: ${error.message}; give another port with --port`))
    })
    server.listen(port, HOST, resolve)
  })
}
