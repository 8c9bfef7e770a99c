/**
 * How the losses of single tokens become one number. The engine only sums weight × loss; these are the weights.
 * Sequences that teach nothing (zero-variance groups) stay in every denominator: leaving them out would make the step
 * larger the fewer groups vary, which is a learning rate that nobody set.
 */
export type Aggregation =
  /** Every trained token of the batch counts the same; weights sum to 1. Long sequences weigh more. */
  | { kind: 'tokenMean' }
  /** Every sequence with trained tokens counts the same, its tokens share its part; weights sum to 1. */
  | { kind: 'sequenceMean' }
  /** Each token 1 / (sequences × tokens): no length in the denominator. `tokens` is the longest sample allowed. */
  | { kind: 'fixedDenominator'; tokens: number }

/**
 * Weights along each sequence from masks along each sequence. A mask holds 0 (not trained) or 1; other positive values
 * weigh a token more or less, and then stand for that many tokens in the denominator.
 */
export function aggregationWeights(masks: readonly (readonly number[])[], aggregation: Aggregation): number[][] {
  const totals = masks.map((mask) => {
    if (mask.some((value) => !(value >= 0 && Number.isFinite(value))))
      throw new Error('a mask holds 0 or positive numbers')
    return mask.reduce((sum, value) => sum + value, 0)
  })
  const sequences = totals.filter((total) => total > 0).length
  const tokens = totals.reduce((sum, total) => sum + total, 0)
  return masks.map((mask, index) => {
    const denominator = denominatorOf(aggregation, { tokens, sequences, own: totals[index] })
    return mask.map((value) => (value === 0 ? 0 : value / denominator))
  })
}

function denominatorOf(
  aggregation: Aggregation,
  { tokens, sequences, own }: { tokens: number; sequences: number; own: number },
): number {
  switch (aggregation.kind) {
    case 'tokenMean':
      return tokens
    case 'sequenceMean':
      return sequences * own
    case 'fixedDenominator':
      if (!(aggregation.tokens > 0)) throw new Error('fixedDenominator needs a positive number of tokens')
      return sequences * aggregation.tokens
  }
}
