/** The thread of an ONNX embedder: reading the graph, tokens and sums keep nobody waiting. */
import { parentPort } from 'node:worker_threads'
import { answerCalls } from '../../core/index.ts'
import { Encoder } from './encoder.ts'

export interface EncoderCalls {
  open(folder: string, threads: number): { dimension: number; hash: string }
  /** Vectors one after the other. */
  embed(texts: string[]): Float32Array
  close(): undefined
}

if (!parentPort) throw new Error('worker.ts runs in a worker thread only')

let encoder: Encoder | undefined
answerCalls<EncoderCalls>(parentPort, {
  open: async (folder, threads) => {
    const opened = await Encoder.open(folder, threads)
    encoder = opened.encoder
    return { dimension: opened.dimension, hash: encoder.hash }
  },
  embed: async (texts) => {
    if (!encoder) throw new Error('no encoder is open')
    const vectors: Float32Array[] = []
    for (const text of texts) vectors.push(await encoder.vector(text))
    const width = vectors[0]?.length ?? 0
    const all = new Float32Array(vectors.length * width)
    for (const [i, vector] of vectors.entries()) all.set(vector, i * width)
    return all
  },
  close: async () => {
    await encoder?.close()
    return undefined
  },
})
