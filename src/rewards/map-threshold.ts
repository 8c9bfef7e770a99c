import { quantile, UserError } from '../core/index.ts'
import type { Embedder } from '../embedders/index.ts'
import { pairDistances } from './calibrate.ts'
import type { StatePair } from './state-pairs.ts'

/** An embedder with a threshold that is known to be good for it, such as the paper's: 0.2 for Qwen3-Embedding-8B. */
export interface Yardstick {
  embedder: Embedder
  threshold: number
}

export interface MappedThreshold {
  threshold: number
  /** Of the pairs, those below either threshold. */
  share: number
}

/**
 * The threshold of one embedder as one of another, from the distances of the same pairs under both: as large a share of `to` lies
 * below it as of `from` lies below `threshold`. Between two distances it is interpolated, as numpy's quantile does.
 * @throws UserError where all pairs lie on one side, so that any threshold beyond them would do
 */
export function mapThreshold(threshold: number, from: readonly number[], to: readonly number[]): MappedThreshold {
  if (from.length === 0 || from.length !== to.length) {
    throw new UserError(
      `a threshold is mapped by distances of the same pairs: there are ${from.length} under the one embedder and ${to.length} under the other`,
    )
  }
  const share = from.filter((distance) => distance < threshold).length / from.length
  if (share === 0 || share === 1) {
    throw new UserError(
      `${share === 0 ? 'none' : 'all'} of ${from.length} pairs lie below ${threshold}, so nothing tells which threshold of another embedder that is: set reward.threshold`,
    )
  }
  const mapped = quantile(to, share)
  if (mapped > 0) return { threshold: mapped, share }
  throw new UserError(
    `the other embedder sees no difference in more of the ${to.length} pairs than lie below ${threshold}: it cannot tell these states apart`,
  )
}

/** The yardstick's threshold for another embedder, by pairs of states. @throws UserError */
export async function equivalentThreshold(
  { embedder: from, threshold }: Yardstick,
  to: Embedder,
  pairs: readonly StatePair[],
): Promise<MappedThreshold> {
  const texts = pairs.map(({ actual, other }): [string, string] => [actual, other])
  return mapThreshold(threshold, await pairDistances(from, texts), await pairDistances(to, texts))
}
