import type { Random } from '../../src/core/index.ts'
import { listed, type Memory } from './memory.ts'

/**
 * Answers that teach the miniature how a prediction is *written*, and nothing about what really follows: for each verb one
 * of its possible outcomes, drawn without looking at the game, filled with the action's own names and with what was seen.
 * So the base is right about as often as a guess; which outcome is the true one is left for world-model RL to learn.
 */
export interface Guess {
  thought: string
  nextState: string
}

const NOTHING_HAPPENS: Guess = { thought: 'fails', nextState: 'Nothing happens.' }

export class Guesser {
  constructor(
    private readonly random: Random,
    /** Object types that appear in listings, to invent one. */
    private readonly objects: string[],
  ) {}

  guess(action: string, memory: Memory): Guess {
    const options = this.outcomes(action, memory)
    return this.random.pick(options.length > 0 ? [...options, NOTHING_HAPPENS] : [NOTHING_HAPPENS])
  }

  private invented(): string[] {
    const count = this.random.integer(1, 4)
    return Array.from({ length: count }, () => `${this.random.pick(this.objects)} ${this.random.integer(1, 3)}`)
  }

  /** The ways a place may look, with the thought that goes with each. */
  private looks(place: string, memory: Memory, opened: boolean): Guess[] {
    const known = memory.places.get(place)
    const inside = (items: string[]) => `The ${place} is open. In it, you see ${listed(items)}.`
    const contents = (items: string[]) =>
      opened || known?.door ? inside(items) : `On the ${place}, you see ${listed(items)}.`
    const options: Guess[] = [
      { thought: 'bare', nextState: contents([]) },
      { thought: 'new', nextState: contents(this.invented()) },
    ]
    if (!opened) options.push({ thought: 'shut', nextState: `The ${place} is closed.` })
    if (known?.items) {
      const items = [...known.items]
      if (items.length > 0 && this.random.chance(0.25)) items.splice(this.random.integer(0, items.length - 1), 1)
      options.push(
        { thought: 'known', nextState: contents(items) },
        { thought: 'known', nextState: contents(known.items) },
      )
    }
    return options
  }

  private outcomes(action: string, memory: Memory): Guess[] {
    const works = (nextState: string): Guess[] => [{ thought: 'works', nextState }]
    const [verb, ...words] = action.split(' ')
    const name = words.slice(0, 2).join(' ')
    const second = words.slice(3).join(' ')
    switch (verb) {
      case 'go': {
        const place = words.slice(1).join(' ')
        return this.looks(place, memory, false).map(({ thought, nextState }) => ({
          thought,
          nextState: `You arrive at ${place}. ${nextState}`,
        }))
      }
      case 'open':
        return this.looks(name, memory, true).map(({ thought, nextState }) => ({
          thought,
          nextState: `You open the ${name}. ${nextState}`,
        }))
      case 'close':
        return works(`You close the ${name}.`)
      case 'examine':
        if (memory.places.has(name)) return this.looks(name, memory, false)
        return [
          ...works(`There's nothing special about ${name}.`),
          ...works(`This is a normal ${name}. In it, you see nothing.`),
          ...works(`This is a ${this.random.pick(['hot', 'cold', 'clean'])} ${name}.`),
        ]
      case 'take':
        return works(`You pick up the ${name} from the ${second}.`)
      case 'move':
        return works(`You move the ${name} to the ${second}.`)
      case 'put':
        return works(`You put the ${name} in/on the ${words.slice(3).join(' ')}.`)
      case 'clean':
      case 'heat':
      case 'cool':
        return works(`You ${verb} the ${name} using the ${second}.`)
      case 'use':
        return works(`You turn on the ${name}.`)
      case 'inventory':
        return [
          { thought: 'hands', nextState: 'You are not carrying anything.' },
          { thought: 'have', nextState: `You are carrying: a ${memory.holding ?? this.invented()[0]}.` },
        ]
      case 'look': {
        const place = memory.here ?? this.random.pick([...memory.places.keys()])
        return [
          { thought: 'here', nextState: `You are facing the ${place}. Next to it, you see nothing.` },
          {
            thought: 'new',
            nextState: 'You are in the middle of a room. Looking quickly around you, you see nothing.',
          },
        ]
      }
      default:
        return []
    }
  }
}
