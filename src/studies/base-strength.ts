import { mean } from '../core/index.ts'
import type { RecordedArm } from './record.ts'
import { measuredArm, primaryOf, recordsOfArm, type StudyResults, success } from './results.ts'
import { hasUsualStages, methodOfArm, otherBase, type Role } from './roles.ts'

/** What one method gained from one base. */
export interface BaseGain {
  /** Name of the base's model. */
  base: string
  arm: string
  seeds: { seed: number; before: number; after: number }[]
}

/** Methods whose gain is compared over bases: the first of them that a study has under two bases. */
const METHODS: readonly Role[] = ['rwmlPolicyRl', 'rwml', 'policyRl']

/** The same method from several bases, the weakest base first; empty where the study has no two. */
export function baseGains(results: StudyResults): BaseGain[] {
  for (const method of METHODS) {
    const gains = gainsOf(results, method)
    if (gains.length > 1) return gains
  }
  return []
}

function gainsOf(results: StudyResults, method: Role): BaseGain[] {
  const { study } = results
  const split = primaryOf(results)
  if (split === null) return []
  const pick: (one: RecordedArm) => number | null = success(split)
  const isPlain = (world: string) => Object.keys(study.worlds[world] ?? {}).every((path) => path.startsWith('model.'))
  const seen = new Set<string>()
  const gains = study.arms
    .filter((arm) => methodOfArm(arm) === method && isPlain(arm.world) && hasUsualStages(study, arm))
    .flatMap((arm): BaseGain[] => {
      const records = recordsOfArm(results, arm.arm)
      const base = otherBase(study, arm) ?? records[0]?.model.name
      if (base === undefined || seen.has(base)) return []
      seen.add(base)
      const seeds = records.flatMap((record) => {
        const start = record.arms.find((one) => one.arm === 'base')
        const end = measuredArm(record, arm.arm)
        const [before, after] = [start && pick(start), end && pick(end)]
        return typeof before === 'number' && typeof after === 'number' ? [{ seed: record.seed, before, after }] : []
      })
      return seeds.length > 0 ? [{ base, arm: arm.arm, seeds }] : []
    })
  const strength = ({ seeds }: BaseGain) => mean(seeds.map(({ before }) => before))
  return gains.sort((a, b) => strength(a) - strength(b))
}
