import { UserError } from '../../core/index.ts'
import { ServiceError } from '../../services/index.ts'
import type { AdamParams, Datum, ForwardBackwardResult, Loss, Sampler, Trainer } from '../engine.ts'
import type { ModelConfig } from '../local/index.ts'
import type { Connection } from './connection.ts'
import { download } from './download.ts'
import { RESUME } from './failures.ts'
import type { Pending } from './future.ts'
import { logprobRows, passResult } from './pass-result.ts'
import { builtInPass, checkPass, chunksOf, forwardPass, isBuiltIn, linearisedPass } from './passes.ts'
import { RemoteModel } from './remote-model.ts'
import { SamplingQueue, SamplingSession, TinkerSampler } from './sampler.ts'
import type { Session } from './session.ts'
import { readState, sameFolder, writeState } from './state-folder.ts'
import { anythingSchema, optimSchema, passSchema, pathSchema, samplingSessionSchema, type WirePass } from './wire.ts'

/** How often a checkpoint is fetched before a run is given up for it. */
const DOWNLOADS = 3

/** What a datum that is trained on is, and which of those given. */
interface Sent {
  index: number
  datum: Datum
}

/**
 * Trains an adapter at a Tinker server. Calls need not be awaited: they reach the server in their order, `optimStep` right behind
 * `forwardBackward`, and only results are waited for.
 */
export class TinkerTrainer implements Trainer {
  private readonly connection: Connection
  private readonly session: Session
  private readonly config: ModelConfig
  private readonly queue: SamplingQueue
  private model: RemoteModel
  /** The last request that was handed over, or is being. */
  private lane: Promise<unknown> = Promise.resolve()
  /** Why the state at the server is not what it should be. */
  private broken: UserError | null = null
  /** Data since the last step, and the number that the first call of the step took for it. */
  private step = { data: 0, scale: 0 }
  /** See `gradientShare`: that of the steps so far, null before any. */
  private share: number | null = null
  /** Changes of the weights that were asked for, and that were handed over. */
  private asked = 0
  private done = 0
  private live: { changes: number; session: Promise<SamplingSession> } | null = null

  constructor(connection: Connection, session: Session, config: ModelConfig, model: RemoteModel) {
    this.connection = connection
    this.session = session
    this.config = config
    this.model = model
    const most = Math.min(connection.config.maxConcurrent, session.flags.sample_max_concurrent_requests)
    this.queue = new SamplingQueue(connection, most)
  }

  /**
   * See `Trainer.forwardBackward`; `metrics` holds no entropy. A loss that the server does not have takes a forward pass more (see
   * passes.ts). @throws UserError for what cannot be expressed
   */
  async forwardBackward(data: Datum[], loss: Loss): Promise<ForwardBackwardResult> {
    checkPass(data, loss, this.config)
    const sent = data.flatMap((datum, index): Sent[] =>
      datum.weights.some((weight) => weight !== 0) ? [{ index, datum }] : [],
    )
    const trained = sent.map(({ datum }) => datum)
    const logprobs = data.map((datum) => datum.tokens.map(() => 0))
    if (sent.length > 0) {
      const pending = await this.inOrder(() => this.begin(trained, loss))
      const found = await this.orBroken(() => this.logprobsOf(pending, trained))
      sent.forEach(({ index }, i) => {
        logprobs[index] = found[i]
      })
    }
    return passResult(data, loss, logprobs)
  }

  /** Hands a pass over. */
  private async begin(data: Datum[], loss: Loss): Promise<Pending[]> {
    const { traits } = this.model
    const scale = this.step.scale || data.length
    let pass: WirePass
    if (isBuiltIn(data, loss)) pass = builtInPass(data, loss, traits, scale)
    else {
      const first = await this.submitPass('forward', forwardPass(data))
      const logprobs = await this.logprobsOf(first, data)
      pass = linearisedPass(data, loss, logprobs, traits, scale)
    }
    this.step = { data: this.step.data + data.length, scale }
    return await this.orBroken(() => this.submitPass('forward_backward', pass))
  }

  private async submitPass(path: 'forward' | 'forward_backward', pass: WirePass): Promise<Pending[]> {
    const { fwdbwd_max_chunk_len: length, fwdbwd_max_chunk_bytes_count: bytes } = this.session.flags
    return await this.model.submitPass(path, pass, chunksOf(pass.data, length, bytes))
  }

  /** New log-probabilities along the tokens of each datum, 0 where it is not trained on. */
  private async logprobsOf(pending: Pending[], data: Datum[]): Promise<number[][]> {
    const outputs = await Promise.all(pending.map((one) => this.model.result(one, passSchema)))
    return logprobRows(outputs, data, this.connection)
  }

  /** `gradientNorm` is NaN where the server does not tell it. */
  async optimStep(adam: AdamParams): Promise<{ gradientNorm: number }> {
    if (adam.clipNorm > 0 && !this.model.traits.clips) {
      throw new UserError(
        `${this.connection.where} does not clip gradients (server: ${this.connection.config.server}): set the clip norm to 0`,
      )
    }
    this.asked++
    const { pending, share } = await this.inOrder(async () => {
      const share = this.gradientShare()
      this.done++
      this.share = share
      this.step = { data: 0, scale: 0 }
      const fields = {
        adam_params: {
          learning_rate: adam.learningRate,
          beta1: adam.beta1,
          beta2: adam.beta2,
          eps: adam.epsilon * share,
          weight_decay: adam.weightDecay,
          grad_clip_norm: adam.clipNorm,
        },
      }
      return { share, pending: await this.orBroken(() => this.model.submit('optim_step', fields)) }
    })
    const { metrics } = await this.orBroken(() => this.model.result(pending, optimSchema))
    const told = Object.entries(metrics ?? {}).find(([name]) => /(^|[/:.])grad(ient)?_norm$/.test(name))
    if (!told) return { gradientNorm: Number.NaN }
    if (Number.isFinite(told[1])) return { gradientNorm: told[1] / share }
    throw this.break(
      new UserError(`${this.connection.where}: the gradient is not finite: ${RESUME} with a lower learning rate`),
    )
  }

  /**
   * The gradient at the server over the one that was meant: where it takes the mean over the data of several calls, a call cannot
   * know how many will follow. As long as it is the same at every step, Adam's steps do not depend on it, but for its epsilon,
   * which is made smaller by as much. @throws UserError where it changes: averages of gradients would be of unlike ones
   */
  private gradientShare(): number {
    const { data, scale } = this.step
    if (this.model.traits.reduction === 'sum' || data === 0) return 1
    const share = scale / data
    if (this.share === null || Math.abs(share / this.share - 1) < 1e-9) return share
    throw new UserError(
      `${this.connection.where} averages over the data of a step, and the calls of this one are not shared out as before: give all of a step's data in one call`,
    )
  }

  sampler(): Sampler {
    // Where samples are drawn in place, nothing else may be done meanwhile.
    const use = <T>(work: (session: SamplingSession) => Promise<T>): Promise<T> =>
      this.model.traits.samplesInPlace
        ? this.inOrder(async () => work(await this.liveSession(this.done, (take) => take())))
        : this.liveSession(this.asked, (take) => this.inOrder(take)).then(work)
    return new TinkerSampler(this.queue, this.config, { use, close: async () => {} })
  }

  /** The weights after so many changes: taken once, where somebody asks, by `turn`. */
  private liveSession(changes: number, turn: <T>(take: () => Promise<T>) => Promise<T>): Promise<SamplingSession> {
    if (this.live?.changes === changes) return this.live.session
    const session = turn(() => this.model.submitSnapshot()).then((pending) => this.model.snapshotOf(pending))
    const live = { changes, session }
    this.live = live
    session.catch(() => {
      if (this.live === live) this.live = null
    })
    return session
  }

  /** The reference of a KL term: a sampler checkpoint and its prompt log-probabilities. */
  async freeze(): Promise<Sampler> {
    const { session, close } = this.model.traits.samplesInPlace ? await this.copied() : await this.checkpointed()
    return new TinkerSampler(this.queue, this.config, { use: (work) => work(session), close })
  }

  private async checkpointed(): Promise<{ session: SamplingSession; close(): Promise<void> }> {
    const pending = await this.inOrder(() => this.model.submitSampler())
    const { path } = await this.model.result(pending, pathSchema)
    const body = {
      session_id: this.session.id,
      sampling_session_seq_id: this.session.nextSampler(),
      model_path: path,
      type: 'create_sampling_session',
    }
    const request = { what: `create_sampling_session of ${path}`, path: 'create_sampling_session', body }
    const { sampling_session_id: id } = await this.connection.call(request, samplingSessionSchema)
    return { session: new SamplingSession(id), close: () => this.model.forget(path) }
  }

  /** A model of its own, which gives its place back when closed. */
  private async copied(): Promise<{ session: SamplingSession; close(): Promise<void> }> {
    const pending = await this.inOrder(() => this.model.submitState())
    const { path } = await this.model.result(pending, pathSchema)
    const copy = await RemoteModel.create(this.connection, this.session)
    try {
      await copy.load(path, false)
      const session = await copy.snapshotOf(await copy.submitSnapshot())
      return { session, close: () => copy.unload() }
    } catch (error) {
      await copy.unload()
      throw error
    } finally {
      await this.model.forget(path)
    }
  }

  /** The state stays at the server; the folder says where, and holds the adapter as PEFT does. */
  async save(directory: string): Promise<void> {
    const { url, model, folder } = this.connection.config
    const pending = await this.inOrder(async () => [await this.model.submitState(), await this.model.submitSampler()])
    const [state, sampler] = await Promise.all(
      pending.map(async (one) => (await this.model.result(one, pathSchema)).path),
    )
    for (let tries = 1; ; tries++) {
      try {
        return await writeState(directory, { url, model, state }, folder, download(this.connection, sampler))
      } catch (error) {
        if (!(error instanceof ServiceError && error.retryable) || tries >= DOWNLOADS) throw error
        await this.connection.rest(this.connection.backoff(tries, 'download'))
      }
    }
  }

  async load(directory: string): Promise<void> {
    const state = readState(directory, this.connection.config.model)
    if (!state)
      throw new UserError(`${directory} holds no state of a Tinker server: load the folder that this run saved`)
    await this.replace((model) => model.load(state.state, true))
  }

  /** A folder that was saved at this server, or the base model's own. Others cannot be sent there. */
  async loadWeights(directory: string): Promise<void> {
    const { model: name, folder } = this.connection.config
    const state = readState(directory, name)
    if (!state && !sameFolder(directory, folder)) {
      throw new UserError(
        `${directory} cannot be sent to a Tinker server, which takes no weights: start from ${folder}, or from a folder that was saved there`,
      )
    }
    await this.replace(async (model) => {
      if (state) await model.load(state.state, false)
    })
  }

  /** Servers load weights into new models only: it takes the place of the present one. */
  private async replace(fill: (model: RemoteModel) => Promise<void>): Promise<void> {
    this.asked++
    await this.inOrder(async () => {
      this.done++
      const model = await RemoteModel.create(this.connection, this.session)
      await fill(model)
      await this.discard()
      this.model = model
      this.broken = null
      this.share = null
      this.step = { data: 0, scale: 0 }
    }, true)
  }

  /** Unloads the present model, and has its gradient used up where the next one would inherit it. */
  private async discard(): Promise<void> {
    if (this.model.traits.keepsGradients && this.step.data > 0) {
      const nothing = { learning_rate: 0, beta1: 0.9, beta2: 0.95, eps: 1e-8, weight_decay: 0 }
      try {
        await this.model.result(await this.model.submit('optim_step', { adam_params: nothing }), anythingSchema)
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
      }
    }
    await this.model.unload()
  }

  /** Once what was begun has been handed over. A server that is gone already is no reason to fail. */
  async close(): Promise<void> {
    if (this.connection.signal.aborted) return
    await this.lane
    this.session.close()
    await this.discard()
    this.connection.close()
  }

  /** Does what hands requests over when all that came before has been handed over. */
  private async inOrder<T>(work: () => Promise<T>, mends = false): Promise<T> {
    const turn = this.lane.then(() => {
      if (this.broken && !mends) throw this.broken
      return work()
    })
    this.lane = turn.catch(() => undefined)
    return await turn
  }

  /** What fails here leaves a gradient or a step at the server that nobody can take back. */
  private async orBroken<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw this.break(error)
    }
  }

  private break(error: unknown): unknown {
    const why = error instanceof Error ? error.message : String(error)
    this.broken ??= new UserError(
      `${this.connection.where}: a step went wrong and cannot be taken back (${why}): ${RESUME}`,
    )
    return error
  }
}
