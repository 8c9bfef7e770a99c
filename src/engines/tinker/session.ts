/** A session at the server: what it offers, and the heartbeat without which it ends. */
import { ServiceError } from '../../services/index.ts'
import type { Connection } from './connection.ts'
import { anythingSchema, clientConfigSchema, type ServerFlags, sessionSchema } from './wire.ts'

/** The version of the public SDK whose requests these are: servers ask. */
const SDK_VERSION = '0.25.0'
/** The session is over: unknown, gone, or not ours any more. */
const OVER = new Set([401, 403, 404, 410])

export class Session {
  readonly flags: ServerFlags
  readonly id: string
  private readonly connection: Connection
  private readonly timer: NodeJS.Timeout
  private beating = false
  private heard = performance.now()
  private lost: ServiceError | null = null
  private models = 0
  private samplers = 0

  private constructor(connection: Connection, id: string, flags: ServerFlags) {
    this.connection = connection
    this.id = id
    this.flags = flags
    this.timer = setInterval(() => void this.beat(), connection.pace.heartbeat * 1000)
    // A heartbeat keeps no process alive.
    this.timer.unref()
  }

  static async open(connection: Connection): Promise<Session> {
    const flags = await serverFlags(connection)
    if (flags.pjwt_auth_enabled) connection.useTokens()
    const body = { tags: ['rwml'], user_metadata: {}, sdk_version: SDK_VERSION, type: 'create_session' }
    const request = { what: 'create_session', path: 'create_session', body }
    const { session_id: id } = await connection.call(request, sessionSchema)
    await connection.chooseCodec()
    return new Session(connection, id, flags)
  }

  nextModel(): number {
    return this.models++
  }

  nextSampler(): number {
    return this.samplers++
  }

  /** @throws ServiceError once the server has ended the session */
  requireAlive(): void {
    if (this.lost) throw this.lost
  }

  close(): void {
    clearInterval(this.timer)
  }

  /** One beat at a time: where one is late, the next is what counts. */
  private async beat(): Promise<void> {
    if (this.beating) return
    this.beating = true
    const { pace } = this.connection
    const body = { session_id: this.id, type: 'session_heartbeat' }
    const request = { what: 'session_heartbeat', path: 'session_heartbeat', body, seconds: pace.heartbeat }
    try {
      const reply = await this.connection.exchange(request)
      if (reply.status === 200) this.heard = performance.now()
      else if (OVER.has(reply.status)) this.end(reply.status)
    } catch (error) {
      // What else fails meets the same server, and says so.
      if (!(error instanceof ServiceError)) throw error
    } finally {
      this.beating = false
    }
  }

  private end(status: number): void {
    const ago = Math.round((performance.now() - this.heard) / 1000)
    this.lost = new ServiceError(this.connection.where, {
      kind: 'refused',
      what: `has ended this session (${status}; it took its last heartbeat ${ago} s ago)`,
      advice: 'resume from the last checkpoint',
      status,
    })
    this.close()
  }
}

/** What the server wants of its clients; many know of no such thing. */
async function serverFlags(connection: Connection): Promise<ServerFlags> {
  const request = { what: 'client/config', path: 'client/config', body: { sdk_version: SDK_VERSION } }
  try {
    return clientConfigSchema.parse((await connection.call(request, anythingSchema)) ?? {})
  } catch (error) {
    const unknown = error instanceof ServiceError && (error.failure.status === 404 || error.failure.status === 405)
    if (unknown) return clientConfigSchema.parse({})
    throw error
  }
}
