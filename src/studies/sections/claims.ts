import { cell, left, type Section, type Tone } from '../../reports/index.ts'
import type { ClaimVerdict } from '../claim-rule.ts'
import { claimsOf } from '../claims.ts'
import type { StudyResults } from '../results.ts'
import { paragraph } from './words.ts'

const TONES: Record<ClaimVerdict, Tone> = {
  held: 'good',
  'not held': 'bad',
  'undetectable here': 'quiet',
  'not tested': 'quiet',
}

/** The paper's claims, each by its rule. */
export function claimsSection(results: StudyResults): Section {
  const claims = claimsOf(results)
  return {
    id: 'claims',
    title: 'The paper’s claims',
    blocks: [
      paragraph(
        'Held: as claimed, found by Student’s test over seeds, corrected (Holm) over all claims tested here; of “about as well”, an interval within five points of none. Not held: the opposite is found, or the interval leaves no room for two points (of weights: a tenth). What a control of RWML gains as well is not held. All else is undetectable in a study of this size.',
      ),
      {
        block: 'table',
        columns: [left('Claim'), left('Here'), left('By')],
        rows: claims.map(({ claim, verdict, why }) => [cell(claim), cell(verdict, TONES[verdict]), cell(why, 'quiet')]),
      },
    ],
  }
}
