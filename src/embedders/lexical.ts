import { z } from 'zod'
import { hash32 } from '../core/index.ts'
import { readJson, writeFileAtomic } from '../store/index.ts'
import type { Embedder } from './embedder.ts'

/** Features never seen while fitting share this many places: they must count as different, not vanish. */
const UNSEEN_BUCKETS = 256

const fileSchema = z.object({
  kind: z.literal('lexical'),
  version: z.literal(1),
  documents: z.int().min(0),
  /** Each feature with the number of fitted texts that hold it. */
  features: z.array(z.tuple([z.string(), z.int().min(1)])),
})

export type LexicalEmbedderFile = z.infer<typeof fileSchema>

/**
 * TF-IDF over words and pairs of neighbouring words, L2-normalised. **A stand-in for a semantic embedder**: it needs no
 * model and no network, but knows only which words two texts share, not what they mean. Good for templated text; a
 * paraphrase looks far away. Things with a number ("drawer 3") are one word, so that another number is another word.
 */
export class LexicalEmbedder implements Embedder {
  readonly name = 'lexical'
  readonly semantic = false
  private readonly documents: number
  private readonly frequencies: Map<string, number>
  private readonly places: Map<string, number>

  constructor(file: LexicalEmbedderFile) {
    this.documents = file.documents
    this.frequencies = new Map(file.features)
    this.places = new Map(file.features.map(([feature], index) => [feature, index]))
  }

  /** Counts in how many of the texts each feature stands. The order of the texts does not matter. */
  static fit(texts: readonly string[]): LexicalEmbedder {
    const frequencies = new Map<string, number>()
    for (const text of texts) {
      for (const feature of new Set(features(text))) frequencies.set(feature, (frequencies.get(feature) ?? 0) + 1)
    }
    const sorted = [...frequencies].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    return new LexicalEmbedder({ kind: 'lexical', version: 1, documents: texts.length, features: sorted })
  }

  embed(texts: readonly string[]): Promise<Float32Array[]> {
    return Promise.resolve(texts.map((text) => this.vector(text)))
  }

  toJSON(): LexicalEmbedderFile {
    return { kind: 'lexical', version: 1, documents: this.documents, features: [...this.frequencies] }
  }

  save(path: string): void {
    writeFileAtomic(path, `${JSON.stringify(this)}\n`)
  }

  private vector(text: string): Float32Array {
    const vector = new Float32Array(this.places.size + UNSEEN_BUCKETS)
    for (const feature of features(text)) {
      const place = this.places.get(feature) ?? this.places.size + (hash32(feature) % UNSEEN_BUCKETS)
      vector[place] += Math.log((1 + this.documents) / (1 + (this.frequencies.get(feature) ?? 0))) + 1
    }
    let square = 0
    for (const value of vector) square += value * value
    if (square > 0) {
      const scale = 1 / Math.sqrt(square)
      for (let i = 0; i < vector.length; i++) vector[i] *= scale
    }
    return vector
  }
}

/** Reads what `save` wrote. */
export function loadLexicalEmbedder(path: string): LexicalEmbedder {
  return new LexicalEmbedder(readJson(path, fileSchema))
}

/** Lower-case words, a number joined to the word before it; texts without any word fall back to their characters. */
export function lexicalWords(text: string): string[] {
  const words = text.toLowerCase().match(/\p{L}[\p{L}\p{M}'_-]*(?: \d+(?![\p{L}\d]|\.\d))?|\d+(?:\.\d+)*/gu)
  return words ?? text.match(/\S/gu) ?? []
}

function features(text: string): string[] {
  const words = lexicalWords(text)
  return [...words, ...words.slice(1).map((word, index) => `${words[index]}|${word}`)]
}
