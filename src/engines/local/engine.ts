/** The local engine: ONNX Runtime in one worker thread that owns the weights, trains them and samples from them. */
import { startWorker, WorkerClient } from '../../core/index.ts'
import type { Engine } from '../choice.ts'
import type { Datum, ForwardBackwardResult, Loss, Sample, Sampler, SamplingParams, Scored, Trainer } from '../engine.ts'
import type { ModelConfig } from './config.ts'
import {
  type Calls,
  type EngineOptions,
  type ModelSource,
  packData,
  packRows,
  unpackRows,
  unpackSamples,
} from './protocol.ts'

class LocalSampler implements Sampler {
  readonly vocabularySize: number
  readonly contextLength: number
  private readonly worker: WorkerClient<Calls>
  private readonly model: number

  constructor(worker: WorkerClient<Calls>, config: ModelConfig, model: number) {
    this.worker = worker
    this.model = model
    this.vocabularySize = config.vocab_size
    this.contextLength = config.max_position_embeddings
  }

  async sample(prompts: number[][], params: SamplingParams): Promise<Sample[][]> {
    return unpackSamples(await this.worker.call('sample', this.model, packRows(prompts), params))
  }

  async logprobs(sequences: number[][], temperature = 1): Promise<number[][]> {
    return unpackRows(await this.worker.call('logprobs', this.model, packRows(sequences), temperature))
  }

  score(sequences: number[][], alternatives: number): Promise<Scored[]> {
    return this.worker.call('score', this.model, packRows(sequences), alternatives)
  }

  async reset(): Promise<void> {
    await this.worker.call('reset', this.model)
  }

  /** Frees a frozen copy. The sampler of the live weights ends with its engine. */
  async close(): Promise<void> {
    if (this.model !== 0) await this.worker.call('release', this.model)
  }
}

class LocalTrainer implements Trainer {
  private readonly worker: WorkerClient<Calls>
  private readonly config: ModelConfig
  private readonly live: LocalSampler

  constructor(worker: WorkerClient<Calls>, config: ModelConfig) {
    this.worker = worker
    this.config = config
    this.live = new LocalSampler(worker, config, 0)
  }

  async forwardBackward(data: Datum[], loss: Loss): Promise<ForwardBackwardResult> {
    const result = await this.worker.call('forwardBackward', packData(data), loss)
    return { ...result, logprobs: unpackRows(result.logprobs) }
  }

  optimStep(adam: Parameters<Trainer['optimStep']>[0]): Promise<{ gradientNorm: number }> {
    return this.worker.call('optimStep', adam)
  }

  sampler(): Sampler {
    return this.live
  }

  async freeze(): Promise<Sampler> {
    return new LocalSampler(this.worker, this.config, await this.worker.call('freeze'))
  }

  async save(directory: string): Promise<void> {
    await this.worker.call('save', directory)
  }

  async load(directory: string): Promise<void> {
    await this.worker.call('load', directory)
  }

  async loadWeights(directory: string): Promise<void> {
    await this.worker.call('loadWeights', directory)
  }

  close(): Promise<void> {
    return this.worker.close()
  }
}

/**
 * Open a model folder (`config.json`, safetensors), or a new model of a given shape. Errors in the folder, or of an
 * ONNX Runtime that cannot be loaded, are `UserError`s. Closing it ends the worker thread.
 */
export async function openLocalEngine(source: ModelSource, options: EngineOptions): Promise<Engine> {
  const worker = new WorkerClient<Calls>(startWorker(import.meta.url, 'worker'), 'the engine')
  try {
    const config = await worker.call('open', source, options)
    const trainer = new LocalTrainer(worker, config)
    return { config, trainer: () => trainer, close: () => worker.close() }
  } catch (error) {
    await worker.close()
    throw error
  }
}
