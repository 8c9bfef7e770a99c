import { actionText, observationText, type PastTurn, type Transition } from '../core/index.ts'
import type { Message } from '../tokens/index.ts'
import type { Agent, View } from './agent.ts'
import { parsePolicyAnswer, parsePrediction } from './answers.ts'

/**
 * ALFWorld as one growing conversation: each observation is a user turn, each reply an assistant turn, so that a prompt
 * always extends the last one token by token. Made for small models: no instructions, no list of admissible commands.
 * A prediction is asked for in the same conversation, where the action would stand.
 */
export const PREDICT = '\nPredict what follows: '

function transcript(initial: string, history: PastTurn[], omitted = 0): Message[] {
  // The task stands in the initial observation, so that one stays whatever else does not fit.
  const gap = omitted > 0 ? `\n(${omitted} earlier steps are not shown)` : ''
  const messages: Message[] = [{ role: 'user', content: initial + gap }]
  for (const turn of history) {
    messages.push({ role: 'assistant', content: turn.reply })
    messages.push({ role: 'user', content: observationText(turn.observation) })
  }
  return messages
}

export const alfworldTranscript: Agent = {
  name: 'alfworld-transcript',
  showsActions: false,
  playMessages: (view: View) => transcript(observationText(view.initial), view.history, view.omitted),
  parseAction(reply) {
    const { thinking, action, wellFormed } = parsePolicyAnswer(reply)
    return { thinking, wellFormed, action: action === null ? null : { kind: 'text', text: action } }
  },
  predictMessages(transition: Transition, { omitted }) {
    const messages = transcript(observationText(transition.initial), transition.history, omitted)
    messages[messages.length - 1].content += PREDICT + actionText(transition.action)
    return messages
  },
  parsePrediction,
  predictionLabel: (transition) => `<thinking></thinking><next_state>${observationText(transition.next)}</next_state>`,
}
