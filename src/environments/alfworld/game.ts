import { UserError } from '../../core/index.ts'
import { compareIds, displayNames, listWithArticles } from './names.ts'
import type { Goal, Problem } from './problem.ts'
import type { Rules } from './rules.ts'

/**
 * A household compiled for play: objects, receptacles and locations are integers (in the order of their identifiers, which
 * is the order of every list in a text), their names are ready strings. Never changes; any number of episodes share it.
 */
export interface Game {
  readonly id: string
  readonly rules: Rules
  readonly problem: Problem
  /** What the intro states after `Your task is to: `, full stop included. */
  readonly taskLine: string
  readonly help: string
  readonly walkthrough?: string[]
  readonly objects: readonly GameObject[]
  readonly receptacles: readonly GameReceptacle[]
  /** Location → its display name, the receptacles there, and the sorted `go to` commands possible from there. */
  readonly locations: readonly GameLocation[]
  readonly start: number
  readonly goal: CompiledGoal
  readonly objectByName: ReadonlyMap<string, number>
  readonly receptacleByName: ReadonlyMap<string, number>
}

export interface GameObject {
  id: string
  name: string
  /** Lower case, without the suffix `Type`. */
  type: string
  pickupable: boolean
  container: boolean
  cleanable: boolean
  heatable: boolean
  coolable: boolean
  sliceable: boolean
  toggleable: boolean
  /** A knife that can slice. */
  sharp: boolean
  cool: boolean
  /** Locations and receptacles it starts at, as integers. */
  locations: number[]
  inside: number[]
  /** The list text of what is inside the object. */
  inner: string
}

export interface GameReceptacle {
  id: string
  name: string
  type: string
  openable: boolean
  location: number
  sink: boolean
  microwave: boolean
  fridge: boolean
  /** By object: 1 where the receptacle's type can hold the object's. */
  holds: Uint8Array
}

export interface GameLocation {
  name: string
  receptacles: number[]
  goCommands: string[]
}

export interface CompiledGoal extends Goal {
  /** Objects (lamps) and receptacles of the goal's types, with the affordance that its state needs. */
  objects: number[]
  isTarget: Uint8Array
  receptacles: number[]
  lamps: number[]
}

export interface GameParts {
  id: string
  rules: Rules
  problem: Problem
  taskLine: string
  help: string
  walkthrough?: string[]
}

/** @throws UserError when the problem refers to a receptacle or location it does not describe. */
export function compileGame({ id, rules, problem, taskLine, help, walkthrough }: GameParts): Game {
  const objectSpecs = [...problem.objects].sort((a, b) => compareIds(a.id, b.id))
  const receptacleSpecs = [...problem.receptacles].sort((a, b) => compareIds(a.id, b.id))
  const locationIds = new Set([problem.start])
  for (const { location, id } of receptacleSpecs) {
    if (!location) throw new UserError(`the receptacle ${id} stands nowhere (receptacleAtLocation)`)
    locationIds.add(location)
  }
  for (const { locations } of objectSpecs) for (const location of locations) locationIds.add(location)
  const sortedLocations = [...locationIds].sort(compareIds)
  const names = displayNames([
    ...objectSpecs.map((object) => object.id),
    ...receptacleSpecs.map((receptacle) => receptacle.id),
    ...sortedLocations,
  ])
  const nameOf = (key: string) => names.get(key) ?? key
  const locationIndex = new Map(sortedLocations.map((key, index) => [key, index]))
  const receptacleIndex = new Map(receptacleSpecs.map((spec, index) => [spec.id, index]))
  const objects = objectSpecs.map((spec): GameObject => {
    const has = spec.properties
    const type = spec.type.toLowerCase()
    return {
      id: spec.id,
      name: nameOf(spec.id),
      type,
      pickupable: has.has('pickupable'),
      container: has.has('isReceptacleObject'),
      cleanable: has.has('cleanable'),
      heatable: has.has('heatable'),
      coolable: has.has('coolable'),
      sliceable: has.has('sliceable'),
      toggleable: has.has('toggleable'),
      sharp: type === 'knife' || type === 'butterknife',
      cool: spec.cool,
      locations: spec.locations.map((key) => locationIndex.get(key) as number),
      inside: spec.inside.map((key) => {
        const index = receptacleIndex.get(key)
        if (index === undefined)
          throw new UserError(`${spec.id} lies in ${key}, which is no receptacle of the household`)
        return index
      }),
      inner: listWithArticles([...spec.inner].sort(compareIds).map(nameOf)),
    }
  })
  const holdsByType = new Map<string, Uint8Array>()
  const receptacles = receptacleSpecs.map((spec): GameReceptacle => {
    let holds = holdsByType.get(spec.type)
    if (!holds) {
      const types = problem.canContain.get(spec.type)
      holds = Uint8Array.from(objectSpecs, (object) => (types?.has(object.type) ? 1 : 0))
      holdsByType.set(spec.type, holds)
    }
    const type = spec.type.toLowerCase()
    return {
      id: spec.id,
      name: nameOf(spec.id),
      type,
      openable: spec.openable,
      location: locationIndex.get(spec.location) as number,
      sink: type === 'sinkbasin' || type === 'sink',
      microwave: type === 'microwave',
      fridge: type === 'fridge',
      holds,
    }
  })
  const goOrder = receptacles
    .map(({ name, location }) => ({ command: `go to ${name}`, location }))
    .sort((a, b) => (a.command < b.command ? -1 : 1))
  const locations = sortedLocations.map(
    (key, index): GameLocation => ({
      name: nameOf(key),
      receptacles: receptacles.flatMap(({ location }, at) => (location === index ? [at] : [])),
      goCommands: goOrder.filter(({ location }) => location !== index).map(({ command }) => command),
    }),
  )
  return {
    id,
    rules,
    problem,
    taskLine,
    help,
    walkthrough: walkthrough?.map((command) => inDisplayNames(command, names)),
    objects,
    receptacles,
    locations,
    start: locationIndex.get(problem.start) as number,
    goal: compileGoal(problem.goal, objects, receptacles),
    objectByName: new Map(objects.map(({ name }, index) => [name, index])),
    receptacleByName: new Map(receptacles.map(({ name }, index) => [name, index])),
  }
}

/** Walkthroughs of some splits name things by raw identifier. */
function inDisplayNames(command: string, names: ReadonlyMap<string, string>): string {
  if (!command.includes('_bar_')) return command
  const lower = new Map([...names].map(([id, name]) => [id.toLowerCase(), name]))
  return command
    .split(' ')
    .map((word) => lower.get(word.toLowerCase()) ?? word)
    .join(' ')
}

function compileGoal(goal: Goal, objects: GameObject[], receptacles: GameReceptacle[]): CompiledGoal {
  const indices = <T extends { type: string }>(items: T[], type: string | undefined, ok: (item: T) => boolean) =>
    items.flatMap((item, index) => (item.type === type?.toLowerCase() && ok(item) ? [index] : []))
  const affords = (object: GameObject) =>
    goal.kind === 'clean'
      ? object.cleanable
      : goal.kind === 'heat'
        ? object.heatable
        : goal.kind === 'cool'
          ? object.coolable
          : true
  const targets = indices(objects, goal.object, affords)
  const isTarget = new Uint8Array(objects.length)
  for (const target of targets) isTarget[target] = 1
  return {
    ...goal,
    objects: targets,
    isTarget,
    receptacles: indices(receptacles, goal.receptacle, () => true),
    lamps: indices(objects, goal.lamp, (object) => object.toggleable),
  }
}
