import { basename, resolve } from 'node:path'
import { startWorker, UserError, WorkerClient } from '../../core/index.ts'
import type { Embedder } from '../embedder.ts'
import { VectorFiles } from '../vector-files.ts'
import type { EncoderCalls } from './worker.ts'

export interface OnnxEmbedderOptions {
  /** Where vectors are kept, so that no text is encoded twice. */
  cacheFolder?: string
  /** Threads of ONNX Runtime. Default 1: texts are short, and what runs beside it wants the others. */
  threads?: number
}

/** Texts sent to the thread at once: answers come while the rest is waiting, and are kept on the disk as they come. */
const BATCH = 64

/**
 * A sentence encoder in ONNX from a folder: `model.onnx` (or `onnx/model.onnx`), `tokenizer.json`, and, where they are there,
 * sentence-transformers' `modules.json`, `1_Pooling/config.json` and `sentence_bert_config.json`. It runs in a thread of its own on the
 * processor. Texts go as they are, without an instruction before them; vectors have length 1.
 */
export class OnnxEmbedder implements Embedder {
  /** Folder's name and the beginning of a hash of its files: another encoder is never taken for this one. */
  readonly name: string
  readonly semantic = true
  readonly dimension: number
  private readonly worker: WorkerClient<EncoderCalls>
  private readonly files: VectorFiles | null

  private constructor(
    worker: WorkerClient<EncoderCalls>,
    folder: string,
    { dimension, hash }: ReturnType<EncoderCalls['open']>,
    cacheFolder: string | undefined,
  ) {
    this.worker = worker
    this.name = `${basename(resolve(folder))}@${hash.slice(0, 8)}`
    this.dimension = dimension
    this.files = cacheFolder === undefined ? null : new VectorFiles(cacheFolder, { onnx: hash })
  }

  /** @throws UserError where the folder holds no encoder that can be used here */
  static async open(folder: string, { cacheFolder, threads = 1 }: OnnxEmbedderOptions = {}): Promise<OnnxEmbedder> {
    if (!(Number.isInteger(threads) && threads > 0)) {
      throw new UserError('threads must be a whole number of threads, 1 or more', 2)
    }
    const worker = new WorkerClient<EncoderCalls>(startWorker(import.meta.url, 'worker'), 'the embedder')
    try {
      return new OnnxEmbedder(worker, folder, await worker.call('open', folder, threads), cacheFolder)
    } catch (error) {
      await worker.close()
      throw error
    }
  }

  /** @throws UserError where the encoder fails on a text */
  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    const vectors = new Map<string, Float32Array>()
    const missing: string[] = []
    for (const text of new Set(texts)) {
      const known = this.files?.get(text)
      if (known?.length === this.dimension) vectors.set(text, known)
      else missing.push(text)
    }
    for (let at = 0; at < missing.length; at += BATCH) {
      const some = missing.slice(at, at + BATCH)
      const found = await this.worker.call('embed', some)
      for (const [i, text] of some.entries()) {
        const vector = found.slice(i * this.dimension, (i + 1) * this.dimension)
        vectors.set(text, vector)
        this.files?.put(text, vector)
      }
    }
    return texts.map((text) => vectors.get(text)!)
  }

  /** Ends its thread. One that is idle keeps no process alive. */
  close(): Promise<void> {
    return this.worker.close()
  }
}
