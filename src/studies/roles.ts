import { type PaperRow, ROW_OF_CHAIN } from '../reports/index.ts'
import type { RegisteredArm, RegisteredStudy } from './registered.ts'
import { isMain } from './results.ts'

/** Which of the paper's methods an arm is. */
export type Role = PaperRow | 'rft'

/** By the sorts of the stages: the base has none. */
const BY_CHAIN: Readonly<Record<string, Role>> = { '': 'base', ...ROW_OF_CHAIN }

/** Methods that learn from chosen trajectories, by the last of their stages. */
const SUPERVISED: readonly [RegExp, Role][] = [
  [/expert actions and next states$/, 'iwm'],
  [/expert actions and reflections$/, 'sr'],
  [/expert actions$/, 'imitation'],
  [/own successes$/, 'rft'],
]

/** The paper's method that the chain of stages is, whatever its settings; null where it is none, or a variation of one. */
export function methodOfArm(arm: RegisteredArm): Role | null {
  const { stages } = arm
  if (stages.some(({ varied }) => varied) && !stages.some(({ sort }) => supervised(sort))) return null
  const last = stages.at(-1)
  const trained = last && supervised(last.sort)
  return trained || (BY_CHAIN[sortsOf(arm)] ?? null)
}

const supervised = (sort: string): Role | undefined => SUPERVISED.find(([pattern]) => pattern.test(sort))?.[1]

const sortsOf = ({ stages }: RegisteredArm): string => stages.map(({ sort }) => sort).join(' → ')

/** What a chain of such stages is held against: the first arm that is a method under the study's own settings. */
function firstOf({ arms }: RegisteredStudy, chain: RegisteredArm): RegisteredArm | null {
  const found = arms.find((one) => isMain(one) && methodOfArm(one) !== null && sortsOf(one) === sortsOf(chain))
  return found ?? null
}

/** The method that an arm stands for in the study: one of the same stages with other settings only varies the first of them. */
export function roleOf(study: RegisteredStudy, arm: RegisteredArm): Role | null {
  return firstOf(study, arm) === arm ? methodOfArm(arm) : null
}

/** The first arm that is the paper's method; null where the study has none. */
export function armFor(study: RegisteredStudy, role: Role): string | null {
  return study.arms.find((arm) => roleOf(study, arm) === role)?.arm ?? null
}

/** The arm that a variation is held against: the same sorts of stages, unvaried, under the study's own settings. */
export function unvaried(study: RegisteredStudy, varied: RegisteredArm): RegisteredArm | null {
  const first = firstOf(study, varied)
  return first === varied ? null : first
}

/** Its stages are those of the arm that it is held against, so that at most settings of its own vary. */
export function hasUsualStages(study: RegisteredStudy, arm: RegisteredArm): boolean {
  const first = firstOf(study, arm)
  return first === null || first.stages.every(({ text }, index) => text === arm.stages[index].text)
}

const CONTROL = /, (mismatched targets|coin flip|permuted advantages)$/

/** Names of the arms that do what another does with what is learned taken away, under the study's own settings. */
export function controlsOf({ arms }: RegisteredStudy, method: RegisteredArm): string[] {
  return arms
    .filter(
      (one) => isMain(one) && sortsOf(one) === sortsOf(method) && one.stages.some(({ title }) => CONTROL.test(title)),
    )
    .map(({ arm }) => arm)
}

/** Model folder of an arm that starts from another base than the study's; null for all others. */
export function otherBase({ worlds }: RegisteredStudy, { world }: RegisteredArm): string | null {
  const path = worlds[world]?.['model.path']
  return typeof path === 'string' ? path : null
}

/** Something is varied, in stages or settings, and it is not the base model. */
export function isVariation(study: RegisteredStudy, arm: RegisteredArm): boolean {
  return arm.stages.length > 0 && roleOf(study, arm) === null && otherBase(study, arm) === null
}
