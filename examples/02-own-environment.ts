/**
 * An environment of one's own:
 *
 *     npx rwml run examples/02-own-environment.ts
 *
 * A room with a rule that no household of ALFWorld has: every second cabinet is jammed and never opens. Nothing says so. The
 * model finds it out by playing (world-model RL), and stops wasting its steps on them (policy RL).
 */
import { actionText, defineConfig, type Environment, type Experiment, type Task } from 'rwml'

const CABINETS = [1, 2, 3, 4, 5, 6].map((number) => `cabinet ${number}`)
const TABLES = ['desk 1', 'sidetable 1']
const isJammed = (place: string): boolean => CABINETS.indexOf(place) % 2 === 1
const THINGS: Record<string, string> = {
  train:
    'mug cup plate bowl spoon fork knife pen pencil book cd watch keychain candle cloth box egg apple tomato potato',
  unseen: 'vase statue newspaper laptop cellphone creditcard bread lettuce',
}

const tasksOf = (split: string): Task[] =>
  THINGS[split].split(' ').flatMap((thing) =>
    CABINETS.filter((place) => !isJammed(place)).flatMap((start) =>
      TABLES.map((goal) => ({
        id: `${thing}, ${start}, ${goal}`,
        split,
        kind: `to the ${goal.split(' ')[0]}`,
        instruction: `put a ${thing} on ${goal.split(' ')[0]}`,
      })),
    ),
  )

export const jammedRoom = ({ reward }: { reward: boolean }): Environment => ({
  name: 'jammed room',
  splits: () => ['train', 'unseen'],
  tasks: tasksOf,
  open(task) {
    const [thing, start, goal] = task.id.split(', ')
    const open = new Set(TABLES)
    let here = ''
    let where = start // A place, or `hand`.
    const inside = () => (where === here ? `a ${thing} 1` : 'nothing')
    const state = () => {
      if (TABLES.includes(here)) return `On the ${here}, you see ${inside()}.`
      return open.has(here) ? `The ${here} is open. In it, you see ${inside()}.` : `The ${here} is closed.`
    }
    /** What an action does and says; null where it is not possible. */
    function act(command: string): string | null {
      const there = /^go to (.+)$/.exec(command)?.[1] ?? ''
      if ([...CABINETS, ...TABLES].includes(there)) {
        here = there
        return `You arrive at ${here}. ${state()}`
      }
      if (command === `examine ${here}`) return state()
      if (command === `open ${here}` && !open.has(here)) {
        if (isJammed(here)) return 'Nothing happens.'
        open.add(here)
        return `You open the ${here}. ${state()}`
      }
      if (command === `take ${thing} 1 from ${here}` && where === here && open.has(here)) {
        where = 'hand'
        return `You pick up the ${thing} 1 from the ${here}.`
      }
      if (command === `move ${thing} 1 to ${here}` && where === 'hand' && open.has(here)) {
        where = here
        return `You move the ${thing} 1 to the ${here}.`
      }
      return null
    }
    const text = `-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see a ${CABINETS.join(', a ')}, a ${TABLES.join(', and a ')}.\n\nYour task is to: ${task.instruction}.`
    return {
      initial: { from: 'environment', text },
      step(action) {
        const answer = act(actionText(action))
        const done = where === goal
        const observation = { from: 'environment' as const, text: answer ?? 'Nothing happens.' }
        return { observation, valid: answer !== null, done, truncated: false, ...(reward && { reward: done ? 1 : 0 }) }
      },
    }
  },
  transitionKind: ({ action, next, valid }) => {
    if (!valid) return 'invalid'
    const [verb] = actionText(action).split(' ')
    return verb === 'open' && next.from !== 'tool' && next.text === 'Nothing happens.' ? 'jammed' : verb
  },
})

/** Smaller than the preset, so that it takes about two minutes. States are short texts here: only the exact one is right. */
export const small: Experiment['settings'] = {
  collect: { tasks: 120, rollouts: 2, maxSteps: 12, maxTransitions: 1000, invalidShare: 0.6 },
  reward: { kind: 'exact' },
  worldModel: { batch: 32, epochs: 4, maxSteps: 60 },
  policy: { tasks: 12, steps: 30, maxSteps: 12 },
  evaluate: { tasks: 48, runs: 3, maxSteps: 12, transitions: 400 },
}

export default defineConfig({ environment: jammedRoom({ reward: true }), settings: small })
