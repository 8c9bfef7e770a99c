import { quantile, sd, UserError } from '../core/index.ts'
import { differencesOf } from './compare.ts'
import { loadStudyResults, primaryOf } from './results.ts'

/**
 * How much differences between two arms varied over seeds in a study that has run: the median over its comparisons.
 * @throws UserError where it holds none of two seeds
 */
export function observedSpread(out: string): number {
  const results = loadStudyResults(out)
  const split = primaryOf(results)
  const spreads = results.study.compare.flatMap((question) => {
    const differences = split === null ? [] : differencesOf(results, question, split)
    return differences.length > 1 ? [sd(differences)] : []
  })
  if (spreads.length === 0) throw new UserError(`${out} compares no arms on two seeds: say spread in points instead`)
  return quantile(spreads, 0.5)
}
