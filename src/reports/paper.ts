/**
 * The paper's figures (arXiv 2602.05842): success in percent of 7B and 8B models on the full benchmarks. They stand beside
 * a run for orientation and are never mixed with it.
 */

export type PaperRow =
  | 'base'
  | 'wmSft'
  | 'rwml'
  | 'policyRl'
  | 'wmSftPolicyRl'
  | 'rwmlPolicyRl'
  | 'imitation'
  | 'iwm'
  | 'sr'

export const PAPER_FIGURES: readonly { row: PaperRow; title: string; alfworld: string; tau2: string }[] = [
  { row: 'base', title: 'base (ReAct)', alfworld: '13.0', tau2: '31.9' },
  { row: 'wmSft', title: 'WM SFT', alfworld: '2.8', tau2: '27.9' },
  { row: 'rwml', title: 'RWML', alfworld: '32.6', tau2: '38.8' },
  { row: 'policyRl', title: 'Policy RL', alfworld: '81.0 ± 1.6', tau2: '38.0' },
  { row: 'wmSftPolicyRl', title: 'WM SFT → Policy RL', alfworld: '80.4', tau2: '40.3' },
  { row: 'rwmlPolicyRl', title: 'RWML → Policy RL', alfworld: '87.9 ± 1.6', tau2: '43.7 ± 2.1' },
  { row: 'imitation', title: 'Imitation learning', alfworld: '78.6 seen / 75.0 unseen', tau2: '44.2 ± 2.1' },
  { row: 'iwm', title: 'Implicit world modelling', alfworld: '77.9 / 82.3', tau2: '42.2' },
  { row: 'sr', title: 'Self-reflection', alfworld: '75.6 / 76.0', tau2: '42.2' },
]

export interface Claim {
  text: string
  /** The claim compares success of `better` with that of `worse`; null where it is about something else. */
  rows: { better: PaperRow; worse: PaperRow } | null
}

export const PAPER_CLAIMS: readonly Claim[] = [
  { text: 'RWML alone beats the base', rows: { better: 'rwml', worse: 'base' } },
  { text: 'WM SFT alone falls below the base', rows: { better: 'base', worse: 'wmSft' } },
  { text: 'RWML → Policy RL beats Policy RL', rows: { better: 'rwmlPolicyRl', worse: 'policyRl' } },
  { text: 'RWML → Policy RL beats WM SFT → Policy RL', rows: { better: 'rwmlPolicyRl', worse: 'wmSftPolicyRl' } },
  { text: 'RWML forgets less than WM SFT', rows: null },
  { text: 'RWML moves fewer weights than WM SFT', rows: null },
  { text: 'Stronger bases gain more', rows: null },
]

const PATTERNS: readonly [PaperRow, RegExp][] = [
  ['imitation', /imitation/i],
  ['iwm', /\biwm\b|implicit/i],
  ['sr', /self.?reflection/i],
]

/**
 * The paper's row that each arm corresponds to, null where it has none. Arms of one run build on each other: "after policy
 * RL" that follows world-model RL is the paper's "RWML → Policy RL".
 */
export function paperRows(arms: readonly string[]): (PaperRow | null)[] {
  let before: 'none' | 'rwml' | 'wmSft' = 'none'
  return arms.map((arm) => {
    const other = PATTERNS.find(([, pattern]) => pattern.test(arm))
    if (other) return other[0]
    if (/only/i.test(arm)) before = 'none'
    if (/rwml|world.?model.?rl/i.test(arm)) before = 'rwml'
    else if (/(wm|world.?model).?sft/i.test(arm)) before = 'wmSft'
    if (/policy.?rl/i.test(arm)) {
      return before === 'rwml' ? 'rwmlPolicyRl' : before === 'wmSft' ? 'wmSftPolicyRl' : 'policyRl'
    }
    if (/^base\b/i.test(arm)) return 'base'
    return before === 'none' ? null : before
  })
}
