import { type ClientOptions, WebSocket } from 'ws'
import { connectionFailure, errorCode, type Failure, quotable, ServiceError } from '../../services/index.ts'
import { type Answer, parseFrame, type Request, type ServerError } from './frames.ts'

/** Bytes of one frame at most. */
const LONGEST_FRAME = 64 * 2 ** 20
/** Longest wait for a server to end a session that was closed, milliseconds. */
const CLOSING = 2_000
/** Frames that nobody asked for are not kept without end. */
const MOST_FRAMES = 8

/** A server and how long it is waited for, in milliseconds. */
export interface Server {
  /** `ws://…/ws`. */
  url: string
  headers: Record<string, string>
  connectWithin: number
  answerWithin: number
}

/** The server says itself that it cannot do what it was asked. */
export class RefusedByServer extends Error {
  readonly error: ServerError
  constructor(error: ServerError) {
    super(error.message)
    this.error = error
  }
}

/**
 * One WebSocket, and with it one environment of the server's own making: it begins and ends with the connection. One question is
 * under way at a time. After any failure but a `RefusedByServer` it is of no use any more.
 */
export class Session {
  private readonly server: Server
  private readonly socket: WebSocket
  /** What came, and nobody has asked for yet: a server may refuse a session before the first question. */
  private readonly frames: string[] = []
  private lost: ServiceError | undefined
  private isAsked = false
  private awake: () => void = () => {}

  private constructor(server: Server, socket: WebSocket) {
    this.server = server
    this.socket = socket
    socket.on('message', (data: Buffer, isBinary) => {
      this.frames.push(isBinary ? 'bytes that are no text' : data.toString())
      if (this.frames.length > MOST_FRAMES) this.end(this.tooMuch())
      this.awake()
    })
    let why = ''
    socket.on('error', (error) => {
      why = `: ${error.message}`
    })
    socket.on('close', (code) => {
      this.lost ??= failure(server, 'dropped', `ended the connection (${code}${why})`, 'look at its log, and resume')
      this.awake()
    })
  }

  /** @throws ServiceError where no connection comes about in time */
  static connect(server: Server): Promise<Session> {
    const { url, headers, connectWithin } = server
    const options: ClientOptions = {
      headers,
      handshakeTimeout: connectWithin,
      maxPayload: LONGEST_FRAME,
      perMessageDeflate: false,
    }
    const socket = new WebSocket(url, options)
    return new Promise((resolve, reject) => {
      socket.once('open', () => {
        socket.removeAllListeners()
        resolve(new Session(server, socket))
      })
      socket.once('unexpected-response', (_, { statusCode = 0 }) => {
        socket.once('error', () => {})
        socket.terminate()
        reject(statusFailure(server, statusCode))
      })
      socket.once('error', (error) =>
        reject(new ServiceError(named(server), connectionFailure(errorCode(error), false))),
      )
    })
  }

  /**
   * @param within milliseconds; the server's usual where it is missing
   * @throws RefusedByServer where the server says that it cannot
   * @throws ServiceError where the connection is lost, nothing comes in time, or what comes is no frame
   */
  async ask(request: Request, within = this.server.answerWithin): Promise<Answer> {
    // From here on, what is there already would be taken for the answer, and each answer for that of the next question.
    if (this.isAsked && this.frames.length > 0 && !this.lost) throw this.end(this.tooMuch())
    this.isAsked = true
    if (!this.lost) this.socket.send(JSON.stringify(request))
    const text = await this.next(request.type, within)
    const { success, data: frame, error } = parseFrame(text)
    if (!success) {
      const { path, message } = error.issues[0]
      const what = `answered a ${request.type} with no frame of the protocol (${path.join('.') || 'the whole'}: ${message}): "${quotable(text)}"`
      throw this.end(failure(this.server, 'malformed', what, 'check that url is that of an OpenEnv server'))
    }
    if (frame.type === 'error') throw new RefusedByServer(frame.data)
    return frame.data
  }

  /** Ends when the server has ended the session too: only then is its place free for another. */
  async close(): Promise<void> {
    const { socket } = this
    if (socket.readyState === WebSocket.CLOSED) return
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    const timer = setTimeout(() => socket.terminate(), CLOSING)
    if (socket.readyState === WebSocket.OPEN) {
      const request: Request = { type: 'close' }
      socket.send(JSON.stringify(request))
    }
    await closed
    clearTimeout(timer)
  }

  private async next(type: string, within: number): Promise<string> {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      this.awake()
    }, within)
    while (this.frames.length === 0 && !this.lost && !isLate) {
      await new Promise<void>((resolve) => {
        this.awake = resolve
      })
    }
    clearTimeout(timer)
    const frame = this.frames.shift()
    if (frame !== undefined) return frame
    if (this.lost) throw this.lost
    const what = `did not answer a ${type} within ${within / 1000} s`
    throw this.end(failure(this.server, 'stalled', what, 'raise answerSeconds, or look at its log'))
  }

  private tooMuch(): ServiceError {
    const what = 'sends more than it is asked for'
    return failure(this.server, 'malformed', what, 'check that url is that of an OpenEnv server')
  }

  /** An answer that comes later must not be taken for the next one's. */
  private end(error: ServiceError): ServiceError {
    this.lost = error
    this.socket.terminate()
    return error
  }
}

const named = ({ url }: Server): string => `the OpenEnv server at ${url}`

export function failure(server: Server, kind: Failure['kind'], what: string, advice: string): ServiceError {
  return new ServiceError(named(server), { kind, what, advice })
}

function statusFailure(server: Server, status: number): ServiceError {
  if (status === 401 || status === 403) {
    const advice =
      'name the environment variable that holds a key as keyVariable, and one that holds its host name as hostVariable if it wants one'
    return failure(server, 'key', `does not let us in (${status})`, advice)
  }
  return failure(server, 'refused', `takes no WebSocket there (${status})`, 'mend url: it is the address before /ws')
}
