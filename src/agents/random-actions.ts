import { Random, UserError } from '../core/index.ts'
import type { Player } from './player.ts'
import { randomPlayer } from './tau2-scripts.ts'

/**
 * Takes any of the commands that are admissible now, each as likely as the others; where there are tools instead, calls them at
 * random. What a random policy sees is a control for what a model's own play teaches.
 * @throws UserError where an environment neither lists commands nor has tools
 */
export function randomActions(seed: number): Player {
  const caller = randomPlayer(seed)
  return {
    name: 'random',
    act(view) {
      const { actions = [], tools = [], history } = view
      if (actions.length > 0) return { kind: 'text', text: new Random('actions', seed, history.length).pick(actions) }
      if (tools.length > 0) return caller.act(view)
      throw new UserError(
        'nothing can be done at random here: the environment lists no admissible commands (Episode.actions) and its tasks have no tools',
      )
    },
  }
}
