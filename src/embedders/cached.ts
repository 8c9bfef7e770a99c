import { createHash } from 'node:crypto'
import type { Embedder } from './embedder.ts'

/** Vectors are kept up to this many bytes, then the longest unused go first. */
const DEFAULT_MAX_BYTES = 128 * 2 ** 20

/** Remembers vectors by the hash of their text. Answers are those of the embedder inside, only sooner. */
export class CachedEmbedder implements Embedder {
  readonly name: string
  readonly semantic: boolean
  /** Texts that were, and were not, found in the cache. */
  hits = 0
  misses = 0
  private readonly inner: Embedder
  private readonly maxBytes: number
  private bytes = 0
  /** In order of last use. */
  private readonly vectors = new Map<string, Float32Array>()

  constructor(inner: Embedder, maxBytes: number = DEFAULT_MAX_BYTES) {
    this.inner = inner
    this.name = inner.name
    this.semantic = inner.semantic
    this.maxBytes = maxBytes
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    const keys = texts.map((text) => createHash('sha256').update(text).digest('base64'))
    const answers = new Map<string, Float32Array>()
    const missing = new Map<string, string>()
    for (const [index, key] of keys.entries()) {
      const known = this.vectors.get(key)
      if (known) {
        answers.set(key, known)
        this.remember(key, known)
      } else missing.set(key, texts[index])
    }
    this.misses += missing.size
    this.hits += texts.length - missing.size
    if (missing.size > 0) {
      const vectors = await this.inner.embed([...missing.values()])
      for (const [index, key] of [...missing.keys()].entries()) {
        answers.set(key, vectors[index])
        this.remember(key, vectors[index])
      }
    }
    return keys.map((key) => answers.get(key)!)
  }

  private remember(key: string, vector: Float32Array): void {
    if (!this.vectors.delete(key)) this.bytes += vector.byteLength
    this.vectors.set(key, vector)
    for (const [oldest, old] of this.vectors) {
      if (this.bytes <= this.maxBytes) break
      this.vectors.delete(oldest)
      this.bytes -= old.byteLength
    }
  }
}
