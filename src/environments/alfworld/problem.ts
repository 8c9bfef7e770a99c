import { UserError } from '../../core/index.ts'

/**
 * The initial facts and the goal of one household, in the terms of ALFWorld's planning problems. Identifiers keep the
 * spelling of the file; everything that compares or sorts them uses lower case.
 */
export interface Problem {
  name: string
  objects: ProblemObject[]
  receptacles: ProblemReceptacle[]
  /** Receptacle type → object types it can hold, e.g. `Fridge` → `Apple`, `Mug`. */
  canContain: Map<string, Set<string>>
  /** Where the agent starts. */
  start: string
  goal: Goal
}

export interface ProblemObject {
  id: string
  /** Without the suffix `Type`: `Apple`. */
  type: string
  properties: Set<Property>
  cool: boolean
  /** Locations the object is noted at; one in nearly every game, none or several in a few. */
  locations: string[]
  /** Receptacles that hold it; an object may start in two at once. */
  inside: string[]
  /** Objects inside this one (a fork in a mug): shown by `examine`, never movable. */
  inner: string[]
}

export interface ProblemReceptacle {
  id: string
  type: string
  openable: boolean
  location: string
}

const PROPERTIES = {
  pickupable: true,
  isReceptacleObject: true,
  cleanable: true,
  coolable: true,
  heatable: true,
  sliceable: true,
  toggleable: true,
} as const
export type Property = keyof typeof PROPERTIES

export const GOAL_KINDS = ['place', 'look', 'clean', 'heat', 'cool', 'two'] as const
export type GoalKind = (typeof GOAL_KINDS)[number]

/** `receptacle` is the target of the place kinds, `lamp` that of `look`. Types without the suffix `Type`. */
export interface Goal {
  kind: GoalKind
  object: string
  receptacle?: string
  lamp?: string
}

/** ALFRED's names of the task types, as they stand in `traj_data.json` and in folder names. */
export const TASK_TYPES: Record<GoalKind, string> = {
  place: 'pick_and_place_simple',
  look: 'look_at_obj_in_light',
  clean: 'pick_clean_then_place_in_recep',
  heat: 'pick_heat_then_place_in_recep',
  cool: 'pick_cool_then_place_in_recep',
  two: 'pick_two_obj_and_place',
}

const withoutSuffix = (type: string) => (type.endsWith('Type') ? type.slice(0, -4) : type)

/** Arguments of the facts that are read. */
const ARITY: ReadonlyMap<string, number> = new Map([
  ...Object.keys(PROPERTIES).map((property): [string, number] => [property, 1]),
  ['isCool', 1],
  ['openable', 1],
  ['canContain', 2],
  ['objectType', 2],
  ['objectAtLocation', 2],
  ['inReceptacle', 2],
  ['inReceptacleObject', 2],
  ['receptacleType', 2],
  ['receptacleAtLocation', 2],
  ['atLocation', 2],
])

/** Every `(word argument…)` without nested parentheses, in order. @throws UserError where an argument is missing. */
function* flatFacts(text: string): Generator<string[]> {
  const pattern = /\(([^()]+)\)/g
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const words = match[1].trim().split(/\s+/)
    if (words.length - 1 < (ARITY.get(words[0]) ?? 0)) {
      throw new UserError(`the planning problem states "(${words.join(' ')})", which lacks an argument`)
    }
    yield words
  }
}

/**
 * Read a planning problem of ALFWorld. Objects that only occur in `:objects` are left out: they play no part.
 * @throws UserError when the text is no such problem or its goal is none of the six kinds.
 */
export function parseProblem(text: string): Problem {
  const initAt = text.indexOf('(:init')
  const goalAt = text.indexOf('(:goal', initAt)
  if (initAt < 0 || goalAt < 0) throw new UserError('the planning problem has no (:init …) followed by a (:goal …)')
  const objects = new Map<string, ProblemObject>()
  const receptacles = new Map<string, ProblemReceptacle>()
  const canContain = new Map<string, Set<string>>()
  let start = ''
  const object = (id: string) => {
    let found = objects.get(id)
    if (!found) {
      found = { id, type: '', properties: new Set(), cool: false, locations: [], inside: [], inner: [] }
      objects.set(id, found)
    }
    return found
  }
  const receptacle = (id: string) => {
    let found = receptacles.get(id)
    if (!found) {
      found = { id, type: '', openable: false, location: '' }
      receptacles.set(id, found)
    }
    return found
  }
  const addOnce = (list: string[], id: string) => {
    if (!list.includes(id)) list.push(id)
  }
  for (const [predicate, first, second] of flatFacts(text.slice(initAt + 6, goalAt))) {
    if (Object.hasOwn(PROPERTIES, predicate)) object(first).properties.add(predicate as Property)
    else if (predicate === 'canContain') {
      const type = withoutSuffix(first)
      const held = canContain.get(type)
      if (held) held.add(withoutSuffix(second))
      else canContain.set(type, new Set([withoutSuffix(second)]))
    } else if (predicate === 'objectType') object(first).type = withoutSuffix(second)
    else if (predicate === 'objectAtLocation') addOnce(object(first).locations, second)
    else if (predicate === 'inReceptacle') addOnce(object(first).inside, second)
    else if (predicate === 'inReceptacleObject') addOnce(object(second).inner, object(first).id)
    else if (predicate === 'isCool') object(first).cool = true
    else if (predicate === 'receptacleType') receptacle(first).type = withoutSuffix(second)
    else if (predicate === 'receptacleAtLocation') receptacle(first).location = second
    else if (predicate === 'openable') receptacle(first).openable = true
    else if (predicate === 'atLocation') start = second
    else throw new UserError(`the planning problem states "${predicate}", which no release of ALFWorld known here does`)
  }
  if (!start) throw new UserError('the planning problem does not say where the agent starts (atLocation)')
  const name = /\(problem\s+([^\s()]+)/.exec(text)?.[1] ?? 'household'
  return {
    name,
    objects: [...objects.values()],
    receptacles: [...receptacles.values()],
    canContain,
    start,
    goal: parseGoal(text.slice(goalAt)),
  }
}

function parseGoal(text: string): Goal {
  const words = new Set<string>()
  let object = ''
  let receptacle: string | undefined
  let lamp: string | undefined
  for (const [predicate, variable, type] of flatFacts(text)) {
    words.add(predicate)
    if (predicate === 'receptacleType') receptacle = withoutSuffix(type)
    else if (predicate === 'objectType' && variable === '?ot') lamp = withoutSuffix(type)
    else if (predicate === 'objectType') object = withoutSuffix(type)
  }
  if (words.has('isSliced')) throw new UserError('the goal asks for a sliced object: not one of the six task types')
  if (object && lamp && words.has('isToggled')) return { kind: 'look', object, lamp }
  if (!object || !receptacle) throw new UserError('the goal is none of the six task types')
  const kind = words.has('isClean')
    ? 'clean'
    : words.has('isHot')
      ? 'heat'
      : words.has('isCool')
        ? 'cool'
        : words.has('=')
          ? 'two'
          : 'place'
  return { kind, object, receptacle }
}
