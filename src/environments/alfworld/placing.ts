import { Random } from '../../core/index.ts'
import { expertPlan } from './expert.ts'
import { compileGame, type Game } from './game.ts'
import type { ProblemObject, ProblemReceptacle } from './problem.ts'
import { STANDS_IN } from './tables.ts'
import { World } from './world.ts'

/** A room while objects are put into it. */
export interface Furnished {
  receptacles: ProblemReceptacle[]
  canContain: Map<string, Set<string>>
  /** Receptacle → objects it holds already. */
  load: Map<string, number>
}

export interface PlaceOptions {
  /** Type of receptacle to keep clear of. */
  avoid?: string
  /** Any receptacle that can hold it, instead of where such things are kept. */
  anywhere: boolean
  /** A receptacle with so many objects gets no more. */
  most: number
  random: Random
}

/** Where an object of this type may stand: drawn by how often such objects stood where. Undefined when nowhere fits. */
export function placeAmong(room: Furnished, type: string, options: PlaceOptions): ProblemReceptacle | undefined {
  const { avoid, anywhere, most, random } = options
  const homes = STANDS_IN[type] ?? {}
  const canHold = (receptacle: ProblemReceptacle) => room.canContain.get(receptacle.type)?.has(type) === true
  const open: { receptacle: ProblemReceptacle; weight: number }[] = []
  for (const receptacle of room.receptacles) {
    if (receptacle.type === avoid || (room.load.get(receptacle.id) ?? 0) >= most) continue
    // The counts are per type: all drawers of a room share theirs.
    const weight = anywhere ? Number(canHold(receptacle)) : homes[receptacle.type]
    if (weight > 0) open.push({ receptacle, weight: anywhere ? weight : weight / countOf(room, receptacle.type) })
  }
  if (open.length > 0) return random.weighted(open, ({ weight }) => weight).receptacle
  if (anywhere) return undefined
  const possible = room.receptacles.filter((receptacle) => receptacle.type !== avoid && canHold(receptacle))
  return possible.length > 0 ? random.pick(possible) : undefined
}

function countOf({ receptacles }: Furnished, type: string): number {
  let count = 0
  for (const receptacle of receptacles) if (receptacle.type === type) count++
  return count
}

/**
 * A game with its movable objects in other plausible receptacles: same room, same task, still solvable and not yet won.
 * Objects that cannot be picked up stay, and so does an object for which no other receptacle fits. The game's identifier
 * gets the suffix `~seed`.
 */
export function shuffleObjects(game: Game, seed: number): Game {
  const { problem, rules, taskLine, help } = game
  for (let attempt = 0; attempt < 20; attempt++) {
    const random = new Random('alfworld shuffle', game.id, seed, attempt)
    const room: Furnished = { receptacles: problem.receptacles, canContain: problem.canContain, load: new Map() }
    const objects = problem.objects.map((object): ProblemObject => {
      if (!object.properties.has('pickupable') || object.inside.length === 0) return object
      const avoid = object.type === problem.goal.object ? problem.goal.receptacle : undefined
      const home = placeAmong(room, object.type, { avoid, anywhere: false, most: Number.POSITIVE_INFINITY, random })
      return home ? { ...object, inside: [home.id], locations: [home.location] } : object
    })
    const shuffled = compileGame({ id: `${game.id}~${seed}`, rules, problem: { ...problem, objects }, taskLine, help })
    const plan = expertPlan(new World(shuffled))
    if (plan && plan.length > 0) return shuffled
  }
  return game
}
