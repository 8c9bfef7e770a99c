import type { Datum } from '../engines/index.ts'
import { aggregationWeights } from './aggregation.ts'
import type { GroupMember } from './data.ts'

/**
 * Cross-entropy on what the environment answered, beside a policy update: `coefficient` × the mean over those tokens, whatever
 * their episode earned. Empty where nothing is marked as observed.
 */
export function environmentData(groups: readonly (readonly GroupMember[])[], coefficient: number): Datum[] {
  const sequences = groups
    .flat()
    .flatMap(({ sequences, observed }) =>
      sequences.map(({ tokens }, index) => ({ tokens, mask: observed?.[index] ?? tokens.map(() => 0) })),
    )
  const weights = aggregationWeights(
    sequences.map(({ mask }) => mask),
    { kind: 'tokenMean' },
  )
  return sequences.flatMap(({ tokens, mask }, index) =>
    mask.includes(1) ? [{ tokens, weights: weights[index].map((weight) => coefficient * weight) }] : [],
  )
}
