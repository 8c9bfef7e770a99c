import type { WorldModelResult } from '../result.ts'
import type { StageCost } from './cost.ts'
import type { Duplicates } from './duplicates.ts'
import type { HackingProbe } from './hacking.ts'
import type { RewardTest } from './reward-test.ts'
import type { GroupVariance } from './variance.ts'
import type { Verdict } from './verdict.ts'
import type { Visibility } from './visibility.ts'

/** Everything `rwml diagnose` finds: plain data, for tables and `--json`. */
export interface Diagnosis {
  run: string
  /** Training transitions looked at, and the tasks they come from. */
  transitions: number
  tasks: number
  verdict: Verdict
  visibility: { all: Visibility; byKind: Record<string, Visibility> }
  baselines: WorldModelResult[]
  duplicates: Duplicates
  /** Null where all next states are one text. */
  reward: RewardTest | null
  /** What each reward that the run could have had gives to predictions that know nothing. */
  hacking: HackingProbe[]
  /** Null where neither the filter ran nor predictions were drawn. */
  variance: GroupVariance | null
  cost: StageCost[]
}
