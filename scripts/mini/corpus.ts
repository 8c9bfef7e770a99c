import { PREDICT } from '../../src/agents/index.ts'
import { Random } from '../../src/core/index.ts'
import { type Game, Play, withoutStop } from '../../src/environments/alfworld/index.ts'
import { type ChatFormat, type Message, renderConversation } from '../../src/tokens/index.ts'
import { parseGoal } from './goal.ts'
import { Guesser } from './guesser.ts'
import { Memory } from './memory.ts'
import { type Habits, Player } from './player.ts'
import { weigh } from './weights.ts'

/** How the corpus is mixed. Shares are of episodes unless said otherwise. */
export interface CorpusOptions {
  /** Episodes that stop at a random step and end with a question about what follows. */
  predictions: number
  /** Bounds between which each episode's habits are drawn. */
  habits: { [K in keyof Habits]: [low: number, high: number] }
  maxSteps: number
}

/** What the miniature read first, and what last. */
export const HABITS: Record<'clean' | 'weak', CorpusOptions['habits']> = {
  clean: { wander: [0, 0.2], forgetful: [0, 0.5], shy: [0, 0.2], blunder: [0, 0.12] },
  weak: { wander: [0.35, 0.55], forgetful: [0.7, 1], shy: [0.4, 0.6], blunder: [0, 0.12] },
}
/** Longest episodes, by size of the household. */
export const STEPS = { small: 14, full: 24 }

export interface CorpusKnowledge {
  plausible: (object: string, place: string) => number
  /** Types of things and of places, lower case. */
  objects: string[]
  places: string[]
}

/** One training sequence: tokens, and the weight of predicting each (0 on what the game wrote and on blunders). */
export interface CorpusSequence {
  tokens: number[]
  weights: number[]
}

/**
 * One episode of noisy play as a conversation; now and then cut short by a question about the next observation, answered by
 * the guesser. Observations carry no loss: nothing here teaches what an action really leads to.
 */
export function corpusSequence(
  game: Game,
  format: ChatFormat,
  knowledge: CorpusKnowledge,
  options: CorpusOptions,
  seed: number,
): CorpusSequence {
  const { messages, learned } = corpusMessages(game, knowledge, options, seed)
  const [sequence] = renderConversation(format, messages)
  return { tokens: sequence.tokens, weights: weigh(sequence, (reply) => learned[reply], format) }
}

/** The same as text; `learned` says of each reply whether it is to be imitated. */
export function corpusMessages(
  game: Game,
  knowledge: CorpusKnowledge,
  options: CorpusOptions,
  seed: number,
): { messages: Message[]; learned: boolean[] } {
  const random = new Random('corpus', seed)
  const play = new Play(game)
  const between = ([low, high]: [number, number]) => low + random.next() * (high - low)
  const habits: Habits = {
    wander: between(options.habits.wander),
    forgetful: between(options.habits.forgetful),
    shy: between(options.habits.shy),
    blunder: between(options.habits.blunder),
  }
  const goal = parseGoal(withoutStop(game.taskLine))
  if (!goal) throw new Error(`goal not understood: ${game.taskLine}`)
  const memory = new Memory(play.initial)
  const moveCommand = (object: string, place: string) => `move ${object} to ${place}`
  const player = new Player(goal, memory, habits, random, knowledge.plausible, moveCommand)
  const askAt = random.chance(options.predictions) ? random.integer(0, options.maxSteps - 1) : -1

  const learned: boolean[] = []
  const messages: Message[] = [{ role: 'user', content: play.initial }]
  for (let step = 0; step < options.maxSteps; step++) {
    const move = player.next(() => play.admissible())
    if (step === askAt) {
      const asked = random.chance(0.3) ? move.command : askedCommand(play.admissible(), memory, knowledge, random)
      const guess = new Guesser(random, knowledge.objects).guess(asked, memory)
      messages[messages.length - 1].content += PREDICT + asked
      learned.push(true)
      messages.push({
        role: 'assistant',
        content: `<thinking>${guess.thought}</thinking><next_state>${guess.nextState}</next_state>`,
      })
      break
    }
    learned.push(!move.blunder)
    messages.push({ role: 'assistant', content: `<thinking>${move.thought}</thinking>${move.command}` })
    const { observation, won } = play.step(move.command)
    memory.observe(move.command, observation)
    if (won) break
    messages.push({ role: 'user', content: observation })
  }
  return { messages, learned }
}

/** What to ask about: every verb equally often, and now and then something that is impossible. */
function askedCommand(possible: string[], memory: Memory, knowledge: CorpusKnowledge, random: Random): string {
  const places = [...memory.places.keys()]
  if (random.chance(0.15)) {
    const place = memory.here ?? random.pick(places)
    const item = `${random.pick(knowledge.objects)} ${random.integer(1, 3)}`
    return random.pick([
      `take ${item} from ${place}`,
      `move ${item} to ${place}`,
      `go to ${place}`,
      `open ${random.pick(places)}`,
      `close ${random.pick(places)}`,
    ])
  }
  const byVerb = new Map<string, string[]>()
  for (const command of possible) {
    const [verb] = command.split(' ')
    if (verb !== 'help') byVerb.set(verb, [...(byVerb.get(verb) ?? []), command])
  }
  return random.pick(random.pick([...byVerb.values()]))
}
