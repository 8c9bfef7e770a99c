import type { Game } from './game.ts'
import * as texts from './texts.ts'
import { CLEAN, COOL, HOT, NOTHING, SLICED, TOGGLED, type World } from './world.ts'

/**
 * Do a command in the world and return the answer, or null when it is no command or cannot be done now (the world is then
 * unchanged). The command is matched exactly: case, numbers and single spaces matter.
 */
export function execute(world: World, command: string): string | null {
  const { game } = world
  if (command === 'look') return texts.lookText(world)
  if (command === 'inventory') return texts.inventoryText(world)
  if (command === 'help') return game.rules.help ? game.help : null
  if (command.startsWith('go to ')) return goTo(world, command.slice(6))
  const space = command.indexOf(' ')
  if (space < 0) return null
  const verb = command.slice(0, space)
  const rest = command.slice(space + 1)
  if (verb === 'examine') return examine(world, rest)
  if (verb === 'open') return openOrClose(world, rest, true)
  if (verb === 'close') return openOrClose(world, rest, false)
  if (verb === 'take') return take(world, rest)
  if (verb === game.rules.put.verb) return put(world, rest)
  if (verb === 'use') return use(world, rest)
  if (verb === 'heat' || verb === 'cool' || verb === 'clean') return treat(world, verb, rest)
  if (verb === 'slice') return slice(world, rest)
  return null
}

/** The two names around a separator; undefined when it is missing. */
function split(text: string, separator: string): [string, string] | undefined {
  const at = text.indexOf(separator)
  return at < 0 ? undefined : [text.slice(0, at), text.slice(at + separator.length)]
}

function receptacleHere(world: World, name: string): number | undefined {
  const receptacle = world.game.receptacleByName.get(name)
  return receptacle !== undefined && world.isHere(receptacle) ? receptacle : undefined
}

function goTo(world: World, name: string): string | null {
  const { game } = world
  const receptacle = game.receptacleByName.get(name)
  if (receptacle === undefined || world.isHere(receptacle)) return null
  world.location = game.receptacles[receptacle].location
  const place = game.rules.arriveAt === 'receptacle' ? name : game.locations[world.location].name
  return `You arrive at ${place}. ${texts.contentsText(world, receptacle)}`
}

function examine(world: World, name: string): string | null {
  const receptacle = receptacleHere(world, name)
  if (receptacle !== undefined) return texts.contentsText(world, receptacle)
  const object = world.game.objectByName.get(name)
  return object !== undefined && object === world.held ? texts.examineObjectText(world, object) : null
}

function openOrClose(world: World, name: string, open: boolean): string | null {
  const receptacle = receptacleHere(world, name)
  if (receptacle === undefined || !world.game.receptacles[receptacle].openable) return null
  if ((world.opened[receptacle] === 1) === open) return null
  world.opened[receptacle] = open ? 1 : 0
  return open ? `You open the ${name}. ${texts.contentsText(world, receptacle)}` : `You close the ${name}.`
}

function take(world: World, rest: string): string | null {
  const { game } = world
  const names = split(rest, ' from ')
  if (!names || world.held !== NOTHING) return null
  const object = game.objectByName.get(names[0])
  const receptacle = receptacleHere(world, names[1])
  if (object === undefined || receptacle === undefined || !game.objects[object].pickupable) return null
  if (!world.isAccessible(receptacle) || !world.contents[receptacle].includes(object)) return null
  world.take(object, receptacle)
  return `You pick up the ${names[0]} from the ${names[1]}.`
}

function put(world: World, rest: string): string | null {
  const { game } = world
  const { verb, between } = game.rules.put
  const names = split(rest, between)
  if (!names || world.held === NOTHING || game.objects[world.held].name !== names[0]) return null
  const receptacle = receptacleHere(world, names[1])
  if (receptacle === undefined || !canPut(world, receptacle)) return null
  world.put(world.held, receptacle)
  return `You ${verb} the ${names[0]}${between}the ${names[1]}.`
}

/** The held object can be put down there. */
function canPut(world: World, receptacle: number): boolean {
  return world.isAccessible(receptacle) && world.game.receptacles[receptacle].holds[world.held] === 1
}

function use(world: World, name: string): string | null {
  const { game } = world
  const object = game.objectByName.get(name)
  if (object === undefined || !game.objects[object].toggleable) return null
  const here = game.locations[world.location].receptacles
  if (!here.some((receptacle) => world.contents[receptacle].includes(object))) return null
  world.state[object] |= TOGGLED
  return `You turn on the ${name}.`
}

type Treatment = 'heat' | 'cool' | 'clean'

/** Heating, cooling and cleaning ask for the right appliance only: its door may be closed. */
function treat(world: World, verb: Treatment, rest: string): string | null {
  const names = split(rest, ' with ')
  if (!names || world.held === NOTHING || world.game.objects[world.held].name !== names[0]) return null
  const receptacle = receptacleHere(world, names[1])
  if (receptacle === undefined || !canTreat(world.game, verb, world.held, receptacle)) return null
  const state = world.state[world.held]
  world.state[world.held] =
    verb === 'clean' ? state | CLEAN : verb === 'heat' ? (state | HOT) & ~COOL : (state | COOL) & ~HOT
  return `You ${verb} the ${names[0]} using the ${names[1]}.`
}

function canTreat(game: Game, verb: Treatment, object: number, receptacle: number): boolean {
  const { cleanable, heatable, coolable } = game.objects[object]
  const { sink, microwave, fridge } = game.receptacles[receptacle]
  return verb === 'clean' ? cleanable && sink : verb === 'heat' ? heatable && microwave : coolable && fridge
}

function slice(world: World, rest: string): string | null {
  const { game } = world
  const names = split(rest, ' with ')
  if (!names || world.held === NOTHING) return null
  const knife = game.objects[world.held]
  const object = game.objectByName.get(names[0])
  if (!knife.sharp || knife.name !== names[1] || object === undefined || !game.objects[object].sliceable) return null
  if (!world.at[world.location].includes(object)) return null
  world.state[object] |= SLICED
  return `You sliced the ${names[0]} with the ${names[1]}.`
}

/**
 * Every command that can be done now, without repeats, by code point. The verbs' own order does most of the sorting: only
 * the short runs before and after `go to` need it.
 */
export function admissibleCommands(world: World): string[] {
  const { game, held } = world
  const { receptacles, goCommands } = game.locations[world.location]
  const before: string[] = []
  const after: string[] = ['inventory', 'look']
  if (game.rules.help) after.push('help')
  const heldObject = held === NOTHING ? undefined : game.objects[held]
  if (heldObject) before.push(`examine ${heldObject.name}`)
  for (const receptacle of receptacles) {
    const { name, openable } = game.receptacles[receptacle]
    before.push(`examine ${name}`)
    if (openable) {
      if (world.opened[receptacle]) before.push(`close ${name}`)
      else after.push(`open ${name}`)
    }
    const accessible = world.isAccessible(receptacle)
    for (const object of world.contents[receptacle]) {
      const { pickupable, toggleable, name: objectName } = game.objects[object]
      if (pickupable && accessible && !heldObject) after.push(`take ${objectName} from ${name}`)
      if (toggleable) {
        const command = `use ${objectName}`
        if (!after.includes(command)) after.push(command)
      }
    }
    if (heldObject) {
      if (canPut(world, receptacle)) {
        after.push(`${game.rules.put.verb} ${heldObject.name}${game.rules.put.between}${name}`)
      }
      if (canTreat(game, 'clean', held, receptacle)) before.push(`clean ${heldObject.name} with ${name}`)
      if (canTreat(game, 'cool', held, receptacle)) before.push(`cool ${heldObject.name} with ${name}`)
      if (canTreat(game, 'heat', held, receptacle)) after.push(`heat ${heldObject.name} with ${name}`)
    }
  }
  if (heldObject?.sharp) {
    for (const object of world.at[world.location]) {
      if (game.objects[object].sliceable) after.push(`slice ${game.objects[object].name} with ${heldObject.name}`)
    }
  }
  return [...before.sort(), ...goCommands, ...after.sort()]
}
