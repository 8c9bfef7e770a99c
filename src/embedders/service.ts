import { z } from 'zod'
import { UserError } from '../core/index.ts'
import { JsonService, type ServiceSettings } from '../services/index.ts'
import type { Embedder } from './embedder.ts'
import { VectorFiles } from './vector-files.ts'

export interface EmbeddingServiceOptions {
  /** Where vectors are kept, so that no text is sent twice. */
  cacheFolder?: string
  /** Texts of one request. Default 64. */
  batch?: number
}

/** No model's vectors are longer. */
const MOST_NUMBERS = 2 ** 14

const answerSchema = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1).max(MOST_NUMBERS) })).min(1),
})

/**
 * A text-embedding model behind OpenAI's `/embeddings`: vLLM, Text Embeddings Inference, a hosted one. Texts are sent as they are:
 * no instruction before them (method, section 4). Vectors come back scaled to length 1, and all of one dimension or not at all.
 */
export class EmbeddingService implements Embedder {
  readonly name: string
  readonly semantic = true
  private readonly service: JsonService
  private readonly batch: number
  private readonly files: VectorFiles | null
  private dimension: number | null = null

  /** @throws UserError (settings, key) */
  constructor(settings: ServiceSettings, { cacheFolder, batch = 64 }: EmbeddingServiceOptions = {}) {
    if (!(Number.isInteger(batch) && batch > 0))
      throw new UserError('batch must be a whole number of texts, 1 or more', 2)
    this.service = new JsonService(settings)
    this.batch = batch
    this.name = this.service.config.model
    this.files =
      cacheFolder === undefined ? null : new VectorFiles(cacheFolder, { model: this.name, ...settings.extra })
  }

  /** @throws ServiceError when no answer can be had; UserError where a vector cannot be one of this model */
  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    const vectors = new Map<string, Float32Array>()
    const missing: string[] = []
    for (const text of new Set(texts)) {
      const known = this.files?.get(text)
      if (known) vectors.set(text, this.checked(known))
      else missing.push(text)
    }
    const batches = Array.from({ length: Math.ceil(missing.length / this.batch) }, (_, i) =>
      missing.slice(i * this.batch, (i + 1) * this.batch),
    )
    await Promise.all(
      batches.map(async (some) => {
        for (const [index, vector] of (await this.request(some)).entries()) {
          vectors.set(some[index], vector)
          this.files?.put(some[index], vector)
        }
      }),
    )
    return texts.map((text) => vectors.get(text)!)
  }

  /** Breaks off what is under way. */
  close(): void {
    this.service.close()
  }

  /** Order is by `index`: services may answer in any. */
  private async request(texts: readonly string[]): Promise<Float32Array[]> {
    const body = { model: this.name, input: texts, encoding_format: 'float' }
    const { data } = await this.service.post('/embeddings', body, answerSchema)
    const found = new Map(data.map(({ index, embedding }) => [index, embedding]))
    return texts.map((_, index) => {
      const embedding = found.get(index)
      if (!embedding || found.size !== texts.length) {
        throw new UserError(
          `${this.service.where} was sent ${texts.length} texts and answers with ${data.length} vectors`,
        )
      }
      return this.checked(unit(embedding, this.service.where))
    })
  }

  private checked(vector: Float32Array): Float32Array {
    this.dimension ??= vector.length
    if (vector.length === this.dimension) return vector
    throw new UserError(
      `${this.service.where} gives vectors of ${vector.length} numbers where it gave ${this.dimension} before: it is another model now, or the folder of its cache is; name another cacheFolder`,
    )
  }
}

/** Scaled to length 1. @throws UserError where it has none */
function unit(numbers: readonly number[], where: string): Float32Array {
  const length = Math.hypot(...numbers)
  if (!(Number.isFinite(length) && length > 0)) {
    throw new UserError(`${where} answers with a vector without a direction (all zero, or not finite)`)
  }
  return Float32Array.from(numbers, (one) => one / length)
}
