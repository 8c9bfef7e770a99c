import { alfworldTranscript, PREDICT } from '../../agents/index.ts'
import { hash32, Random } from '../../core/index.ts'
import { generateHouse, Play } from '../../environments/index.ts'
import type { Message } from '../../tokens/index.ts'
import { type Benchmark, type Judgement, LOSS, type Measure, type Question } from '../benchmark.ts'
import { demonstration } from './demonstration.ts'

export interface RetentionOptions {
  /** Households whose play is read; a reply and a prediction are asked for in each. Default 150. */
  households?: number
  /** Which. Default 0. */
  seed?: number
}

const PARSED: Measure = { name: 'parsed', unit: 'share', better: 'up' }
/** As the miniature's settings have them. */
const REPLY_TOKENS = 40
const PREDICTION_TOKENS = 64

/**
 * What the shipped miniature could do before a run trained it, without any data: how well it still predicts play such as it was
 * made from (solved households of the family of layouts that nothing but its own training uses, and none of those), and whether
 * what it writes can still be read, as an action and as a prediction. Replies are drawn at temperature 1, as in training.
 */
export function retentionSuite({ households = 150, seed = 0 }: RetentionOptions = {}): Benchmark[] {
  const plays = Array.from({ length: households }, (_, index) => {
    // The miniature's households have seeds that are hashes too, of other coordinates.
    const house = generateHouse({ seed: hash32('retention', seed, index), size: 'small', split: 'base' })
    const messages = demonstration(house.game)
    const random = new Random('retention', seed, index)
    // A step of it, and something that could be done then.
    const steps = random.integer(0, messages.length / 2 - 1)
    const play = new Play(house.game)
    for (const { content } of messages.slice(0, 2 * steps).filter(({ role }) => role === 'assistant')) {
      play.step(content.slice(content.lastIndexOf('>') + 1))
    }
    const action = random.pick(play.admissible().filter((command) => command !== 'help'))
    return { id: `${index}`, messages, until: messages.slice(0, 2 * steps + 1), action }
  })
  const common = { temperature: 1, measures: [PARSED] as [Measure], notes: [NOTE] }
  const parsed = (answer: string | null, well: boolean): Judgement => ({ answer, scores: { parsed: [well ? 1 : 0, 1] } })
  const reply = (id: string, messages: readonly Message[], judge: (reply: string) => Judgement): Question => {
    return { id, kind: 'reply', messages, judge }
  }
  return [
    {
      name: 'mini-text',
      title: 'Loss on held-out play',
      questions: plays.map(({ id, messages }) => ({ id, kind: 'text', messages })),
      measures: [LOSS],
      temperature: 0,
      maxTokens: 0,
      notes: [NOTE, 'nats per token of what the player says and does'],
    },
    {
      ...common,
      name: 'mini-replies',
      title: 'Replies that parse',
      maxTokens: REPLY_TOKENS,
      questions: plays.map(({ id, until }) =>
        reply(id, until, (text) => {
          const { action, wellFormed } = alfworldTranscript.parseAction(text)
          return parsed(action?.kind === 'text' ? action.text : null, wellFormed)
        }),
      ),
    },
    {
      ...common,
      name: 'mini-predictions',
      title: 'Predictions that parse',
      maxTokens: PREDICTION_TOKENS,
      questions: plays.map(({ id, until, action }) => {
        const asked = [...until.slice(0, -1), { ...until[until.length - 1] }]
        asked[asked.length - 1].content += PREDICT + action
        return reply(id, asked, (text) => {
          const { nextState } = alfworldTranscript.parsePrediction(text)
          return parsed(nextState, nextState !== null)
        })
      }),
    },
  ]
}

const NOTE = 'generated households of the layouts that the miniature was made from, none of which a run uses'
