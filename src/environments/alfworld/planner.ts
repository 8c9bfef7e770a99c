import type { Player } from '../../core/index.ts'
import { expertPlan } from './expert.ts'
import type { Game } from './game.ts'
import { Play } from './play.ts'

/**
 * The expert as a player: it keeps a copy of the household, in which it does whatever was done, and goes on with the shortest
 * way from there. One player an attempt; the seed tells ways of equal length apart.
 */
export function alfworldPlanner(game: Game, seed: number): Player {
  const play = new Play(game)
  let done = 0
  return {
    name: 'planner',
    act({ history }) {
      for (const { action } of history.slice(done)) play.step(action?.kind === 'text' ? action.text : '')
      done = history.length
      const [text] = expertPlan(play.world, seed) ?? []
      return text === undefined ? null : { kind: 'text', text }
    },
  }
}
