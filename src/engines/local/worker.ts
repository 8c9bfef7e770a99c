/** The engine's worker thread: owns the weights, and answers calls one after the other. */
import { parentPort } from 'node:worker_threads'
import { answerCalls, loadRuntime, type Runtime, UserError, type WorkerAnswers } from '../../core/index.ts'
import { type Calls, type EngineOptions, packRows, packSamples, unpackData, unpackRows } from './protocol.ts'
import { requireProvider } from './runtime.ts'
import { SamplerCore } from './sampler/core.ts'
import type { TrainerCore } from './training/trainer-core.ts'

/** A set of weights with both things that can be done with it. */
interface Model {
  core: TrainerCore
  sampler: SamplerCore
}

class EngineWorker {
  private readonly models = new Map<number, Model>()
  private counter = 0
  private ort: Runtime | undefined
  private options: EngineOptions = { threads: 1 }

  private model(handle: number): Model {
    const model = this.models.get(handle)
    if (!model) throw new Error(handle === 0 ? 'no model is open' : 'this frozen copy has been closed')
    return model
  }

  private add(core: TrainerCore): number {
    if (!this.ort) throw new Error('the runtime is not loaded')
    const sampler = new SamplerCore(this.ort, core.config, () => core.weights.flat(), this.options)
    this.models.set(this.counter, { core, sampler })
    return this.counter++
  }

  private async drop(handle: number): Promise<void> {
    const { core, sampler } = this.model(handle)
    this.models.delete(handle)
    await sampler.close()
    await core.close()
  }

  /** What changes the live weights: keys and values computed with the old ones are void, even if the change failed. */
  private async change<T>(act: (core: TrainerCore) => T | Promise<T>): Promise<T> {
    const { core, sampler } = this.model(0)
    try {
      return await act(core)
    } finally {
      await sampler.weightsChanged()
    }
  }

  readonly calls: WorkerAnswers<Calls> = {
    open: async (source, options) => {
      if (this.models.size > 0) throw new Error('a model is open already')
      this.ort = await loadRuntime()
      await requireProvider(this.ort, options.provider ?? 'cpu')
      this.options = options
      // Imports the runtime: only now is it known to load.
      const { TrainerCore } = await import('./training/trainer-core.ts')
      const core =
        typeof source === 'string'
          ? TrainerCore.open(source, options)
          : TrainerCore.fresh(source.config, source.seed, options)
      this.add(core)
      return core.config
    },
    sample: async (model, prompts, params) =>
      packSamples(await this.model(model).sampler.sample(unpackRows(prompts), params)),
    logprobs: async (model, sequences, temperature) => {
      if (!(temperature > 0 && Number.isFinite(temperature))) {
        throw new UserError(`logprobs: temperature is ${temperature}; it must be above 0`)
      }
      return packRows(await this.model(model).core.logprobs(unpackRows(sequences), temperature))
    },
    score: async (model, sequences, alternatives) => this.model(model).core.score(unpackRows(sequences), alternatives),
    reset: async (model) => {
      this.model(model).sampler.reset()
      return undefined
    },
    freeze: async () => this.add(this.model(0).core.copy()),
    release: async (model) => {
      if (this.models.has(model)) await this.drop(model)
      return undefined
    },
    forwardBackward: async (data, loss) => {
      const result = await this.model(0).core.forwardBackward(unpackData(data), loss)
      return { ...result, logprobs: packRows(result.logprobs) }
    },
    optimStep: (adam) => this.change((core) => core.optimStep(adam)),
    save: async (directory) => {
      await this.model(0).core.save(directory)
      return undefined
    },
    load: async (directory) => {
      await this.change((core) => core.load(directory))
      return undefined
    },
    loadWeights: async (directory) => {
      await this.change((core) => core.loadWeights(directory))
      return undefined
    },
    close: async () => {
      for (const handle of [...this.models.keys()]) await this.drop(handle)
      return undefined
    },
  }
}

if (!parentPort) throw new Error('worker.ts runs in a worker thread only')
answerCalls<Calls>(parentPort, new EngineWorker().calls)
