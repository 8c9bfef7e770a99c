import { hash32 } from '../../src/core/index.ts'
import { generateHouse } from '../../src/environments/alfworld/index.ts'
import type { Message } from '../../src/tokens/index.ts'
import { type CorpusKnowledge, corpusMessages, HABITS, STEPS } from './corpus.ts'

const CONVERSATIONS = 80

/**
 * Text like that which the miniature was trained on, and none of it: play as weak as the last it read, in households of seeds
 * that its training never drew. Without questions about what follows, whose answers a run means to change, and without blunders.
 */
export function heldOutText(knowledge: CorpusKnowledge): Message[][] {
  const habits: typeof HABITS.weak = { ...HABITS.weak, blunder: [0, 0] }
  return Array.from({ length: CONVERSATIONS }, (_, index) => {
    const seed = hash32('held-out text', index)
    const { game } = generateHouse({ seed, size: 'small', split: 'base', shuffle: 0.3 })
    const options = { predictions: 0, habits, maxSteps: STEPS.small }
    const { messages } = corpusMessages(game, knowledge, options, seed)
    // It ends with what the player did.
    return messages.slice(0, messages.findLastIndex(({ role }) => role === 'assistant') + 1)
  })
}
