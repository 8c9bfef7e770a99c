import { hash32 } from '../../core/index.ts'
import { CLEAN, COOL, HOT, NOTHING, TOGGLED, type World } from './world.ts'

/**
 * A planner that sees the true state: for each way to reach the goal (which object, from where, by which appliance, to where)
 * it writes down the commands, and keeps the shortest list. It does not search command by command, so it answers in well
 * under a millisecond, from any state.
 */

/**
 * The commands that win the game from here; empty when it is won, null when no way is known.
 * Lists of equal length are told apart by a hash of the seed, so the same seed gives the same plan.
 */
export function expertPlan(world: World, seed = 0): string[] | null {
  if (world.isWon()) return []
  const best = new Shortest(seed)
  const start = new Route(world)
  if (world.held !== NOTHING && !isUseful(world, world.held)) {
    for (const drop of world.game.receptacles.keys()) {
      if (!start.canHold(drop, world.held)) continue
      const route = start.copy()
      route.put(world.held, drop)
      reachGoal(world, route, NOTHING, best)
    }
  } else reachGoal(world, start, world.held, best)
  return best.commands
}

/** The first command of `expertPlan`; null when the game is won or no way is known. */
export function nextExpertCommand(world: World, seed = 0): string | null {
  return expertPlan(world, seed)?.[0] ?? null
}

/** The held object can be one of those the goal asks for. */
function isUseful(world: World, held: number): boolean {
  const { goal, receptacles } = world.game
  if (!goal.isTarget[held]) return false
  return goal.kind === 'look' || goal.receptacles.some((receptacle) => receptacles[receptacle].holds[held] === 1)
}

function reachGoal(world: World, start: Route, held: number, best: Shortest): void {
  const { goal } = world.game
  if (goal.kind === 'look') {
    for (const { route } of fetches(world, start, held)) light(world, route, best)
    return
  }
  if (goal.kind === 'two') {
    for (const target of goal.receptacles) two(world, start, held, target, best)
    return
  }
  for (const { object, source, route } of fetches(world, start, held)) {
    for (const treated of treatments(world, route, object)) {
      for (const target of goal.receptacles) {
        // It started in two receptacles at once, and still counts as lying in the other.
        if (target !== source && world.contents[target].includes(object)) best.offer(treated)
        if (!treated.canHold(target, object)) continue
        const whole = treated.copy()
        whole.put(object, target)
        best.offer(whole)
      }
    }
  }
}

interface Fetch {
  object: number
  source: number
  route: Route
}

/** Every way to get a target into the hands: it is there already, or it is taken from where it lies. */
function* fetches(world: World, start: Route, held: number, avoid = NOTHING, except = NOTHING): Generator<Fetch> {
  if (held !== NOTHING) {
    yield { object: held, source: NOTHING, route: start }
    return
  }
  const { goal, objects, receptacles } = world.game
  for (const object of goal.objects) {
    if (object === except || !objects[object].pickupable) continue
    for (const receptacle of receptacles.keys()) {
      if (receptacle === avoid || !world.contents[receptacle].includes(object)) continue
      const route = start.copy()
      route.take(object, receptacle)
      yield { object, source: receptacle, route }
    }
  }
}

const TREATMENTS = {
  clean: { bit: CLEAN, appliance: 'sink' },
  heat: { bit: HOT, appliance: 'microwave' },
  cool: { bit: COOL, appliance: 'fridge' },
} as const

/** The route, made to heat, cool or clean the held object where the goal asks for it and the object is not so yet. */
function* treatments(world: World, route: Route, object: number): Generator<Route> {
  const { goal, receptacles } = world.game
  if (goal.kind === 'place' || goal.kind === 'two' || goal.kind === 'look') {
    yield route
    return
  }
  const { bit, appliance } = TREATMENTS[goal.kind]
  if (world.state[object] & bit) {
    yield route
    return
  }
  for (const [index, receptacle] of receptacles.entries()) {
    if (!receptacle[appliance]) continue
    const treated = route.copy()
    treated.treat(goal.kind, object, index)
    yield treated
  }
}

/** With the target in hand: switch a lamp on, or stand where one shines. */
function light(world: World, route: Route, best: Shortest): void {
  const { goal, receptacles } = world.game
  for (const lamp of goal.lamps) {
    for (const receptacle of receptacles.keys()) {
      if (!world.contents[receptacle].includes(lamp)) continue
      const whole = route.copy()
      whole.reach(receptacle)
      if (!(world.state[lamp] & TOGGLED)) whole.use(lamp)
      best.offer(whole)
    }
  }
}

/** Two targets into one receptacle: each time the one that takes fewest commands. */
function two(world: World, start: Route, held: number, target: number, best: Shortest): void {
  const { goal } = world.game
  const there = world.contents[target].find((object) => goal.isTarget[object] && object !== held) ?? NOTHING
  let route = start
  let previous = there
  for (let missing = there === NOTHING ? 2 : 1; missing > 0; missing--) {
    let nearest: Route | undefined
    let taken = NOTHING
    for (const { object, route: fetched } of fetches(world, route, held, target, previous)) {
      if (!fetched.canHold(target, object)) continue
      const placed = fetched.copy()
      placed.put(object, target)
      if (nearest && placed.commands.length >= nearest.commands.length) continue
      nearest = placed
      taken = object
    }
    if (!nearest) return
    route = nearest
    previous = taken
    held = NOTHING
  }
  best.offer(route)
}

/** A list of commands under construction, with what it changes that later commands depend on: the place and the doors. */
class Route {
  readonly commands: string[]
  private readonly world: World
  private location: number
  private readonly opened: number[]

  constructor(world: World, location = world.location, commands: string[] = [], opened: number[] = []) {
    this.world = world
    this.location = location
    this.commands = commands
    this.opened = opened
  }

  copy(): Route {
    return new Route(this.world, this.location, [...this.commands], [...this.opened])
  }

  canHold(receptacle: number, object: number): boolean {
    return this.world.game.receptacles[receptacle].holds[object] === 1
  }

  reach(receptacle: number): void {
    const { name, location } = this.world.game.receptacles[receptacle]
    // There is no `go to` between receptacles at one place, and none is needed.
    if (location !== this.location) this.commands.push(`go to ${name}`)
    this.location = location
  }

  take(object: number, receptacle: number): void {
    this.open(receptacle)
    this.commands.push(`take ${this.nameOf(object)} from ${this.world.game.receptacles[receptacle].name}`)
  }

  put(object: number, receptacle: number): void {
    this.open(receptacle)
    const { verb, between } = this.world.game.rules.put
    this.commands.push(`${verb} ${this.nameOf(object)}${between}${this.world.game.receptacles[receptacle].name}`)
  }

  treat(verb: 'clean' | 'heat' | 'cool', object: number, receptacle: number): void {
    this.reach(receptacle)
    this.commands.push(`${verb} ${this.nameOf(object)} with ${this.world.game.receptacles[receptacle].name}`)
  }

  use(lamp: number): void {
    this.commands.push(`use ${this.nameOf(lamp)}`)
  }

  private open(receptacle: number): void {
    this.reach(receptacle)
    if (this.world.isAccessible(receptacle) || this.opened.includes(receptacle)) return
    this.opened.push(receptacle)
    this.commands.push(`open ${this.world.game.receptacles[receptacle].name}`)
  }

  private nameOf(object: number): string {
    return this.world.game.objects[object].name
  }
}

/** The shortest route offered so far; among equals, the one with the smallest hash of seed and order of arrival. */
class Shortest {
  commands: string[] | null = null
  private readonly seed: number
  private offers = 0
  private hash = 0

  constructor(seed: number) {
    this.seed = seed
  }

  offer({ commands }: Route): void {
    const hash = hash32(this.seed, this.offers++)
    const shorter = !this.commands || commands.length < this.commands.length
    if (shorter || (commands.length === this.commands?.length && hash < this.hash)) {
      this.commands = commands
      this.hash = hash
    }
  }
}
