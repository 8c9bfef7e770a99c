import { hash32, Random } from '../../core/index.ts'
import type { ProblemReceptacle } from './problem.ts'
import { OPENABLE, ROOM_RECEPTACLES, type Room } from './tables.ts'

/**
 * `small`: 6 to 8 receptacles, 2 to 5 of them with doors, and up to 14 objects; every task has a solution of at most 12
 * commands. `full`: as many receptacles and objects as the rooms of ALFWorld have.
 */
export type HouseSize = 'small' | 'full'

/** `base` is a fourth family of layouts, apart from the three others: for training a base model before any experiment. */
export const HOUSE_SPLITS = ['train', 'seen', 'unseen', 'base'] as const
export type HouseSplit = (typeof HOUSE_SPLITS)[number]

/** `main` is that of train and seen. */
export type LayoutFamily = 'main' | 'unseen' | 'base'

/** The furniture of one room: everything about a household but its objects and its task. */
export interface Layout {
  room: Room
  receptacles: ProblemReceptacle[]
  /** Where the agent starts, away from every receptacle. */
  start: string
}

/** Receptacles of small rooms: what each has, one of `oneOf`, and weights and caps of the rest. */
const SMALL: Record<Room, { always: string[]; oneOf?: string[]; rest: Record<string, [weight: number, cap: number]> }> =
  {
    kitchen: {
      always: ['Fridge', 'Microwave', 'SinkBasin', 'CounterTop'],
      rest: {
        Cabinet: [4, 3],
        Drawer: [3, 2],
        DiningTable: [2, 1],
        GarbageCan: [2, 1],
        CounterTop: [1, 2],
        CoffeeMachine: [1, 1],
        StoveBurner: [1, 2],
        Shelf: [1, 2],
        SideTable: [1, 1],
      },
    },
    bedroom: {
      always: ['Bed', 'Drawer'],
      oneOf: ['Desk', 'SideTable', 'Dresser'],
      rest: {
        Drawer: [4, 4],
        Cabinet: [2, 2],
        Desk: [2, 1],
        SideTable: [2, 2],
        Dresser: [2, 1],
        Shelf: [2, 2],
        GarbageCan: [2, 1],
        ArmChair: [1, 1],
        Safe: [1, 1],
      },
    },
    livingroom: {
      always: ['Sofa', 'Drawer'],
      oneOf: ['SideTable', 'CoffeeTable'],
      rest: {
        Drawer: [4, 4],
        Cabinet: [2, 2],
        Shelf: [2, 2],
        ArmChair: [2, 2],
        CoffeeTable: [2, 1],
        SideTable: [2, 2],
        DiningTable: [1, 1],
        Dresser: [1, 1],
        GarbageCan: [1, 1],
        Ottoman: [1, 1],
      },
    },
    bathroom: {
      always: ['SinkBasin', 'Toilet', 'Cabinet'],
      rest: {
        Cabinet: [4, 4],
        Drawer: [3, 3],
        CounterTop: [3, 1],
        Shelf: [2, 2],
        GarbageCan: [2, 1],
        BathtubBasin: [1, 1],
        Cart: [1, 1],
        SideTable: [1, 1],
        HandTowelHolder: [1, 1],
        ToiletPaperHanger: [1, 1],
      },
    },
  }

/** A receptacle joins an earlier one's place with this probability; 15 % of them then share a place. */
const JOIN = 0.095
const SMALL_DOORS = { least: 2, most: 5 }

/**
 * Which family a layout belongs to: a hash of what furniture it has. So no set of receptacles in `unseen` or `base` ever
 * occurs in `train` or `seen`, whatever the seeds, and an unseen room is one whose introduction was never read.
 */
export function layoutFamily(layout: Layout): LayoutFamily {
  const furniture = layout.receptacles.map(({ type }) => type).sort()
  const part = hash32('alfworld family', layout.room, furniture.join(' ')) % 10
  return part < 5 ? 'main' : part < 7 ? 'unseen' : 'base'
}

/** The layout with this number in a split's family; the same arguments give the same layout. */
export function layoutOf(split: HouseSplit, room: Room, size: HouseSize, number: number): Layout {
  if (split === 'unseen' || split === 'base') return drawLayout(split, room, size, number)
  // The layouts that train and seen share come up again and again.
  const key = `${room} ${size} ${number}`
  const layout = shared.get(key) ?? drawLayout('main', room, size, number)
  if (shared.size < SHARED_LAYOUTS * 8) shared.set(key, layout)
  return layout
}

/** Layouts of one room and size that train and seen draw from; the other families are not bounded. */
export const SHARED_LAYOUTS = 512
const shared = new Map<string, Layout>()

function drawLayout(family: LayoutFamily, room: Room, size: HouseSize, number: number): Layout {
  for (let attempt = 0; ; attempt++) {
    const random = new Random('alfworld layout', family, room, size, number, attempt)
    const layout = furnish(room, size === 'small' ? smallFurniture(room, random) : fullFurniture(room, random), random)
    if (layoutFamily(layout) !== family) continue
    const doors = layout.receptacles.filter(({ openable }) => openable).length
    if (size === 'full' || (doors >= SMALL_DOORS.least && doors <= SMALL_DOORS.most)) return layout
  }
}

function smallFurniture(room: Room, random: Random): string[] {
  const { always, oneOf, rest } = SMALL[room]
  const types = [...always]
  if (oneOf) types.push(random.pick(oneOf))
  const total = random.integer(6, 8)
  while (types.length < total) {
    const open = Object.entries(rest).filter(([type, [, cap]]) => types.filter((other) => other === type).length < cap)
    types.push(random.weighted(open, ([, [weight]]) => weight)[0])
  }
  return types
}

function fullFurniture(room: Room, random: Random): string[] {
  return Object.entries(ROOM_RECEPTACLES[room]).flatMap(([type, range]) => Array(countWithin(range, random)).fill(type))
}

/** A binomial count between `min` and `max` with the given mean. */
export function countWithin({ min, mean, max }: { min: number; mean: number; max: number }, random: Random): number {
  let count = min
  for (let i = min; i < max; i++) if (random.chance((mean - min) / (max - min))) count++
  return count
}

function furnish(room: Room, types: string[], random: Random): Layout {
  const ids = new Set<string>()
  const places: string[] = []
  const newPlace = () => {
    const place = unusedId(ids, () => placeId(random))
    places.push(place)
    return place
  }
  const start = unusedId(ids, () => placeId(random))
  const receptacles = types.map((type): ProblemReceptacle => {
    const openable = type in OPENABLE && random.chance(OPENABLE[type])
    const location = places.length > 0 && random.chance(JOIN) ? random.pick(places) : newPlace()
    return { id: unusedId(ids, () => thingId(type, random)), type, openable, location }
  })
  return { room, receptacles, start }
}

/** Draw until the identifier is new, and remember it. */
export function unusedId(ids: Set<string>, draw: () => string): string {
  for (;;) {
    const id = draw()
    if (ids.has(id)) continue
    ids.add(id)
    return id
  }
}

/** An identifier in ALFRED's manner: type and position, `Apple_bar__plus_01_dot_59_bar_…`; basins name what they are in. */
export function thingId(type: string, random: Random): string {
  const outer = type.endsWith('Basin') ? type.slice(0, -5) : type
  const position = [-3, 0, -3].map((low) => coordinate(low, random)).join('_bar_')
  return `${outer}_bar_${position}${outer === type ? '' : `_bar_${type}`}`
}

function coordinate(low: number, random: Random): string {
  const hundredths = random.integer(low * 100, 299)
  const digits = String(Math.abs(hundredths)).padStart(4, '0')
  return `_${hundredths < 0 ? 'minus' : 'plus'}_${digits.slice(0, 2)}_dot_${digits.slice(2)}`
}

function placeId(random: Random): string {
  const [x, y] = [random.integer(-12, 12), random.integer(-12, 12)].map((n) => (n < 0 ? `_minus_${-n}` : `${n}`))
  return `loc_bar_${x}_bar_${y}_bar_${random.integer(0, 3)}_bar_${random.pick([0, 15, 30, 45, 60])}`
}
