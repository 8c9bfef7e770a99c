import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PROTOBUF } from '../protobuf-results.ts'
import { FakeService, type FakeServiceOptions, Refusal } from './fake-service.ts'
import { type Answer, Faults } from './faults.ts'
import { readPass, writeResult } from './protobuf.ts'
import { tarGz } from './tar-gz.ts'

export interface FakeOptions extends FakeServiceOptions {
  /** Keys other than this are refused. */
  key?: string
  /** Keys have to be exchanged for this. */
  token?: string
  /** Of so many requests one goes wrong. */
  faultEvery?: number
}

export interface Received {
  path: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests of every kind
  body: any
  headers: IncomingHttpHeaders
}

/**
 * A server on 127.0.0.1 that speaks the Tinker protocol, futures and all, and does badly what it is told to. Its model is the local
 * engine. Archives are handed out by a second server, as hosted services do.
 */
export class FakeTinker {
  readonly faults: Faults
  readonly requests: Received[] = []
  /** Requests for archives, at the other server. */
  readonly downloads: Received[] = []
  readonly url: string
  readonly service: FakeService
  private readonly options: FakeOptions
  private readonly folder: string
  private server: Server
  private readonly storage: Server

  private constructor(options: FakeOptions, folder: string, server: Server, storage: Server) {
    this.options = options
    this.faults = new Faults(options.faultEvery)
    this.folder = folder
    this.server = server
    this.storage = storage
    this.url = addressOf(server)
    this.service = new FakeService(folder, options)
  }

  static async start(options: FakeOptions): Promise<FakeTinker> {
    const [server, storage] = [await listening(0), await listening(0)]
    const fake = new FakeTinker(options, mkdtempSync(join(tmpdir(), 'fake-tinker-')), server, storage)
    server.on('request', (request, response) => void fake.handle(request, response))
    storage.on('request', (request, response) => fake.hand(request, response))
    return fake
  }

  get reduction(): 'sum' | 'mean' {
    return this.options.reduction
  }

  /** Requests to a path so far. */
  count(path: string): number {
    return this.requests.filter((one) => one.path === path).length
  }

  /** The process ends, and begins again a while later with what it had on its disk: results are lost, or the models too. */
  async restart(downMs: number, lost: 'results' | 'everything' = 'results'): Promise<void> {
    const { port } = this.server.address() as AddressInfo
    await ended(this.server)
    await sleep(downMs)
    await this.service.forget(lost)
    this.server = await listening(port)
    this.server.on('request', (request, response) => void this.handle(request, response))
  }

  async close(): Promise<void> {
    await ended(this.server)
    await ended(this.storage)
    await this.service.close()
    rmSync(this.folder, { recursive: true, force: true })
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const { path, body } = read(request, Buffer.concat(pieces))
    this.requests.push({ path, body, headers: request.headers })
    const fault = this.faults.take(path)
    if (fault && fault.when !== 'after') return fail(response, fault.reply)
    const answer = await this.answer(path, body, request.headers)
    if (fault) return fail(response, fault.reply)
    const result = request.headers.accept === PROTOBUF ? writeResult(answer.body) : null
    if (result === null) return say(response, answer)
    response.writeHead(200, { 'content-type': PROTOBUF })
    response.end(result)
  }

  private async answer(path: string, body: Record<string, unknown>, headers: IncomingHttpHeaders): Promise<Answer> {
    const key = headers['x-api-key']
    const { key: right, token } = this.options
    if (path === 'auth/token' && token && key === right) return { status: 200, body: { jwt: token } }
    const wanted = path === 'client/config' || !token ? right : token
    if (wanted && key !== wanted) return { status: 401, body: { detail: `Incorrect key: ${String(key)}` } }
    if (path === 'client/config') {
      return { status: 200, body: { pjwt_auth_enabled: token !== undefined, ...this.options.flags } }
    }
    const checkpoint = /^training_runs\/([\w-]+)\/checkpoints\/((?:sampler_)?weights\/[\w-]+)$/.exec(path)
    if (checkpoint) return { status: this.service.forgetCheckpoint(checkpoint[1], checkpoint[2]) ? 204 : 404 }
    const archive = /^training_runs\/([\w-]+)\/checkpoints\/([\w-]+)\/archive$/.exec(path)
    if (archive) {
      return { status: 302, headers: { location: `${addressOf(this.storage)}/${archive[1]}/${archive[2]}` } }
    }
    if (this.options.wantsProtobuf && /^forward/.test(path) && headers['content-type'] !== PROTOBUF) {
      return path === 'forward' ? { status: 404 } : { status: 415, body: { detail: `${PROTOBUF}, please` } }
    }
    try {
      return { status: 200, body: await this.service.answer(path, body) }
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, body: { detail: error.message } }
      return { status: 500, body: { detail: String(error) } }
    }
  }

  private hand(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? ''
    this.downloads.push({ path, body: null, headers: request.headers })
    const fault = this.faults.take('download')
    const folder = this.service.adapterFolder(path.slice(1))
    if (fault) fail(response, fault.reply)
    else if (folder === null) say(response, { status: 404 })
    else {
      const files = ['adapter_config.json', 'adapter_model.safetensors']
      response.end(tarGz(files.map((name) => ({ name: `./${name}`, content: readFileSync(join(folder, name)) }))))
    }
  }
}

/** Passes in protobuf are what they would be in JSON. */
function read({ url, headers }: IncomingMessage, bytes: Buffer): Pick<Received, 'path' | 'body'> {
  if (headers['content-type'] === PROTOBUF) return readPass(bytes)
  const path = (url ?? '').replace(/^\/api\/v1\//, '')
  return { path, body: bytes.length === 0 ? {} : JSON.parse(bytes.toString()) }
}

function fail(response: ServerResponse, reply: 'drop' | 'hang' | Answer): void {
  if (reply === 'drop') response.destroy()
  else if (reply !== 'hang') say(response, reply)
}

function say(response: ServerResponse, { status, body, headers }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(body === undefined ? '' : JSON.stringify(body))
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function listening(port: number): Promise<Server> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return server
}

async function ended(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}
