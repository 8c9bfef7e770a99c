import { statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { UserError } from '../core/index.ts'
import { openLocalEngine, weightFiles } from '../engines/index.ts'
import { loadChatFormat } from '../tokens/index.ts'
import { Admission } from './admission.ts'
import { createApp } from './app.ts'
import { Batcher } from './batcher.ts'
import { LIMITS } from './limits.ts'
import { ServedModel } from './model.ts'

/** Other machines are not served, and no option changes that: what is sent goes over the wire as it is. */
const HOST = '127.0.0.1'

export interface ServeOptions {
  /** A model folder. */
  folder: string
  /** 0 = any free one. */
  port: number
  threads: number
  /** What the model may be called; its folder's name where there is none. */
  names?: string[]
  /** What requests have to bring, as OpenAI's clients do; without, every program on this machine is answered. */
  key?: string | null
  /** One line for every request that was answered or refused. */
  log?(line: string): void
}

export interface RunningServer {
  /** Where it listens, without the final `/v1`. */
  url: string
  names: readonly string[]
  contextLength: number
  /** Answers being written or waiting. */
  openAnswers(): number
  /** Refuses new requests, finishes open ones or, after a while, cancels them. @returns whether none was cancelled. */
  close(): Promise<boolean>
}

/** Serve a model over HTTP, OpenAI-compatible, on this machine only. @throws UserError (no model, port in use) */
export async function startServer({
  folder,
  port,
  threads,
  names = [],
  key = null,
  log = () => {},
}: ServeOptions): Promise<RunningServer> {
  const format = loadChatFormat(folder)
  const engine = await openLocalEngine(folder, { threads, frozen: true })
  try {
    const sampler = engine.trainer().sampler()
    const created = Math.floor(statSync(weightFiles(folder)[0]).mtimeMs / 1000)
    const model = new ServedModel(names.length > 0 ? names : [basename(folder)], format, sampler, created)
    const admission = new Admission()
    const app = createApp({ model, admission, batcher: new Batcher(sampler, format.stop), key, log })
    const server = createAdaptorServer({
      fetch: app.fetch,
      overrideGlobalObjects: false,
      createServer,
      serverOptions: { headersTimeout: LIMITS.headTime, requestTimeout: LIMITS.requestTime },
    }) as Server
    await listen(server, port)
    return {
      url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
      names: model.names,
      contextLength: model.contextLength,
      openAnswers: () => admission.answers,
      async close() {
        const closed = new Promise((resolve) => server.close(resolve))
        const finished = await admission.close()
        server.closeIdleConnections()
        await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 1000).unref())])
        server.closeAllConnections()
        await engine.close()
        return finished
      },
    }
  } catch (error) {
    await engine.close()
    throw error
  }
}

function listen(server: Server, port: number): Promise<void> {
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
