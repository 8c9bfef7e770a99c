import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

export interface EmbeddingRequest {
  model: string
  input: string[]
}

/** Status and body of an answer. */
export type EmbeddingReply = { status: number; body: unknown }

export type EmbeddingScript = (request: EmbeddingRequest, index: number, headers: IncomingHttpHeaders) => EmbeddingReply

/** A server on 127.0.0.1 that speaks OpenAI's protocol for embeddings, in any order and with vectors of any length. */
export class EmbeddingServer {
  readonly url: string
  readonly requests: EmbeddingRequest[] = []
  private readonly server: Server

  private constructor(server: Server) {
    this.server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  }

  static async start(script: EmbeddingScript = ({ input }) => vectors(input)): Promise<EmbeddingServer> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const embedding = new EmbeddingServer(server)
    server.on('request', (request, response) => void embedding.handle(request, response, script))
    return embedding
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve))
    this.server.closeAllConnections()
    await closed
  }

  private async handle(request: IncomingMessage, response: ServerResponse, script: EmbeddingScript): Promise<void> {
    const bytes: Buffer[] = []
    for await (const chunk of request) bytes.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(bytes).toString()) as EmbeddingRequest
    const known = request.method === 'POST' && request.url === '/v1/embeddings'
    const reply = known
      ? script(body, this.requests.push(body) - 1, request.headers)
      : { status: 404, body: { detail: 'Not Found' } }
    response.writeHead(reply.status, { 'content-type': 'application/json' })
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body))
  }
}

/** Letters counted, the last text first: different for texts of different letters, and nothing else. */
export function vectors(input: readonly string[]): EmbeddingReply {
  const data = input.map((text, index) => {
    const embedding = new Array<number>(32).fill(0.01)
    for (const letter of text) embedding[letter.charCodeAt(0) % 32]++
    return { index, embedding }
  })
  return { status: 200, body: { data: data.reverse(), usage: { prompt_tokens: 1 } } }
}
