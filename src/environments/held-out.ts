import { Random, UserError } from '../core/index.ts'
import type { Environment } from './environment.ts'
import { overlaid } from './overlaid.ts'

/** Splits that evaluation looks for: tasks of the sort that training has, and of another. */
export const HELD_OUT = ['seen', 'unseen'] as const

/** What is to be said of splits that no stage looks at; null where there are none. */
export function unusedSplits(splits: readonly string[]): string | null {
  const unused = splits.filter((split) => split !== 'train' && !HELD_OUT.some((one) => one === split))
  if (unused.length === 0) return null
  const names = unused.map((split) => `"${split}"`).join(', ')
  return unused.length === 1
    ? `its split ${names} is not used: call it "seen" or "unseen" to evaluate on it`
    : `its splits ${names} are not used: call them "seen" or "unseen" to evaluate on them`
}

/** Of an environment that sets nothing apart itself. */
const SHARE = 0.1

/**
 * An environment that has something to evaluate on: as it is where it has a split `seen` or `unseen`, and else with a tenth of
 * its training tasks, chosen by their ids, as `unseen`. Of a single task nothing can be held out.
 * @throws UserError where there is no training task.
 */
export function withHeldOut(environment: Environment, warn: (message: string) => void): Environment {
  const { name } = environment
  const splits = environment.splits()
  const tasks = splits.includes('train') ? environment.tasks('train') : []
  if (tasks.length === 0) {
    throw new UserError(
      `${name} has no task to train on: splits() must name "train", and tasks("train") must list at least one task`,
    )
  }
  const unused = unusedSplits(splits)
  if (unused !== null) warn(`${name}: ${unused}`)
  if (HELD_OUT.some((split) => splits.includes(split))) return environment
  if (tasks.length === 1) {
    warn(`${name} has a single task and no split "unseen": nothing is held out, so nothing will be evaluated`)
    return environment
  }
  const order = new Random('held out', name).shuffle([...tasks].sort((a, b) => (a.id < b.id ? -1 : 1)))
  const held = new Set(order.slice(0, Math.max(1, Math.round(SHARE * tasks.length))).map(({ id }) => id))
  warn(`${name} has no split "unseen": ${held.size} of its ${tasks.length} training tasks are held out for evaluation`)
  /** Of the lists of `train`, what belongs to the given split; other splits stay as they are. */
  const part = <T>(split: string, list: (split: string) => T[], id: (one: T) => string): T[] => {
    if (split !== 'train' && split !== 'unseen') return list(split)
    return list('train').filter((one) => held.has(id(one)) === (split === 'unseen'))
  }
  const instead: Partial<Environment> = {
    splits: () => [...splits, 'unseen'],
    tasks: (split) => part(split, environment.tasks.bind(environment), ({ id }) => id),
  }
  const { recorded } = environment
  if (recorded) instead.recorded = (split) => part(split, recorded.bind(environment), ({ task }) => task.id)
  return overlaid(environment, instead)
}
