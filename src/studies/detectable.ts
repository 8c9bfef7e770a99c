import { detectableMeanDifference, detectablePairedDifference, UserError } from '../core/index.ts'
import { type Environment, HELD_OUT } from '../environments/index.ts'
import { partsOf } from '../methods/index.ts'
import type { Config } from '../stages/index.ts'
import type { StudyPlan } from './plan.ts'
import { EVALUATION, sortOf } from './sorts.ts'
import { armsOfStudy } from './study.ts'
import { evaluationOf } from './tree.ts'

/**
 * Standard deviation over seeds of the difference between two arms [ours]: five seeds of the miniature, whose differences between
 * methods varied by 2 to 6 points.
 */
const SPREAD = 0.05

/** Share of tasks that two arms of one seed solve differently [ours]: what the miniature's did. */
const DISCORDANT = 0.3

/** The smallest true difference that would be seen, 80 % of the time. */
export interface Detectable {
  seeds: number
  /** Tasks of the primary split; null where it has none. */
  tasks: number | null
  /** Were this the only comparison; null where it could not be seen at all. */
  alone: number | null
  /** Were all others seen or not, by Holm's correction at its hardest. */
  corrected: number | null
}

export interface DetectableBefore {
  comparisons: Detectable[]
  /** What it was computed from, as a sentence. */
  assumed: string
}

/**
 * What a study of this size would see, before it runs. @param spread of an earlier study, in place of the assumed one
 * @param warn where what is missing of an environment is told
 */
export function detectableBefore(
  { study, experiment, runs }: StudyPlan,
  spread: number | null,
  warn: (message: string) => void,
): DetectableBefore {
  const compared = study.compare ?? []
  const split = study.primary ?? 'unseen'
  const { config } = runs[0].resolved
  const { environment } = partsOf(config, experiment, warn)
  refuseUnknownSplit(study, environment)
  const there = environment.splits().includes(split) ? environment.tasks(split).length : 0
  const limit = tasksEvaluated(study, config)
  const tasks = there === 0 ? null : limit > 0 ? Math.min(limit, there) : there
  const own = typeof study.spread === 'number' ? study.spread / 100 : (spread ?? SPREAD)
  const source =
    typeof study.spread === 'number' ? "the study's own" : spread === null ? 'ours' : `that of ${study.spread}`
  const arms = new Map(armsOfStudy(study).map(({ arm, seeds }) => [arm, seeds]))
  return {
    comparisons: compared.map(([first, second]) => {
      const seeds = Math.min(arms.get(first)!, arms.get(second)!)
      const at = (alpha: number) => smallest(seeds, tasks, own, alpha)
      return { seeds, tasks, alone: at(0.05), corrected: at(0.05 / compared.length) }
    }),
    assumed: `differences of two arms vary over seeds by ${(100 * own).toFixed(1)} points (${source}), and ${100 * DISCORDANT} % of tasks end differently (ours)`,
  }
}

/** A split that no evaluation would measure, though the study is about it. */
function refuseUnknownSplit({ primary, evaluate }: StudyPlan['study'], environment: Environment): void {
  const looks = evaluationOf(evaluate).filter((stage) => sortOf(stage) === EVALUATION)
  if (primary === undefined || looks.length === 0) return
  const there = environment.splits()
  const measured = looks.flatMap(({ name, options }) => {
    const prefix = name === 'evaluate' ? '' : `${name} `
    const splits = (options.splits as string[] | undefined) ?? HELD_OUT.filter((split) => there.includes(split))
    // Another environment's are not known by their names here.
    if (options.environment !== undefined) return options.splits ? splits.map((one) => prefix + one) : [primary]
    return splits.filter((split) => there.includes(split)).map((one) => prefix + one)
  })
  if (!measured.includes(primary)) {
    throw new UserError(
      `primary is "${primary}", which no evaluation measures; there is ${measured.join(', ') || 'none'}`,
      2,
    )
  }
}

/** Differences over 1, which no two shares have, are null. */
function smallest(seeds: number, tasks: number | null, spread: number, alpha: number): number | null {
  // Of one seed's tasks alone: it says nothing of other seeds.
  if (seeds < 2) return tasks === null ? null : detectablePairedDifference(DISCORDANT, tasks, { alpha })
  const deviation = Math.sqrt(spread ** 2 + (tasks === null ? 0 : DISCORDANT / tasks))
  const found = detectableMeanDifference(deviation, seeds, { alpha })
  return found < 1 ? found : null
}

/** Most tasks of a split that the first evaluation plays; 0 = all. */
function tasksEvaluated({ evaluate }: StudyPlan['study'], config: Config): number {
  const [first] = evaluationOf(evaluate)
  const settings = first?.options.settings as Partial<Config['evaluate']> | undefined
  return settings?.tasks ?? config.evaluate.tasks
}
