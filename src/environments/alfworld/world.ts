import type { Game } from './game.ts'

/** Bits of an object's state. */
export const CLEAN = 1
export const HOT = 2
export const COOL = 4
export const SLICED = 8
export const TOGGLED = 16

/** No object in the agent's hands. */
export const NOTHING = -1

/**
 * The changing part of a household. Lists are sorted by object, which is the order of the texts.
 *
 * Two notes exist only because upstream's planner state has them, and texts depend on them: `at` is kept apart from
 * `contents` (an object that starts in two receptacles leaves only one of them when taken), and `removed` remembers what was
 * ever taken out of a receptacle and not put back.
 */
export class World {
  readonly game: Game
  location: number
  held = NOTHING
  readonly opened: Uint8Array
  /** Receptacle → objects in or on it. */
  readonly contents: number[][]
  /** Location → objects noted there. */
  readonly at: number[][]
  /** Receptacle → objects taken from it and not put back. */
  readonly removed: number[][]
  /** Object → bits. */
  readonly state: Uint8Array

  constructor(game: Game) {
    this.game = game
    this.location = game.start
    this.opened = new Uint8Array(game.receptacles.length)
    this.contents = game.receptacles.map(() => [])
    this.at = game.locations.map(() => [])
    this.removed = game.receptacles.map(() => [])
    this.state = new Uint8Array(game.objects.length)
    for (const [index, object] of game.objects.entries()) {
      for (const receptacle of object.inside) this.contents[receptacle].push(index)
      for (const location of object.locations) this.at[location].push(index)
      if (object.cool) this.state[index] = COOL
    }
  }

  /** An independent copy, for planning. */
  clone(): World {
    const copy = new World(this.game)
    copy.location = this.location
    copy.held = this.held
    copy.opened.set(this.opened)
    copy.state.set(this.state)
    for (const key of ['contents', 'at', 'removed'] as const) {
      for (const [index, list] of this[key].entries()) copy[key][index] = [...list]
    }
    return copy
  }

  /** The agent stands at the receptacle. */
  isHere(receptacle: number): boolean {
    return this.game.receptacles[receptacle].location === this.location
  }

  /** Its contents can be reached: it has no door, or the door is open. */
  isAccessible(receptacle: number): boolean {
    return !this.game.receptacles[receptacle].openable || this.opened[receptacle] === 1
  }

  /** `take object from receptacle`: only this one place forgets the object. */
  take(object: number, receptacle: number): void {
    remove(this.contents[receptacle], object)
    remove(this.at[this.location], object)
    insert(this.removed[receptacle], object)
    this.held = object
  }

  /** `move object to receptacle`. */
  put(object: number, receptacle: number): void {
    insert(this.contents[receptacle], object)
    insert(this.at[this.location], object)
    remove(this.removed[receptacle], object)
    this.held = NOTHING
  }

  /** Does the goal hold? */
  isWon(): boolean {
    const { goal } = this.game
    if (goal.kind === 'look') {
      return this.held !== NOTHING && goal.isTarget[this.held] === 1 && goal.lamps.some((lamp) => this.shines(lamp))
    }
    const needed = goal.kind === 'clean' ? CLEAN : goal.kind === 'heat' ? HOT : goal.kind === 'cool' ? COOL : 0
    const count = goal.kind === 'two' ? 2 : 1
    for (const receptacle of goal.receptacles) {
      let found = 0
      for (const object of this.contents[receptacle]) {
        if (goal.isTarget[object] && (this.state[object] & needed) === needed) found++
      }
      if (found >= count) return true
    }
    return false
  }

  /** The lamp is on, in a receptacle where the agent stands. */
  shines(lamp: number): boolean {
    if (!(this.state[lamp] & TOGGLED)) return false
    return this.game.locations[this.location].receptacles.some((here) => this.contents[here].includes(lamp))
  }
}

/** Add to a sorted list that may already hold the value. */
function insert(list: number[], value: number): void {
  let at = list.length
  while (at > 0 && list[at - 1] >= value) at--
  if (list[at] !== value) list.splice(at, 0, value)
}

function remove(list: number[], value: number): void {
  const at = list.indexOf(value)
  if (at >= 0) list.splice(at, 1)
}
