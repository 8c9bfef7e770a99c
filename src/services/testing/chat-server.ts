import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, chunksOf, endOf, type Reply, wholeOf } from './reply.ts'

/** The body of a request, as far as tests look at it. */
export interface ChatRequest {
  model: string
  messages: { role: string; content: string | null; tool_calls?: object[]; tool_call_id?: string }[]
  tools?: object[]
  seed?: number
  [field: string]: unknown
}

export interface Received {
  headers: IncomingHttpHeaders
  body: ChatRequest
  /** When it came, in milliseconds. */
  at: number
}

export type Script = (request: Received, index: number) => Reply

/** Bytes written at a time: less than an event, so that events and letters are torn apart on their way. */
const BYTES = 37

/** A server on 127.0.0.1 that speaks OpenAI's chat protocol over HTTP and does as it is told, also badly. */
export class ChatServer {
  readonly url: string
  readonly requests: Received[] = []
  /** Most requests that were under way at once. */
  mostOpen = 0
  private open = 0
  private readonly server: Server

  private constructor(server: Server) {
    this.server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  }

  static async start(script: Script): Promise<ChatServer> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const chat = new ChatServer(server)
    server.on('request', (request, response) => void chat.handle(request, response, script))
    return chat
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve))
    this.server.closeAllConnections()
    await closed
  }

  private async handle(request: IncomingMessage, response: ServerResponse, script: Script): Promise<void> {
    const bytes: Buffer[] = []
    for await (const chunk of request) bytes.push(chunk as Buffer)
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
      json(response, 404, { detail: 'Not Found' })
      return
    }
    const body = JSON.parse(Buffer.concat(bytes).toString()) as ChatRequest
    const received = { headers: request.headers, body, at: performance.now() }
    const index = this.requests.push(received) - 1
    this.open++
    this.mostOpen = Math.max(this.mostOpen, this.open)
    response.on('close', () => this.open--)
    await play(script(received, index), response)
  }
}

async function play(reply: Reply, response: ServerResponse): Promise<void> {
  switch (reply.kind) {
    case 'silent':
      return
    case 'dropped':
      response.destroy()
      return
    case 'status':
      json(response, reply.status, reply.body ?? { error: { message: `status ${reply.status}` } }, reply.headers)
      return
    case 'raw':
      response.writeHead(200, { 'content-type': reply.type }).end(reply.body)
      return
    case 'whole':
      await sleep(reply.waitMs ?? 0)
      json(response, 200, wholeOf(reply))
      return
    case 'answer':
      await sleep(reply.waitMs ?? 0)
      await stream(response, [...chunksOf(reply), ...endOf(reply)], reply)
      response.end('data: [DONE]\n\n')
      return
    case 'told':
      await stream(response, [...chunksOf({ text: 'It is' }), { error: reply.error }])
      response.end('data: [DONE]\n\n')
      return
    case 'lingering':
      await stream(response, [...chunksOf(reply), ...endOf({ ...reply, usage: null })])
      return
    default:
      await stream(response, chunksOf(reply))
      if (reply.kind === 'cutOff') response.end()
      if (reply.kind === 'broken') response.destroy()
  }
}

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const type = typeof body === 'string' ? 'text/html' : 'application/json'
  response.writeHead(status, { 'content-type': type, ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

async function stream(
  response: ServerResponse,
  chunks: readonly object[],
  { pauseMs = 0 }: Answer = {},
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  // Some services send such lines to keep the connection open.
  response.write(': processing\n\n')
  for (const chunk of chunks) {
    const bytes = Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`)
    for (let at = 0; at < bytes.length; at += BYTES) {
      response.write(bytes.subarray(at, at + BYTES))
      await new Promise((next) => setImmediate(next))
    }
    if (pauseMs > 0) await sleep(pauseMs)
  }
}
