import { joined, listWithArticles } from './names.ts'
import type { Rules } from './rules.ts'
import { CLEAN, COOL, HOT, NOTHING, SLICED, TOGGLED, type World } from './world.ts'

/** The answer to anything that is no command or cannot be done now. */
export const NOTHING_HAPPENS = 'Nothing happens.'

/** The first observation: greeting, the room, the task. */
export function introText(world: World): string {
  const { game } = world
  return `-= Welcome to TextWorld, ALFRED! =-\n\n${roomText(game.receptacles.map(({ name }) => name))}\n\nYour task is to: ${game.taskLine}`
}

function roomText(receptacles: string[]): string {
  return `You are in the middle of a room. Looking quickly around you, you see ${listWithArticles(receptacles)}.`
}

/** What `examine`, `go to` and `open` show of a receptacle. */
export function contentsText(world: World, receptacle: number): string {
  const { name, openable } = world.game.receptacles[receptacle]
  if (openable && !world.opened[receptacle]) return `The ${name} is closed.`
  const seen = listWithArticles(world.contents[receptacle].map((object) => world.game.objects[object].name))
  return openable ? `The ${name} is open. In it, you see ${seen}.` : `On the ${name}, you see ${seen}.`
}

/** Where the agent stands. Contents are not listed: only what was once taken from a receptacle here and lies in another. */
export function lookText(world: World): string {
  const { game } = world
  const here = game.locations[world.location].receptacles
  if (here.length === 0) return roomText([])
  const beside: string[] = []
  for (const object of world.at[world.location]) {
    // Once for each receptacle it was taken from.
    for (const receptacle of here) {
      if (world.removed[receptacle].includes(object)) beside.push(game.objects[object].name)
    }
  }
  const facing = joined(here.map((receptacle) => game.receptacles[receptacle].name))
  return `You are facing the ${facing}. Next to it, you see ${listWithArticles(beside)}.`
}

export function inventoryText(world: World): string {
  return world.held === NOTHING
    ? 'You are not carrying anything.'
    : `You are carrying: a ${world.game.objects[world.held].name}.`
}

/** The state of the object in the agent's hands: the first description that fits, in upstream's order. */
export function examineObjectText(world: World, object: number): string {
  const { name, container, inner, toggleable, sliceable } = world.game.objects[object]
  const state = world.state[object]
  if (container) return `This is a normal ${name}. In it, you see ${inner}.`
  const words = stateWords(state)
  if (words) return `This is a ${words} ${name}.`
  if (toggleable && state & TOGGLED) return `This ${name} is on.`
  if (sliceable && state & SLICED) return `This is a sliced ${name}.`
  return `There's nothing special about ${name}.`
}

function stateWords(state: number): string | undefined {
  const clean = (state & CLEAN) !== 0
  const hot = (state & HOT) !== 0
  const cool = (state & COOL) !== 0
  const warmth = hot ? 'hot' : cool ? 'cool' : ''
  if (state & SLICED) {
    if (clean) return warmth ? `${warmth} and clean sliced` : 'clean sliced'
    return warmth ? `${warmth} sliced` : undefined
  }
  if (clean) return warmth ? `${warmth} and clean` : 'clean'
  if (hot) return 'hot'
  return cool ? 'cold' : undefined
}

/** Help for games without a grammar of their own (generated ones). */
export function builtinHelp(rules: Rules): string {
  const { verb, between } = rules.put
  const rows: [string, string][] = [
    ['look', 'see where you stand'],
    ['inventory', 'see what you carry'],
    ['go to (receptacle)', 'walk to a receptacle'],
    ['open (receptacle)', 'open its door'],
    ['close (receptacle)', 'close its door'],
    ['take (object) from (receptacle)', 'pick an object up'],
    [`${verb} (object)${between}(receptacle)`, 'put down what you carry'],
    ['examine (something)', 'see what a receptacle here holds, or what you carry'],
    ['use (object)', 'switch a lamp on'],
    ['heat (object) with (receptacle)', 'heat what you carry in a microwave'],
    ['clean (object) with (receptacle)', 'clean what you carry in a sink'],
    ['cool (object) with (receptacle)', 'cool what you carry in a fridge'],
    ['slice (object) with (object)', 'slice something here with the knife you carry'],
  ]
  return `What you can do:\n${rows.map(([command, meaning]) => `  ${`${command}:`.padEnd(34)}${meaning}\n`).join('')}`
}
