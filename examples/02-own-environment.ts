/**
 * An environment of one's own:
 *
 *     npx rwml run examples/02-own-environment.ts
 *
 * A room with a rule that no household of ALFWorld has: its drawers are glued shut. Nothing says so. The model finds it out by
 * playing (world-model RL), then learns to do what it is asked (policy RL).
 */
import { actionText, defineConfig, type Environment, type Experiment, type Task } from 'rwml'

const CABINETS = ['cabinet 1', 'cabinet 2', 'cabinet 3']
const DRAWERS = ['drawer 1', 'drawer 2', 'drawer 3']
const TABLES = ['desk 1', 'sidetable 1']
const PLACES = [...CABINETS, ...DRAWERS, ...TABLES]
const THINGS: Record<string, string> = {
  train:
    'mug cup plate bowl spoon fork knife pen pencil book cd watch keychain candle cloth box egg apple tomato potato',
  unseen: 'vase statue newspaper laptop cellphone creditcard bread lettuce',
}

/** Every thing of the split, in every cabinet, to be brought to every table. */
const tasksOf = (split: string): Task[] =>
  THINGS[split].split(' ').flatMap((thing) =>
    CABINETS.flatMap((from) =>
      TABLES.map((to) => {
        const table = to.split(' ')[0]
        return {
          id: `${thing}, ${from}, ${to}`,
          split,
          kind: `to the ${table}`,
          instruction: `put a ${thing} on ${table}`,
        }
      }),
    ),
  )

export const gluedRoom = ({ reward }: { reward: boolean }): Environment => ({
  name: 'glued room',
  splits: () => ['train', 'unseen'],
  tasks: tasksOf,
  open(task) {
    const [thing, from, to] = task.id.split(', ')
    const open = new Set(TABLES)
    let where = from // A place, or `hand`.
    const shows = (place: string) => {
      const inside = where === place ? `a ${thing} 1` : 'nothing'
      if (TABLES.includes(place)) return `On the ${place}, you see ${inside}.`
      return open.has(place) ? `The ${place} is open. In it, you see ${inside}.` : `The ${place} is closed.`
    }
    /** What an action does and says; null where it is not possible. */
    function act(command: string): string | null {
      const place = PLACES.find((one) => command.endsWith(` ${one}`)) ?? ''
      if (command === `go to ${place}`) return `You arrive at ${place}. ${shows(place)}`
      if (command === `examine ${place}`) return shows(place)
      if (command === `open ${place}` && !open.has(place)) {
        if (DRAWERS.includes(place)) return 'Nothing happens.'
        open.add(place)
        return `You open the ${place}. ${shows(place)}`
      }
      if (command === `take ${thing} 1 from ${place}` && where === place && open.has(place)) {
        where = 'hand'
        return `You pick up the ${thing} 1 from the ${place}.`
      }
      if (command === `move ${thing} 1 to ${place}` && where === 'hand' && open.has(place)) {
        where = place
        return `You move the ${thing} 1 to the ${place}.`
      }
      return null
    }
    const listing = `a ${PLACES.slice(0, -1).join(', a ')}, and a ${PLACES.at(-1)}`
    const text = `-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see ${listing}.\n\nYour task is to: ${task.instruction}.`
    return {
      initial: { from: 'environment', text },
      step(action) {
        const answer = act(actionText(action))
        const done = where === to
        const observation = { from: 'environment' as const, text: answer ?? 'Nothing happens.' }
        return { observation, valid: answer !== null, done, truncated: false, ...(reward && { reward: done ? 1 : 0 }) }
      },
    }
  },
  transitionKind: ({ action, valid }) => (valid && /^open \w+|^\w+/.exec(actionText(action))?.[0]) || 'invalid',
})

/** Smaller than the preset, so that it takes about two minutes. States are short texts here: only the exact one is right. */
export const small: Experiment['settings'] = {
  collect: { tasks: 120, rollouts: 2, maxSteps: 12, maxTransitions: 1000, invalidShare: 0 },
  filter: { keepHopeless: 1 },
  reward: { kind: 'exact' },
  worldModel: { batch: 32, epochs: 4, maxSteps: 80 },
  policy: { tasks: 12, steps: 30, maxSteps: 12 },
  evaluate: { tasks: 48, runs: 3, maxSteps: 12, transitions: 400 },
}

export default defineConfig({ environment: gluedRoom({ reward: true }), settings: small })
