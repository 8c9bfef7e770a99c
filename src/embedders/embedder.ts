/** Texts to vectors. An embedder is frozen: the same text has the same vector, whatever else is embedded with it. */
export interface Embedder {
  /** Names the model in run folders and tables. */
  readonly name: string
  /** Trained to place texts by meaning. False for lexical stand-ins, which only see shared words. */
  readonly semantic: boolean
  /** One vector a text, in order, all of one length. */
  embed(texts: readonly string[]): Promise<Float32Array[]>
}

/**
 * `1 − cos(a, b)`, in [0, 2]. A zero vector has no direction: it is 1 away from any other, and 0 from another zero.
 * How far apart two different states lie depends on the embedder; a threshold must be calibrated for each one.
 */
export function cosineDistance(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) throw new Error(`vectors of ${a.length} and ${b.length} numbers cannot be compared`)
  let dot = 0
  let squareA = 0
  let squareB = 0
  for (let i = 0; i < a.length; i++) {
    dot += a[i] * b[i]
    squareA += a[i] * a[i]
    squareB += b[i] * b[i]
  }
  if (squareA === 0 || squareB === 0) return squareA === squareB ? 0 : 1
  return Math.min(2, Math.max(0, 1 - dot / Math.sqrt(squareA * squareB)))
}
