import { formatDifference } from '../reports/index.ts'
import type { Difference } from './compare.ts'

export type ClaimVerdict = 'held' | 'not held' | 'undetectable here' | 'not tested'

export interface ClaimResult {
  claim: string
  verdict: ClaimVerdict
  /** The numbers it was decided by, or what is missing. */
  why: string
}

/** What a claim says of a difference. */
export interface Rule {
  claim: string
  says: 'above 0' | 'about 0'
  /** For `about 0`: differences up to this count as none. */
  margin?: number
  /** For `above 0`: true differences of less than this count as none; default `SMALLEST`. */
  smallest?: number
  /** Of the difference: a share is told in points. Default `share`. */
  unit?: 'share' | 'number'
  difference: Difference | null
  /** Arms that do the same with what is learned taken away. */
  controls?: ControlOf[]
  /** What the study would need. */
  missing: string
}

export interface ControlOf {
  arm: string
  /** Control minus the first arm of the claim, and the second arm minus the control. */
  rise: Difference | null
  beyond: Difference | null
}

/** A true difference of less than this counts as none [ours]: two points. */
export const SMALLEST = 0.02
/** Two methods within so much of each other do as well as each other [ours]: five points. */
const ALIKE = 0.05

/** By the rule; `corrected` is the p-value over all claims that could be tested, null where this one could not. */
export function decide(
  { claim, says, margin = ALIKE, smallest = SMALLEST, unit = 'share', difference, controls = [], missing }: Rule,
  corrected: number | null,
): ClaimResult {
  if (!difference) return { claim, verdict: 'not tested', why: missing }
  const { interval, seeds } = difference
  const text = (value: number) => formatDifference(value, unit).replace(' points', '')
  const words = unit === 'share' ? ' points' : ''
  const size = (value: number) => `${text(value).replace(/^[+±]/, '')}${words}`
  const range = interval ? `, 95 % ${text(interval.low)} to ${text(interval.high)}` : ''
  const numbers = `${text(difference.difference)}${words}${range}, ${seeds} ${seeds === 1 ? 'seed' : 'seeds'}`
  const as = (verdict: ClaimVerdict, more = '') => ({ claim, verdict, why: `${numbers}${more}` })
  if (!interval) return as('undetectable here', ': one seed says nothing of another')
  if (interval.low === interval.high) return as('undetectable here', ': no seed differs from another')
  if (says === 'about 0') {
    if (interval.low > -margin && interval.high < margin) return as('held', `: within ${size(margin)}`)
    const apart = interval.low > 0 || interval.high < 0
    return as(apart && Math.abs(difference.difference) >= margin ? 'not held' : 'undetectable here')
  }
  const found = corrected !== null && corrected < 0.05
  const p = corrected === null ? '' : `, p ${corrected < 0.001 ? '< 0.001' : corrected.toFixed(3)} (Holm)`
  if (found && difference.difference > 0) {
    const control = controls.find(explains)
    if (!control) return as('held', p)
    const beyond = `${text(control.beyond?.difference ?? 0)}${words}`
    return as(
      'undetectable here',
      `${p}; but the control ${control.arm} rises too (${text(control.rise!.difference)}${words}), and this is not found above it (${beyond})`,
    )
  }
  if (found) return as('not held', `${p}: the opposite`)
  if (interval.high < smallest) return as('not held', `: no room for ${size(smallest)}`)
  return as('undetectable here', p)
}

/** It rises as well, and the method is not found above it: by Student’s test, not corrected. */
function explains({ rise, beyond }: ControlOf): boolean {
  if (!rise || rise.difference <= 0) return false
  return !(beyond && beyond.difference > 0 && beyond.p !== null && beyond.p < 0.05)
}
