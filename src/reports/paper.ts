import type { StageWork } from '../evaluation/index.ts'
import { BASE } from '../stages/index.ts'

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

/** Its ablations of world-model RL: success in percent. */
export const PAPER_ABLATIONS: readonly { title: string; alfworld: string; tau2: string }[] = [
  { title: 'RWML', alfworld: '32.6', tau2: '38.8' },
  { title: 'No subsampling', alfworld: '30.2', tau2: '35.8' },
  { title: 'Reward by a judge, binary', alfworld: '', tau2: '35.8' },
  { title: 'Reward by a judge, continuous', alfworld: '', tau2: '37.8' },
]

/** Forgetting, in percent: scores of the base, of WM SFT and of RWML, trained on ALFWorld (IFEval: on τ²-bench). */
export const PAPER_FORGETTING: readonly {
  benchmark: string
  base: string
  wmSft: string
  rwml: string
}[] = [
  { benchmark: 'MMLU-Redux', base: '77.26', wmSft: '67.16', rwml: '74.88' },
  { benchmark: 'GPQA-Diamond', base: '32.83', wmSft: '25.25', rwml: '28.79' },
  { benchmark: 'LiveCodeBench', base: '19.23', wmSft: '15.38', rwml: '16.48' },
  { benchmark: 'MATH-500', base: '75.40', wmSft: '71.60', rwml: '75.40' },
  { benchmark: 'IFEval', base: '84.46', wmSft: '82.07', rwml: '83.36' },
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

/** Titles of the stages that trained an arm, from the base on. */
export const ROW_OF_CHAIN: Readonly<Record<string, PaperRow>> = {
  'World-model SFT': 'wmSft',
  'World-model RL': 'rwml',
  'Policy RL': 'policyRl',
  'World-model SFT → Policy RL': 'wmSftPolicyRl',
  'World-model RL → Policy RL': 'rwmlPolicyRl',
  'Supervised fine-tuning on expert actions': 'imitation',
  'Supervised fine-tuning on expert actions and next states': 'iwm',
  'Supervised fine-tuning on expert actions and reflections': 'sr',
}

interface NamedArm {
  arm: string
  control?: string
}

/**
 * The paper's row that each arm corresponds to, null where it has none: it is what the stages that trained it are, one starting
 * from the other. Controls and points of learning curves are nobody's row.
 * @param stages the run's records; where they are too old to say which stage left which arm, the names of the arms decide
 */
export function paperRows(arms: readonly NamedArm[], stages: readonly StageWork[] = []): (PaperRow | null)[] {
  const isRecorded = stages.some((stage) => stage.arms !== undefined && stage.arms.length > 0)
  return isRecorded ? arms.map((arm) => rowOfChain(arm, stages)) : rowsByName(arms)
}

function rowOfChain({ arm, control }: NamedArm, stages: readonly StageWork[]): PaperRow | null {
  if (control !== undefined) return null
  if (arm === BASE) return 'base'
  const titles: string[] = []
  let at = stages.findLastIndex(({ arms }) => arms?.at(-1) === arm)
  while (at >= 0) {
    const { title, from = BASE } = stages[at]
    titles.unshift(title)
    if (from === BASE) return ROW_OF_CHAIN[titles.join(' → ')] ?? null
    at = stages.slice(0, at).findLastIndex(({ name }) => name === from)
  }
  // No stage ended with it, or its chain leads out of this run: to another one's model.
  return null
}

const PATTERNS: readonly [PaperRow, RegExp][] = [
  ['imitation', /imitation/i],
  ['iwm', /\biwm\b|implicit/i],
  ['sr', /self.?reflection/i],
]

/** Arms build on each other: "after policy RL" that follows world-model RL is the paper's "RWML → Policy RL". */
function rowsByName(arms: readonly NamedArm[]): (PaperRow | null)[] {
  let before: 'none' | 'rwml' | 'wmSft' = 'none'
  return arms.map(({ arm, control }) => {
    if (control !== undefined || /interleaved|\brft\b|, step \d+$/i.test(arm)) return null
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
