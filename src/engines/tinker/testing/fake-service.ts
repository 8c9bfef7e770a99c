import { z } from 'zod'
import type { Sampler } from '../../engine.ts'
import type { ServerFlags, WirePass } from '../wire.ts'
import { FakeModel, type WireAdam } from './fake-model.ts'
import { SequenceReused, Turns } from './turns.ts'

export interface FakeServiceOptions {
  /** Folder of the base model. */
  base: string
  reduction: 'sum' | 'mean'
  /** What it says it has. */
  models?: { model_name: string; max_context_length?: number }[]
  /** Flags that the server tells. */
  flags?: Partial<ServerFlags>
  /** How long a look at a result is held, and what is said then. */
  holdMs?: number
  pending?: 'try_again' | '408'
  /** Whether it takes passes in protobuf alone. */
  wantsProtobuf?: boolean
  /** A session without a heartbeat for so long is ended. */
  sessionMs?: number
}

export class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

interface Held {
  model: FakeModel
  turns: Turns
  session: string
}

/** What a request may hold, as far as it is looked at. */
const bodySchema = z.looseObject({
  session_id: z.string().default(''),
  model_id: z.string().default(''),
  seq_id: z.int().default(0),
  request_id: z.string().default(''),
  path: z.string().nullish(),
  model_path: z.string().default(''),
  sampling_session_id: z.string().default(''),
})
type Body = z.output<typeof bodySchema>

/** Sessions, models, checkpoints, results: what the protocol is about, without HTTP. */
export class FakeService {
  private readonly folder: string
  private readonly options: FakeServiceOptions
  private readonly sessions = new Map<string, number>()
  private readonly models = new Map<string, Held>()
  private results = new Map<string, Promise<object>>()
  /** By `RUN/NAME`: a folder of a state, or an adapter's. */
  private readonly states = new Map<string, string>()
  private readonly samplers = new Map<string, { sampler: Sampler; model: FakeModel; steps: number }>()
  private readonly samplingSessions = new Map<string, string>()
  private ids = 0
  private sampling = 0
  /** Most requests for samples that were held at once. */
  mostSamples = 0

  constructor(folder: string, options: FakeServiceOptions) {
    this.folder = folder
    this.options = options
  }

  /** Steps and passes that a model has really done. */
  get work(): number {
    return [...this.models.values()].reduce((sum, { turns }) => sum + turns.done, 0)
  }

  get openModels(): number {
    return this.models.size
  }

  adapterFolder(name: string): string | null {
    return this.states.get(name) ?? null
  }

  /** Checkpoints that are kept, as `tinker://RUN/KIND/NAME`. */
  get checkpoints(): string[] {
    const states = [...this.states.keys()].map((name) => `tinker://${name.replace('/', '/weights/')}`)
    return [...states, ...this.samplers.keys()]
  }

  forgetCheckpoint(run: string, name: string): boolean {
    // A sampler's adapter is kept like a state, for whoever fetches it.
    const had = this.states.delete(`${run}/${name.replace(/^\w+\//, '')}`)
    return this.samplers.delete(`tinker://${run}/${name}`) || had
  }

  async forget(lost: 'results' | 'everything'): Promise<void> {
    this.results = new Map()
    if (lost === 'everything') await this.close()
  }

  async close(): Promise<void> {
    const held = [...this.models.values()].map(({ model }) => model)
    for (const model of new Set([...held, ...[...this.samplers.values()].map(({ model }) => model)]))
      await model.close()
    this.models.clear()
    this.samplers.clear()
    this.sessions.clear()
  }

  /** @throws Refusal */
  async answer(path: string, fields: Record<string, unknown>): Promise<object> {
    const body = bodySchema.parse(fields)
    switch (path) {
      case 'create_session': {
        const id = this.newId('session')
        this.sessions.set(id, performance.now())
        return { session_id: id, type: 'create_session' }
      }
      case 'healthz':
        return { status: 'ok' }
      case 'get_server_capabilities':
        return { supported_models: this.options.models ?? [] }
      case 'session_heartbeat':
        this.requireSession(body.session_id)
        this.sessions.set(body.session_id, performance.now())
        return { type: 'session_heartbeat' }
      case 'create_model':
        return this.createModel(body)
      case 'create_sampling_session': {
        this.requireSession(body.session_id)
        return { sampling_session_id: this.newSamplingSession(body.model_path) }
      }
      case 'asample':
        this.mostSamples = Math.max(this.mostSamples, ++this.sampling)
        return this.future(this.sample(body).finally(() => this.sampling--))
      case 'retrieve_future':
        return await this.retrieve(body.request_id)
      case 'unload_model': {
        await this.retire(this.held(body).model)
        this.models.delete(body.model_id)
        return { request_id: this.newId('request'), model_id: body.model_id }
      }
      default:
        return this.train(path, body)
    }
  }

  /** Checkpoints outlive the model that they were taken of, where samples are not drawn in its place. */
  private async retire(model: FakeModel): Promise<void> {
    const outlives = this.options.reduction === 'sum' && [...this.samplers.values()].some((one) => one.model === model)
    if (!outlives) await model.close()
  }

  private createModel(body: Body): object {
    this.requireSession(body.session_id)
    const { rank } = z.object({ rank: z.int() }).parse(body.lora_config)
    const id = this.newId('model')
    const made = FakeModel.open(this.options.base, rank, this.options.reduction).then((model) => {
      this.models.set(id, { model, turns: new Turns(this.options.reduction === 'sum'), session: body.session_id })
      return { model_id: id, type: 'create_model' }
    })
    return this.future(made)
  }

  private train(path: string, body: Body): object {
    const { model, turns, session } = this.held(body)
    this.requireSession(session)
    if (path === 'load_weights' && turns.any) throw new Refusal(400, 'LoadWeights is not permitted here')
    const work = async (): Promise<object> => {
      const name = body.path ?? `ephemeral-${body.seq_id}`
      switch (path) {
        case 'forward':
          return await model.pass(body.forward_input as WirePass, false)
        case 'forward_backward':
          return await model.pass(body.forward_backward_input as WirePass, true)
        case 'optim_step':
          return await model.optimStep(body.adam_params as WireAdam)
        case 'save_weights': {
          this.states.set(`${body.model_id}/${name}`, await model.save(this.folder, `${body.model_id}-${name}`))
          return { path: `tinker://${body.model_id}/weights/${name}`, type: 'save_weights' }
        }
        case 'load_weights': {
          const [, run, state] = /^tinker:\/\/([\w-]+)\/weights\/([\w-]+)$/.exec(name) ?? []
          const folder = this.states.get(`${run}/${state}`)
          if (folder === undefined) throw new Error(`no checkpoint ${name}`)
          await model.load(folder, body.optimizer === true)
          return { type: 'load_weights' }
        }
        case 'save_weights_for_sampler':
          return await this.saveSampler(body, model, name)
        default:
          throw new Error(`what is ${path}?`)
      }
    }
    try {
      return this.future(turns.take(body.seq_id, JSON.stringify([path, body]), work))
    } catch (error) {
      if (error instanceof SequenceReused) throw new Refusal(409, error.message)
      throw error
    }
  }

  private async saveSampler(body: Body, model: FakeModel, name: string): Promise<object> {
    const path = `tinker://${body.model_id}/sampler_weights/${name}`
    this.samplers.set(path, { sampler: await model.freeze(), model, steps: model.steps })
    if (!body.path) return { sampling_session_id: this.newSamplingSession(path), type: 'save_weights_for_sampler' }
    this.states.set(`${body.model_id}/${name}`, await model.save(this.folder, `${body.model_id}-${name}`))
    return { path, type: 'save_weights_for_sampler' }
  }

  private async sample(body: Body): Promise<object> {
    const held = this.samplers.get(this.samplingSessions.get(body.sampling_session_id) ?? '')
    if (!held) throw new Error('no such sampling session')
    const { sampler, model, steps } = held
    if (this.options.reduction === 'mean' && model.steps !== steps) throw new Error('this would undo training')
    const prompt = body.prompt as { chunks: { tokens: number[] }[] }
    const tokens = prompt.chunks.flatMap((chunk) => chunk.tokens)
    const params = body.sampling_params as Record<string, number> & { stop?: number[] }
    const [samples] = await sampler.sample([tokens], {
      n: Number(body.num_samples),
      maxTokens: params.max_tokens,
      temperature: params.temperature,
      topK: Math.max(0, params.top_k),
      topP: params.top_p,
      seed: [params.seed],
      stop: (params.stop ?? []).map((token) => [token]),
    })
    const scored = body.prompt_logprobs ? await sampler.logprobs([tokens]) : null
    return {
      sequences: samples.map(({ tokens, logprobs, stopReason }) => ({ tokens, logprobs, stop_reason: stopReason })),
      prompt_logprobs: scored && [null, ...scored[0].slice(1)],
      type: 'sample',
    }
  }

  private future(result: Promise<object>): object {
    const id = this.newId('request')
    // Whoever asks hears of a failure; that nobody has asked yet is none.
    result.catch(() => undefined)
    this.results.set(id, result)
    return { request_id: id }
  }

  private async retrieve(id: string): Promise<object> {
    const result = this.results.get(id)
    if (!result) throw new Refusal(410, 'the result is gone')
    const { holdMs = 100, pending = 'try_again' } = this.options
    let timer: NodeJS.Timeout | undefined
    const held = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), holdMs)
    })
    try {
      const found = await Promise.race([held, result.catch((error) => ({ error: String(error), category: 'user' }))])
      if (found) return found
    } finally {
      clearTimeout(timer)
    }
    if (pending === '408') throw new Refusal(408, 'not yet')
    return { type: 'try_again', request_id: id, queue_state: 'active' }
  }

  private held({ model_id: id }: Body): Held {
    const held = this.models.get(id)
    if (!held) throw new Refusal(404, `no model ${id}`)
    return held
  }

  private requireSession(id: string): void {
    const heard = this.sessions.get(id)
    const { sessionMs = Number.POSITIVE_INFINITY } = this.options
    if (heard !== undefined && performance.now() - heard <= sessionMs) return
    this.sessions.delete(id)
    throw new Refusal(404, `no session ${id}`)
  }

  private newSamplingSession(path: string): string {
    if (!this.samplers.has(path)) throw new Refusal(404, `no checkpoint ${path}`)
    const id = this.newId('sampling')
    this.samplingSessions.set(id, path)
    return id
  }

  private newId(kind: string): string {
    return `${kind}_${this.ids++}`
  }
}
