import { Random } from '../../src/core/index.ts'
import { type ChatFormat, type Message, renderConversation } from '../../src/tokens/index.ts'
import type { CorpusKnowledge, CorpusSequence } from './corpus.ts'
import { listed } from './memory.ts'
import { weigh } from './weights.ts'

/** Questions in one sequence. */
const TURNS = 5

/**
 * Practice in looking: in each turn a new task and a new place, and the one thing to say is whether the needed thing is
 * there. Play asks this once in a few steps; here it is every step, so that a model this small learns to look early.
 */
export function drillSequence(format: ChatFormat, knowledge: CorpusKnowledge, seed: number): CorpusSequence {
  const random = new Random('drill', seed)
  const messages: Message[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    const types = random.shuffle(knowledge.objects).slice(0, random.integer(1, 6))
    const items = types.map((type) => `${type} ${random.integer(1, 3)}`)
    const present = random.chance(0.5)
    const needed = present
      ? random.pick(items)
      : `${random.pick(knowledge.objects.filter((type) => !types.includes(type)))} 1`
    const [type] = needed.split(' ')
    const place = `${random.pick(knowledge.places)} ${random.integer(1, 4)}`
    const shut = random.chance(0.1)
    const look = shut ? `The ${place} is closed.` : `On the ${place}, you see ${listed(items)}.`
    messages.push({
      role: 'user',
      content: `Your task is to: put a ${type} in ${random.pick(knowledge.places)}.\n\nYou arrive at ${place}. ${look}`,
    })
    const [thought, command] = shut
      ? [`need ${type} see shut`, `open ${place}`]
      : present
        ? [`need ${type} see ${needed}`, `take ${needed} from ${place}`]
        : [`need ${type} see none`, 'look']
    messages.push({ role: 'assistant', content: `<thinking>${thought}</thinking>${command}` })
  }
  const [sequence] = renderConversation(format, messages)
  return { tokens: sequence.tokens, weights: weigh(sequence, () => true, format) }
}
