import { Random } from '../../core/index.ts'
import { expertPlan } from './expert.ts'
import { compileGame, type Game } from './game.ts'
import { type GeneratedFile, withoutStop } from './gamefile.ts'
import { type HouseOptions, houseId } from './houseid.ts'
import { countWithin, type HouseSize, type Layout, layoutOf, SHARED_LAYOUTS, thingId, unusedId } from './layout.ts'
import { type Furnished, placeAmong } from './placing.ts'
import { type Goal, type GoalKind, type Problem, type ProblemObject, type Property, TASK_TYPES } from './problem.ts'
import { problemText } from './problemtext.ts'
import { RULES } from './rules.ts'
import { CAN_CONTAIN, COLD, PROPERTIES_BY_TYPE, ROOM_OBJECTS, type Room, STANDS_IN } from './tables.ts'
import { builtinHelp } from './texts.ts'
import { World } from './world.ts'

/** A generated household: ready to play, and writable as a game file. */
export interface House {
  game: Game
  room: Room
  /** Number of its layout within the family of its split. */
  layout: number
}

/** Weights of the kinds, as in the 200 games counted. */
const KIND_WEIGHTS: Record<GoalKind, number> = { place: 46, look: 19, clean: 37, heat: 25, cool: 28, two: 45 }
const ROOMS_OF: Record<GoalKind, Room[]> = {
  place: ['kitchen', 'bedroom', 'livingroom', 'bathroom'],
  look: ['bedroom', 'livingroom'],
  clean: ['kitchen', 'bathroom'],
  heat: ['kitchen'],
  cool: ['kitchen'],
  two: ['kitchen', 'bedroom', 'livingroom', 'bathroom'],
}
const SMALL_LIMITS = { objects: [9, 14], load: 5, commands: 12 } as const
const LAMP = 'DeskLamp'
/** One or two attempts are the rule; so many mean a mistake in the tables. */
const ATTEMPTS = 1000

/**
 * One household, a pure function of the options. It is solvable: the expert's plan is found before the household is
 * returned, and in a small one it has at most 12 commands.
 */
export function generateHouse(options: HouseOptions): House {
  const { seed, size, split } = options
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const random = new Random('alfworld house', split, size, seed, attempt)
    const kinds = options.kinds ?? (Object.keys(KIND_WEIGHTS) as GoalKind[])
    const kind = random.weighted(kinds, (each) => KIND_WEIGHTS[each])
    const room = random.pick(ROOMS_OF[kind])
    const number = random.integer(0, split === 'train' || split === 'seen' ? SHARED_LAYOUTS - 1 : 2 ** 31)
    const layout = layoutOf(split, room, size, number)
    const goal = chooseGoal(kind, layout, random)
    if (!goal) continue
    const objects = furnishWithObjects(layout, goal, size, options.shuffle ?? 0, random)
    const problem: Problem = {
      name: `house_${size}_${split}_${seed}`,
      objects,
      receptacles: layout.receptacles,
      canContain: CAN_HOLD,
      start: layout.start,
      goal,
    }
    const rules = RULES['2.1.2']
    const game = compileGame({
      id: houseId(options),
      rules,
      problem,
      taskLine: `${random.pick(taskLines(goal))}.`,
      help: builtinHelp(rules),
    })
    const plan = expertPlan(new World(game))
    if (!plan || plan.length === 0 || (size === 'small' && plan.length > SMALL_LIMITS.commands)) continue
    return { game, room, layout: number }
  }
  throw new Error(`no household found for ${JSON.stringify(options)} in ${ATTEMPTS} attempts`)
}

const CAN_HOLD = new Map(Object.entries(CAN_CONTAIN).map(([type, held]) => [type, new Set(Object.keys(held))]))

/** What `game.tw-pddl` holds for a household: the built-in rules by name, the task, the problem and the expert's plan. */
export function houseFile({ game }: House): GeneratedFile {
  return {
    rules: game.rules.version,
    task: withoutStop(game.taskLine),
    pddl_problem: problemText(game.problem),
    solvable: true,
    walkthrough: expertPlan(new World(game)) ?? [],
  }
}

/** What `traj_data.json` holds for a household: the keys of upstream's that are read here. */
export function houseTrajData({ game, layout }: House): Record<string, unknown> {
  const { kind, object, receptacle, lamp } = game.problem.goal
  return {
    task_id: game.problem.name,
    task_type: TASK_TYPES[kind],
    pddl_params: {
      object_target: object,
      parent_target: receptacle ?? '',
      toggle_target: lamp ?? '',
      mrecep_target: '',
      object_sliced: false,
    },
    scene: { floor_plan: `Generated${layout}`, scene_num: layout },
    turk_annotations: { anns: [{ task_desc: withoutStop(game.taskLine) }] },
  }
}

/** The folder of a household below its split, named as upstream names them. */
export function houseFolder({ game, layout }: House): string {
  const { kind, object, receptacle, lamp } = game.problem.goal
  return `${TASK_TYPES[kind]}-${object}-None-${receptacle ?? lamp}-${layout}/trial_${game.problem.name}`
}

const NEEDS: Partial<Record<GoalKind, { property: 'cleanable' | 'heatable' | 'coolable'; appliance: string }>> = {
  clean: { property: 'cleanable', appliance: 'SinkBasin' },
  heat: { property: 'heatable', appliance: 'Microwave' },
  cool: { property: 'coolable', appliance: 'Fridge' },
}

/** A goal that the room can satisfy: an object that stands elsewhere at first, and a receptacle that can hold it. */
function chooseGoal(kind: GoalKind, layout: Layout, random: Random): Goal | undefined {
  const types = [...new Set(layout.receptacles.map(({ type }) => type))]
  const need = NEEDS[kind]
  if (need && !types.includes(need.appliance)) return undefined
  if (kind === 'look' && !types.some((type) => STANDS_IN[LAMP][type])) return undefined
  const goals: { goal: Goal; weight: number }[] = []
  for (const [object, { mean }] of Object.entries(ROOM_OBJECTS[layout.room])) {
    if (!(object in STANDS_IN) || PROPERTIES_BY_TYPE.fixed.has(object)) continue
    if (need && !PROPERTIES_BY_TYPE[need.property].has(object)) continue
    const homes = types.filter((type) => CAN_HOLD.get(type)?.has(object))
    if (homes.length === 0) continue
    if (kind === 'look') {
      goals.push({ goal: { kind, object, lamp: LAMP }, weight: mean })
      continue
    }
    for (const receptacle of homes) {
      if (homes.length < 2 || receptacle === need?.appliance) continue
      goals.push({ goal: { kind, object, receptacle }, weight: mean / homes.length })
    }
  }
  return goals.length > 0 ? random.weighted(goals, ({ weight }) => weight).goal : undefined
}

/** The objects of a household, placed: the goal's first, none of them where the goal wants it. */
function furnishWithObjects(
  layout: Layout,
  goal: Goal,
  size: HouseSize,
  shuffle: number,
  random: Random,
): ProblemObject[] {
  const types = size === 'small' ? smallInventory(layout, goal, random) : fullInventory(layout, goal, random)
  const ids = new Set<string>()
  const load = new Map<string, number>()
  const room: Furnished = { receptacles: layout.receptacles, canContain: CAN_HOLD, load }
  return types.flatMap((type): ProblemObject[] => {
    const receptacle = placeAmong(room, type, {
      avoid: type === goal.object ? goal.receptacle : undefined,
      anywhere: !PROPERTIES_BY_TYPE.fixed.has(type) && random.chance(shuffle),
      most: size === 'small' ? SMALL_LIMITS.load : Number.POSITIVE_INFINITY,
      random,
    })
    if (!receptacle) return []
    load.set(receptacle.id, (load.get(receptacle.id) ?? 0) + 1)
    return [
      {
        id: unusedId(ids, () => thingId(type, random)),
        type,
        properties: propertiesOf(type),
        cool: random.chance(COLD[type] ?? 0),
        locations: [receptacle.location],
        inside: [receptacle.id],
        inner: [],
      },
    ]
  })
}

const propertyCache = new Map<string, Set<Property>>()

function propertiesOf(type: string): Set<Property> {
  let properties = propertyCache.get(type)
  if (!properties) {
    const { fixed, ...others } = PROPERTIES_BY_TYPE
    properties = new Set(fixed.has(type) ? [] : ['pickupable'])
    for (const [property, types] of Object.entries(others)) if (types.has(type)) properties.add(property as Property)
    propertyCache.set(type, properties)
  }
  return properties
}

function smallInventory(layout: Layout, goal: Goal, random: Random): string[] {
  const copies = goal.kind === 'two' ? (random.chance(0.7) ? 2 : 3) : random.chance(0.6) ? 1 : 2
  const types: string[] = Array(copies).fill(goal.object)
  if (goal.lamp) types.unshift(goal.lamp)
  const total = random.integer(...SMALL_LIMITS.objects)
  const present = new Set(layout.receptacles.map(({ type }) => type))
  const others = Object.entries(ROOM_OBJECTS[layout.room]).filter(
    ([type]) => !types.includes(type) && Object.keys(STANDS_IN[type] ?? {}).some((home) => present.has(home)),
  )
  while (types.length < total && others.length > 0) {
    const chosen = random.weighted(others, ([, { mean }]) => mean)
    others.splice(others.indexOf(chosen), 1)
    types.push(chosen[0])
    if (types.length < total && !PROPERTIES_BY_TYPE.fixed.has(chosen[0]) && random.chance(0.25)) types.push(chosen[0])
  }
  return types
}

function fullInventory(layout: Layout, goal: Goal, random: Random): string[] {
  const least = goal.kind === 'two' ? 2 : 1
  const types: string[] = goal.lamp ? [goal.lamp] : []
  for (const [type, range] of Object.entries(ROOM_OBJECTS[layout.room])) {
    if (!(type in STANDS_IN) || type === goal.lamp) continue
    const count = Math.max(countWithin(range, random), type === goal.object ? least : 0)
    types.push(...Array<string>(count).fill(type))
  }
  return types
}

/** The two wordings that ALFWorld has for each kind. */
function taskLines({ kind, object, receptacle, lamp }: Goal): string[] {
  const o = object.toLowerCase()
  const r = receptacle?.toLowerCase()
  const t = lamp?.toLowerCase()
  switch (kind) {
    case 'place':
      return [`put a ${o} in ${r}`, `put some ${o} on ${r}`]
    case 'clean':
      return [`put a clean ${o} in ${r}`, `clean some ${o} and put it in ${r}`]
    case 'heat':
      return [`put a hot ${o} in ${r}`, `heat some ${o} and put it in ${r}`]
    case 'cool':
      return [`put a cool ${o} in ${r}`, `cool some ${o} and put it in ${r}`]
    case 'two':
      return [`put two ${o} in ${r}`, `find two ${o} and put them in ${r}`]
    case 'look':
      return [`look at ${o} under the ${t}`, `examine the ${o} with the ${t}`]
  }
}
