import { UserError } from '../../core/index.ts'

/** How the vectors of a text's tokens become the text's: their mean, the first one, or the last one. */
export type Pooling = 'mean' | 'cls' | 'last'

/** The vector of a text, scaled to length 1, from those of its tokens: one row a token. @throws UserError where it has no direction */
export function pooled(rows: Float32Array, width: number, pooling: Pooling): Float32Array {
  const tokens = rows.length / width
  const vector = new Float32Array(width)
  if (pooling === 'mean') {
    for (let token = 0; token < tokens; token++) {
      for (let i = 0; i < width; i++) vector[i] += rows[token * width + i]
    }
  } else vector.set(rows.subarray(pooling === 'cls' ? 0 : rows.length - width).subarray(0, width))
  let square = 0
  for (const value of vector) square += value * value
  if (!(square > 0 && Number.isFinite(square))) {
    throw new UserError('the encoder gives a vector without a direction (all zero, or not finite)')
  }
  const scale = 1 / Math.sqrt(square)
  for (let i = 0; i < width; i++) vector[i] *= scale
  return vector
}
