/** One model at the server, and the numbers that put its requests in order. */
import type { z } from 'zod'
import { ServiceError } from '../../services/index.ts'
import type { Result } from './codec.ts'
import type { Connection } from './connection.ts'
import { type Pending, resultOf } from './future.ts'
import { SamplingSession } from './sampler.ts'
import type { Session } from './session.ts'
import { type ServerTraits, TINKER_SERVERS } from './settings.ts'
import { anythingSchema, futureSchema, modelSchema, samplerSavedSchema, type WireDatum, type WirePass } from './wire.ts'

export class RemoteModel {
  readonly id: string
  readonly traits: ServerTraits
  private readonly connection: Connection
  private readonly session: Session
  /** Number of the last request that the server has taken. */
  private sequence = 0

  private constructor(connection: Connection, session: Session, id: string) {
    this.connection = connection
    this.session = session
    this.id = id
    this.traits = TINKER_SERVERS[connection.config.server]
  }

  /** A new adapter, which changes nothing yet. */
  static async create(connection: Connection, session: Session): Promise<RemoteModel> {
    const { model, lora } = connection.config
    const body = {
      session_id: session.id,
      model_seq_id: session.nextModel(),
      base_model: model,
      user_metadata: {},
      lora_config: {
        rank: lora.rank,
        seed: lora.seed,
        train_unembed: lora.unembedding,
        train_mlp: lora.mlp,
        train_attn: lora.attention,
      },
      type: 'create_model',
    }
    const what = `create_model ${model}`
    const send = async () => (await connection.call({ what, path: 'create_model', body }, futureSchema)).request_id
    const pending = { what, requestId: await send(), resubmit: send }
    const { model_id: id } = await resultOf(connection, pending, modelSchema)
    return new RemoteModel(connection, session, id)
  }

  /**
   * Hands the next request over. The number counts as used once the server has it: one at a time, please, and in the order
   * of the calls. @throws ServiceError
   */
  async submit(path: string, fields: object, result?: Result): Promise<Pending> {
    this.session.requireAlive()
    const number = this.sequence + 1
    const what = `${path} ${number}`
    const body = { model_id: this.id, seq_id: number, ...fields }
    // A forward pass changes nothing.
    const repeatable = this.traits.idempotent || path === 'forward'
    const send = async () => (await this.connection.call({ what, path, body }, futureSchema, repeatable)).request_id
    const requestId = await send()
    this.sequence = number
    return { what, requestId, result, resubmit: repeatable ? send : null }
  }

  /** The parts of a pass that the server takes at once, one behind the other. */
  async submitPass(path: 'forward' | 'forward_backward', pass: WirePass, chunks: WireDatum[][]): Promise<Pending[]> {
    const pending: Pending[] = []
    for (const data of chunks) {
      pending.push(await this.submit(path, { [`${path}_input`]: { ...pass, data } }, 'pass'))
    }
    return pending
  }

  async result<Schema extends z.ZodType>(pending: Pending, schema: Schema): Promise<z.output<Schema>> {
    return await resultOf(this.connection, pending, schema)
  }

  /** The weights of this moment, to be sampled from in this session. */
  submitSnapshot(): Promise<Pending> {
    const fields = { sampling_session_seq_id: this.session.nextSampler(), type: 'save_weights_for_sampler' }
    return this.submit('save_weights_for_sampler', fields)
  }

  async snapshotOf(pending: Pending): Promise<SamplingSession> {
    return new SamplingSession((await this.result(pending, samplerSavedSchema)).sampling_session_id)
  }

  /** The weights of this moment, as they can be sampled from and downloaded under a path. */
  submitSampler(): Promise<Pending> {
    const fields = { path: this.newName('sampler'), type: 'save_weights_for_sampler' }
    return this.submit('save_weights_for_sampler', fields)
  }

  /** Weights and optimiser, as they can be loaded. */
  submitState(): Promise<Pending> {
    return this.submit('save_weights', { path: this.newName('state'), type: 'save_weights' })
  }

  /** A name that no checkpoint of the model has. */
  private newName(kind: string): string {
    return `${kind}-${this.session.nextSampler()}`
  }

  async load(path: string, optimizer: boolean): Promise<void> {
    await this.result(await this.submit('load_weights', { path, optimizer, type: 'load_weights' }), anythingSchema)
  }

  /** Has a checkpoint thrown away that has served. Asked for once: SkyRL 0.3 keeps them all. `tinker://RUN/KIND/NAME` */
  async forget(path: string): Promise<void> {
    const [, run, name] = /^tinker:\/\/([\w-]+)\/([\w./-]+)$/.exec(path) ?? []
    if (name === undefined) return
    const request = {
      what: `the end of ${path}`,
      path: `training_runs/${run}/checkpoints/${name}`,
      method: 'DELETE',
    } as const
    try {
      await this.connection.exchange(request)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
    }
  }

  /** Gives its place at the server to others: asked for once, because a server that cannot will do so when the session ends. */
  async unload(): Promise<void> {
    const body = { model_id: this.id, type: 'unload_model' }
    try {
      await this.connection.exchange({ what: 'unload_model', path: 'unload_model', body })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
    }
  }
}
