/**
 * An environment of one's own:
 *
 *     npx rwml run examples/02-own-environment.ts
 *
 * A row of places with a rule that no household of ALFWorld has: one can only walk to the place next to where one stands.
 * Nothing says so. The model finds it out by playing (world-model RL), then learns to carry things along the row (policy RL).
 */
import { actionText, defineConfig, type Environment, type Task } from 'rwml'

const PLACES = ['bed 1', 'desk 1', 'dresser 1', 'shelf 1', 'sidetable 1', 'sofa 1']
const THINGS: Record<string, string> = {
  train: 'mug cup plate bowl spoon fork knife pen pencil book cd watch keychain candle cloth box',
  unseen: 'egg apple tomato potato vase statue newspaper laptop',
}

function tasksOf(split: string): Task[] {
  const routes = PLACES.flatMap((from) => PLACES.filter((to) => to !== from).map((to) => ({ from, to })))
  return THINGS[split].split(' ').flatMap((thing) =>
    routes.map(({ from, to }) => ({
      id: `${thing}, ${from}, ${to}`,
      split,
      kind: `${Math.abs(PLACES.indexOf(from) - PLACES.indexOf(to))} places apart`,
      instruction: `put a ${thing} on ${to.replace(' 1', '')}`,
    })),
  )
}

export const row = ({ reward }: { reward: boolean }): Environment => ({
  name: 'row of places',
  splits: () => ['train', 'unseen'],
  tasks: tasksOf,
  open(task, { maxSteps = 20 }) {
    const [thing, start, goal] = task.id.split(', ')
    let here = 2 // Everyone starts at the dresser.
    let where = start // A place, or `hand`.
    let steps = 0
    const seen = () => `On the ${PLACES[here]}, you see ${where === PLACES[here] ? `a ${thing} 1` : 'nothing'}.`
    /** What an action does and says; null where it cannot be done. */
    function act(command: string): string | null {
      const there = PLACES.indexOf(command.replace('go to ', ''))
      if (there >= 0 && Math.abs(there - here) <= 1) {
        here = there
        return `You arrive at ${PLACES[here]}. ${seen()}`
      }
      if (command === `examine ${PLACES[here]}`) return seen()
      if (command === `take ${thing} 1 from ${PLACES[here]}` && where === PLACES[here]) {
        where = 'hand'
        return `You pick up the ${thing} 1 from the ${PLACES[here]}.`
      }
      if (command === `move ${thing} 1 to ${PLACES[here]}` && where === 'hand') {
        where = PLACES[here]
        return `You move the ${thing} 1 to the ${PLACES[here]}.`
      }
      return null
    }
    const listing = PLACES.map((place, i) => `${i === PLACES.length - 1 ? 'and ' : ''}a ${place}`).join(', ')
    return {
      initial: {
        from: 'environment',
        text: `-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see ${listing}.\n\nYour task is to: ${task.instruction}.`,
      },
      step(action) {
        const answer = act(actionText(action))
        const done = where === goal
        steps++
        return {
          observation: { from: 'environment', text: answer ?? 'Nothing happens.' },
          valid: answer !== null,
          done,
          truncated: !done && steps >= maxSteps,
          ...(reward && { reward: done ? 1 : 0 }),
        }
      },
    }
  },
  transitionKind: ({ action, valid }) => (valid ? actionText(action).split(' ')[0] : 'invalid'),
})

export default defineConfig({
  environment: row({ reward: true }),
  settings: {
    collect: { tasks: 240, rollouts: 2, maxSteps: 12 },
    worldModel: { maxSteps: 60 },
    policy: { steps: 40, maxSteps: 12 },
    evaluate: { tasks: 120, runs: 2, maxSteps: 12, transitions: 400 },
  },
})
