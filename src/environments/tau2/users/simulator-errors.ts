import type { Message, SpokenMessage } from '../protocol/message.ts'
import { isUserStop, STOP } from '../protocol/protocol.ts'

/** What a simulated user did wrong: its failures, not the agent's. */
interface SimulatorErrors {
  /** Messages in which it speaks as the agent would. */
  wrongRole: number
  /** It ended the conversation before it could be helped. */
  earlyStop: number
}

/** What an agent says and a caller does not. */
const AGENT_WORDS =
  /\bi(?:'| a)m (?:\w+ )?(?:happy|glad|here) to (?:help|assist)\b|\bi(?:'| a)m (?:a|an|your) (?:\w+ ){0,2}(?:chatbot|assistant|representative)\b|\bhow (?:can|may) i (?:help|assist) you\b|\bis there anything else (?:i|we) can (?:help|assist)\b|\byou are being transferred to a human\b|\bthank you for contacting\b|\bcan i (?:have|get) your (?:name|email|user id|order|phone)\b/i

const QUESTION = /\?\s*$/
const CLOSING = /\b(?:anything|something) else\b|\bfurther (?:assist|help)/i

/** Errors that can be told from the record alone, by plain rules: they find the clear cases and no others. */
export function simulatorErrors(messages: readonly Message[]): SimulatorErrors {
  const said = messages.filter((one): one is SpokenMessage => one.role === 'user' && one.calls.length === 0)
  return {
    wrongRole: said.filter(({ content }) => AGENT_WORDS.test(content ?? '')).length,
    earlyStop: stopsEarly(messages, said) ? 1 : 0,
  }
}

/** Satisfied before the agent has done or answered anything, or while the agent waits for an answer. */
function stopsEarly(messages: readonly Message[], said: readonly SpokenMessage[]): boolean {
  const stop = messages[messages.length - 1]
  if (stop?.role !== 'user' || !isUserStop(stop)) return false
  if (said.length <= 1) return true
  if (!stop.content?.includes(STOP)) return false
  const asked = messages.findLast((one) => one.role === 'assistant' && one.calls.length === 0)
  const question = (asked as SpokenMessage | undefined)?.content ?? ''
  return QUESTION.test(question) && !CLOSING.test(question)
}
