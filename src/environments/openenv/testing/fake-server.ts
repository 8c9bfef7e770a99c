import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** What a server does wrong, at the step of that number (1-based) of a session, or at its reset (0). */
export interface Fault {
  at: number
  /** Of the sessions in the order they came (0-based); all where it is missing. */
  session?: number
  does: 'drop' | 'silence' | 'garbage' | 'other frame' | 'error' | 'other answer' | 'two answers'
}

export interface FakeOptions {
  /** Sessions at once. */
  most?: number
  faults?: readonly Fault[]
  /** Refuses the handshake with that status. */
  status?: number
}

/**
 * A server that speaks OpenEnv's frames as openenv-core 0.3 does. Its environment is a lamp: `on` and `off` switch it, five times
 * `on` while it is off is the goal; `nothing` is no action of its schema.
 */
export class FakeServer {
  readonly url: string
  /** Of every session, what it was told. */
  readonly sessions: { data: unknown[]; headers: IncomingMessage['headers']; closed: boolean }[] = []
  open = 0
  mostOpen = 0
  private readonly inside = new Set<WebSocket>()
  private readonly server: WebSocketServer
  private readonly options: FakeOptions

  private constructor(server: WebSocketServer, options: FakeOptions) {
    this.server = server
    this.options = options
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('connection', (socket, request) => this.serve(socket, request))
  }

  static async start(options: FakeOptions = {}): Promise<FakeServer> {
    const { status } = options
    const server = new WebSocketServer({
      host: '127.0.0.1',
      port: 0,
      path: '/ws',
      verifyClient: (_, answer) => answer(status === undefined, status),
    })
    await new Promise((resolve) => server.once('listening', resolve))
    return new FakeServer(server, options)
  }

  async stop(): Promise<void> {
    for (const client of this.server.clients) client.terminate()
    await new Promise((resolve) => this.server.close(resolve))
  }

  private serve(socket: WebSocket, { headers }: IncomingMessage): void {
    const { most = 1 } = this.options
    if (this.open >= most) {
      const message = `Server at capacity: ${this.open}/${most} sessions active. Cannot accept new connections.`
      const data = { message, code: 'CAPACITY_REACHED', active_sessions: this.open, max_sessions: most }
      send(socket, { type: 'error', data })
      socket.close()
      return
    }
    const index = this.sessions.length
    const session = { data: [] as unknown[], headers, closed: false }
    this.sessions.push(session)
    this.mostOpen = Math.max(this.mostOpen, ++this.open)
    const lamp = new Lamp()
    let steps = 0
    // As theirs: the place is free before the connection ends.
    const leave = () => {
      if (this.inside.delete(socket)) this.open--
    }
    this.inside.add(socket)
    socket.on('close', leave)
    socket.on('message', (text: Buffer) => {
      const { type, data } = JSON.parse(text.toString()) as { type: string; data: Record<string, unknown> }
      session.data.push(data)
      if (type === 'close') {
        session.closed = true
        leave()
        socket.close()
        return
      }
      const at = type === 'reset' ? 0 : ++steps
      const fault = this.options.faults?.find((one) => one.at === at && (one.session ?? index) === index)
      if (fault?.does === 'drop') socket.terminate()
      else if (fault?.does === 'garbage') socket.send('<html>')
      else if (fault?.does === 'other frame') send(socket, { type: 'observation', data: { observation: 'on' } })
      else if (fault?.does === 'error') {
        send(socket, { type: 'error', data: { message: 'the bulb is broken', code: 'EXECUTION_ERROR' } })
      } else if (fault?.does !== 'silence') {
        const answer = type === 'reset' ? lamp.reset(data) : lamp.step(data)
        if (fault?.does === 'two answers') send(socket, answer)
        else if (fault) Object.assign(answer, { data: { observation: { text: 'dark' }, reward: null, done: false } })
        send(socket, answer)
      }
    })
  }
}

const send = (socket: WebSocket, frame: object) => socket.send(JSON.stringify(frame))

class Lamp {
  private on = false
  private times = 0

  reset({ seed }: Record<string, unknown>): object {
    this.on = Number(seed) % 2 === 1
    return this.seen(null)
  }

  step({ message, ...others }: Record<string, unknown>): object {
    if (typeof message !== 'string' || Object.keys(others).length > 0) {
      return invalid({ type: 'missing', loc: ['message'], msg: 'Field required' })
    }
    if (message === 'nothing') {
      return invalid({ type: 'literal_error', loc: ['message'], msg: "Input should be 'on' or 'off'" })
    }
    const isSwitch = message === (this.on ? 'off' : 'on')
    if (isSwitch) this.on = !this.on
    if (isSwitch && this.on) this.times++
    return this.seen(isSwitch && this.on ? 0.2 : 0)
  }

  private seen(reward: number | null): object {
    const text = this.on ? 'The lamp is on.' : 'The lamp is off.'
    return { type: 'observation', data: { observation: { text, times: this.times }, reward, done: this.times === 5 } }
  }
}

const invalid = (fault: object) => ({
  type: 'error',
  data: { message: 'Invalid message', code: 'VALIDATION_ERROR', errors: [fault] },
})
