import { Tau2World } from '../../environment.ts'
import { dumps, parseJson } from '../../python/json.ts'
import type { PyDict, PyValue } from '../../python/value.ts'
import type { Party } from '../../tasks.ts'
import { telecom } from '../domain.ts'
import type { TelecomState } from '../state.ts'

export const folder = import.meta.dirname
export const data = telecom.load(folder)

export type World = Tau2World<TelecomState>

export function newWorld(): World {
  return new Tau2World(telecom, data)
}

export function args(json: string): PyDict {
  return parseJson(json) as PyDict
}

/** What an episode changed on both sides, a line each. */
export function changes({ state }: World): string[] {
  const all = [...state.db.changes(), ...state.userDb.changes()]
  return all.map(({ op, path, value }) => `${op} ${path} ${dumps(value ?? null)}`)
}

export function agent(world: World, name: string, json = '{}'): string {
  return world.call('assistant', name, args(json)).content
}

export function user(world: World, name: string, json = '{}'): string {
  return world.call('user', name, args(json)).content
}

export function run(world: World, party: Party, name: string, json = '{}'): PyValue {
  return world.runMethod({ party, name, arguments: args(json) })
}

/** The world of the first line's owner. */
export function open(...actions: string[]): World {
  const world = newWorld()
  run(world, 'user', 'set_user_info', '{"name": "Ilse Marten", "phone_number": "555-700-0001"}')
  for (const action of actions) run(world, 'user', action)
  return world
}
