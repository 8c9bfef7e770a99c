import { actionText, observationText, type PastTurn, type Transition } from '../core/index.ts'
import type { Message } from '../tokens/index.ts'
import type { Agent, View } from './agent.ts'
import { parsePolicyAnswer, parsePrediction, tightLabel } from './answers.ts'

/** Asks for a prediction; the action follows. */
export const PREDICT = '\nPredict what follows: '

/** The same for what is asked in place of it. */
export const asking = ({ question }: Pick<Transition, 'question'>): string =>
  question === undefined ? PREDICT : `\n${question} `

export interface TranscriptOptions {
  /** In run folders and tables. */
  name?: string
  /** What there is to know about the environment: the system message. None when absent. */
  description?: string
}

/**
 * Any text environment as one growing conversation: each observation is a user turn, each reply an assistant turn, so that a
 * prompt always extends the last one token by token. Made for small models that were trained to play so: no instructions, no
 * list of admissible commands; the first observation has to say what the task is. A prediction is asked for in the same
 * conversation, where the action would stand.
 */
export function transcriptAgent({ name = 'transcript', description }: TranscriptOptions = {}): Agent {
  const transcript = (initial: string, history: PastTurn[], omitted = 0): Message[] => [
    ...(description === undefined ? [] : [{ role: 'system' as const, content: description }]),
    // The task stands in the initial observation, so that one stays whatever else does not fit.
    { role: 'user', content: omitted > 0 ? `${initial}\n(${omitted} earlier steps are not shown)` : initial },
    ...history.flatMap((turn): Message[] => [
      { role: 'assistant', content: turn.reply },
      { role: 'user', content: observationText(turn.observation) },
    ]),
  ]
  return {
    name,
    showsActions: false,
    playMessages: (view: View) => transcript(observationText(view.initial), view.history, view.omitted),
    parseAction(reply) {
      const { thinking, action, wellFormed } = parsePolicyAnswer(reply)
      return { thinking, wellFormed, action: action === null ? null : { kind: 'text', text: action } }
    },
    actionLabel: (action, thinking = '') => `<thinking>${thinking}</thinking>${actionText(action)}`,
    predictMessages(transition: Transition, { omitted }) {
      const messages = transcript(observationText(transition.initial), transition.history, omitted)
      messages[messages.length - 1].content += asking(transition) + actionText(transition.action)
      return messages
    },
    parsePrediction,
    predictionLabel: ({ next }, thinking) => tightLabel(observationText(next), thinking),
  }
}

/** ALFWorld as the shipped miniature knows it: the task stands in the first observation. */
export const alfworldTranscript: Agent = transcriptAgent({ name: 'alfworld-transcript' })
