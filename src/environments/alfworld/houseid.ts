import { UserError } from '../../core/index.ts'
import { HOUSE_SPLITS, type HouseSize, type HouseSplit } from './layout.ts'
import { type GoalKind, TASK_TYPES } from './problem.ts'

/** Everything that a generated household depends on. */
export interface HouseOptions {
  seed: number
  size: HouseSize
  split: HouseSplit
  /** Task kinds to choose from; all six, weighted as in ALFWorld, when absent. */
  kinds?: GoalKind[]
  /** Share of the objects that stand in any receptacle that can hold them, instead of where such things are kept. */
  shuffle?: number
}

/** The identifier of a generated household. */
export function houseId({ seed, size, split, kinds, shuffle }: HouseOptions): string {
  const some = kinds ? `-${kinds.join('+')}` : ''
  return `generated-${size}${some}${shuffle ? `-shuffle${shuffle}` : ''}/${split}/${seed}`
}

const HOUSE_ID = /^generated-(small|full)(?:-([a-z+]+))?(?:-shuffle([\d.e-]+))?\/([a-z]+)\/(\d+)$/

/**
 * The options in a generated household's identifier; undefined for other identifiers.
 * @throws UserError for one that names a split, kind, share or seed that there is not.
 */
export function houseOptions(id: string): HouseOptions | undefined {
  const match = HOUSE_ID.exec(id)
  if (!match) return undefined
  const [, size, some, shuffle, split, seed] = match
  const kinds = some?.split('+') as GoalKind[] | undefined
  const share = shuffle === undefined ? undefined : Number(shuffle)
  const known =
    HOUSE_SPLITS.includes(split as HouseSplit) &&
    (kinds ?? []).every((kind) => Object.hasOwn(TASK_TYPES, kind)) &&
    (share === undefined || (share > 0 && share <= 1)) &&
    Number.isSafeInteger(Number(seed))
  if (!known) throw new UserError(`no generated household is called ${id}`)
  return {
    seed: Number(seed),
    size: size as HouseOptions['size'],
    split: split as HouseSplit,
    kinds,
    shuffle: share,
  }
}
