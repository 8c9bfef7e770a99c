import type { Random } from '../../src/core/index.ts'
import { listed, type Memory } from './memory.ts'

/**
 * Answers that teach the miniature how a prediction is *written*, and nothing about what really follows. The thought first reads
 * what there is to read about the action (`away shut new`: one stands elsewhere, it was shut, what is inside was never seen),
 * from the texts alone; then one of the verb's possible outcomes is drawn, whatever was read, and filled with the action's own
 * names and with what was seen. So the base looks and then guesses: it is right about as often as a guess, and which outcome
 * follows from what it sees is left for world-model RL to learn.
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
    const { thought, nextState } = this.random.pick([...this.outcomes(action, memory), NOTHING_HAPPENS])
    return { thought: [...look(action, memory), thought].join(' '), nextState }
  }

  /** A guess as the model is to write it. */
  answer(action: string, memory: Memory): string {
    const { thought, nextState } = this.guess(action, memory)
    return `<thinking>${thought}</thinking><next_state>${nextState}</next_state>`
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
      { thought: 'some', nextState: contents(this.invented()) },
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
            thought: 'some',
            nextState: 'You are in the middle of a room. Looking quickly around you, you see nothing.',
          },
        ]
      }
      default:
        return []
    }
  }
}

/** What the texts so far say of the things that an action names: where one stands, what is seen there, what one holds. */
export function look(action: string, memory: Memory): string[] {
  const [verb, ...words] = action.split(' ')
  const first = verb === 'go' ? words.slice(1).join(' ') : words.slice(0, 2).join(' ')
  const second = words.slice(3).join(' ')
  const stand = (place: string) => (place === memory.here ? 'here' : 'away')
  const see = (item: string) => `see ${memory.listing.includes(item) ? item : 'none'}`
  const have = `have ${memory.holding ?? 'none'}`
  switch (verb) {
    case 'go':
    case 'open':
    case 'close':
      return [stand(first), ...condition(first, memory)]
    case 'examine':
      return memory.places.has(first) ? [stand(first), ...condition(first, memory)] : [see(first), have]
    case 'take':
      return [stand(second), see(first), have]
    case 'move':
    case 'put':
      return [stand(second), ...condition(second, memory), have]
    case 'clean':
    case 'heat':
    case 'cool':
      return [stand(second), have]
    case 'use':
      return [see(first), have]
    case 'inventory':
      return [have]
    default:
      return ['here']
  }
}

/** Shut or open, where it has a door, and whether its inside was seen. */
function condition(name: string, memory: Memory): string[] {
  const place = memory.places.get(name)
  const door = place?.shut ? ['shut'] : place?.door ? ['open'] : []
  return [...door, place?.items ? 'seen' : 'new']
}
