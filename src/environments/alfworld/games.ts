import { join } from 'node:path'
import { UserError } from '../../core/index.ts'
import type { Game } from './game.ts'
import { GAME_FILE, loadGame } from './gamefile.ts'
import { generateHouse } from './house.ts'
import { houseOptions } from './houseid.ts'
import { shuffleObjects } from './placing.ts'

/**
 * Which game a task identifier names. Three forms, so that a stored episode can be replayed from its identifier alone:
 * a trial's path below the data folder; `generated-<size>[-<kinds>][-shuffle<share>]/<split>/<seed>`; and either of them with
 * `~<seed>`, the same game with its objects in other places.
 */
export class Games {
  private readonly folder: string | undefined
  private readonly warn: (message: string) => void
  private readonly kept = new Map<string, Game>()

  /** @param folder the data folder; without one only generated games are known. */
  constructor(folder: string | undefined, warn: (message: string) => void) {
    this.folder = folder
    this.warn = onlyOnce(warn)
  }

  /** @throws UserError when there is no such game. */
  get(id: string): Game {
    let game = this.kept.get(id)
    if (!game) {
      game = this.make(id)
      // The oldest goes first: a wave plays the same few games many times, then moves on.
      if (this.kept.size >= KEPT_GAMES) this.kept.delete(this.kept.keys().next().value as string)
      this.kept.set(id, game)
    }
    return game
  }

  private make(id: string): Game {
    const shuffled = /^(.+)~(\d+)$/.exec(id)
    if (shuffled) return shuffleObjects(this.get(shuffled[1]), Number(shuffled[2]))
    const house = houseOptions(id)
    if (house) return generateHouse(house).game
    if (!this.folder) throw new UserError(`the game ${id} needs ALFWorld's data; pass --data DIR or set ALFWORLD_DATA`)
    return loadGame(join(this.folder, id, GAME_FILE), id, this.warn)
  }
}

/** Games kept in memory; making one again takes about a millisecond. */
const KEPT_GAMES = 256

/** Pass each message on the first time only: what is wrong with one file of a release is wrong with all of them. */
export function onlyOnce(warn: (message: string) => void): (message: string) => void {
  const said = new Set<string>()
  return (message) => {
    if (said.has(message)) return
    said.add(message)
    warn(message)
  }
}
