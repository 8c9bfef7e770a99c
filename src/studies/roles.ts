import type { PaperRow } from '../reports/index.ts'
import type { RegisteredArm, RegisteredStudy } from './registered.ts'
import { isMain } from './results.ts'

/** Which of the paper's methods an arm is. */
export type Role = PaperRow | 'rft'

const BY_CHAIN: Record<string, Role> = {
  '': 'base',
  'World-model SFT': 'wmSft',
  'World-model RL': 'rwml',
  'Policy RL': 'policyRl',
  'World-model SFT → Policy RL': 'wmSftPolicyRl',
  'World-model RL → Policy RL': 'rwmlPolicyRl',
}

/** Methods that learn from chosen trajectories, by the last of their stages. */
const SUPERVISED: readonly [RegExp, Role][] = [
  [/expert actions and next states$/, 'iwm'],
  [/expert actions and reflections$/, 'sr'],
  [/expert actions$/, 'imitation'],
  [/own successes$/, 'rft'],
]

/** The paper's method that the chain of stages is, whatever its settings; null where it is none, or a variation of one. */
export function methodOfArm({ stages }: RegisteredArm): Role | null {
  if (stages.some(({ varied }) => varied) && !stages.some(({ sort }) => supervised(sort))) return null
  const last = stages.at(-1)
  const trained = last && supervised(last.sort)
  return trained || (BY_CHAIN[stages.map(({ sort }) => sort).join(' → ')] ?? null)
}

const supervised = (sort: string): Role | undefined => SUPERVISED.find(([pattern]) => pattern.test(sort))?.[1]

/** The same under the study's own settings. */
export const roleOf = (arm: RegisteredArm): Role | null => (isMain(arm) ? methodOfArm(arm) : null)

/** The first arm that is the paper's method; null where the study has none. */
export function armFor({ arms }: RegisteredStudy, role: Role): string | null {
  return arms.find((arm) => roleOf(arm) === role)?.arm ?? null
}

/** The arm that a variation is held against: the same sorts of stages, unvaried, under the study's own settings. */
export function unvaried({ arms }: RegisteredStudy, varied: RegisteredArm): RegisteredArm | null {
  const sorts = (arm: RegisteredArm) => arm.stages.map(({ sort }) => sort).join(' → ')
  const found = arms.find((arm) => arm !== varied && roleOf(arm) !== null && sorts(arm) === sorts(varied))
  return found ?? null
}

/** Model folder of an arm that starts from another base than the study's; null for all others. */
export function otherBase({ worlds }: RegisteredStudy, { world }: RegisteredArm): string | null {
  const path = worlds[world]?.['model.path']
  return typeof path === 'string' ? path : null
}

/** Something is varied, in stages or settings, and it is not the base model. */
export function isVariation(study: RegisteredStudy, arm: RegisteredArm): boolean {
  return arm.stages.length > 0 && roleOf(arm) === null && otherBase(study, arm) === null
}
