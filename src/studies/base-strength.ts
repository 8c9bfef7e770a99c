import { mean } from '../core/index.ts'
import { type FromBase, fromBase, primaryOf, recordsOfArm, type StudyResults, success } from './results.ts'
import { hasUsualStages, methodOfArm, otherBase, type Role } from './roles.ts'

/** What one method gained from one base. */
export interface BaseGain {
  /** Name of the base's model. */
  base: string
  arm: string
  seeds: FromBase[]
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
  const isPlain = (world: string) => Object.keys(study.worlds[world] ?? {}).every((path) => path.startsWith('model.'))
  const seen = new Set<string>()
  const gains = study.arms
    .filter((arm) => methodOfArm(arm) === method && isPlain(arm.world) && hasUsualStages(study, arm))
    .flatMap((arm): BaseGain[] => {
      const base = otherBase(study, arm) ?? recordsOfArm(results, arm.arm)[0]?.model.name
      if (base === undefined || seen.has(base)) return []
      seen.add(base)
      const seeds = fromBase(results, arm.arm, success(split))
      return seeds.length > 0 ? [{ base, arm: arm.arm, seeds }] : []
    })
  const strength = ({ seeds }: BaseGain) => mean(seeds.map(({ before }) => before))
  return gains.sort((a, b) => strength(a) - strength(b))
}
