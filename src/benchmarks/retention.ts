import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { alfworldTranscript, PREDICT } from '../agents/index.ts'
import { Random } from '../core/index.ts'
import { readLines } from '../store/index.ts'
import type { Message } from '../tokens/index.ts'
import { type Benchmark, judged, LOSS, type Measure, type Question } from './benchmark.ts'

/** Beside the model, wherever the package is installed. */
const TEXT = fileURLToPath(new URL('../../models/mini/held-out.jsonl', import.meta.url))

const lineSchema = z.object({
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content: z.string() })).min(2),
})

/** Whether a reply could be read: of its form, and not of what the model knows. */
export const PARSED: Measure = { name: 'parsed', unit: 'share', better: 'up' }
/** As the miniature's settings have them. */
const REPLY_TOKENS = 40
const PREDICTION_TOKENS = 64
const NOTE = 'play such as the miniature was made from, in households of a family of layouts that no run uses'

/**
 * What the shipped miniature could do before a run trained it, without any other data: how well it predicts text such as it was
 * trained on (held out from that training, and from every run), and whether what it writes can still be read, as an action and
 * as a prediction. Replies are drawn at temperature 1, as in training.
 */
export function retentionSuite(): Benchmark[] {
  const plays = readLines(TEXT, lineSchema).map(({ messages }, index) => {
    const step = new Random('retention', index).integer(0, messages.length / 2 - 1)
    return { id: `${index}`, messages, until: messages.slice(0, 2 * step + 1), reply: messages[2 * step + 1].content }
  })
  const asked = { temperature: 1, measures: [PARSED] as [Measure], notes: [NOTE] }
  return [
    {
      name: 'mini-text',
      title: 'Loss on held-out text',
      questions: plays.map(({ id, messages }) => ({ id, kind: 'text', messages })),
      measures: [LOSS],
      temperature: 0,
      maxTokens: 0,
      notes: [NOTE, 'nats per token of what the player says and does'],
    },
    {
      ...asked,
      name: 'mini-replies',
      title: 'Replies that parse',
      maxTokens: REPLY_TOKENS,
      questions: plays.map(({ id, until }): Question => {
        return {
          id,
          kind: 'reply',
          messages: until,
          judge(reply) {
            const { action, wellFormed } = alfworldTranscript.parseAction(reply)
            return judged(action?.kind === 'text' ? action.text : null, wellFormed, PARSED)
          },
        }
      }),
    },
    {
      ...asked,
      name: 'mini-predictions',
      title: 'Predictions that parse',
      maxTokens: PREDICTION_TOKENS,
      questions: plays.map(({ id, until, reply }): Question => {
        const action = alfworldTranscript.parseAction(reply).action
        return {
          id,
          kind: 'reply',
          messages: withQuestion(until, action?.kind === 'text' ? action.text : 'look'),
          judge(reply) {
            const { nextState } = alfworldTranscript.parsePrediction(reply)
            return judged(nextState, nextState !== null, PARSED)
          },
        }
      }),
    },
  ]
}

/** Asked where the action would stand. */
function withQuestion(messages: readonly Message[], action: string): Message[] {
  return messages.map((message, index) =>
    index < messages.length - 1 ? message : { ...message, content: message.content + PREDICT + action },
  )
}
