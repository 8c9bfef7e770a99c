import type { RecordedCall } from './environment.ts'
import type { JudgedConversation } from './evaluator/evaluate.ts'
import { readArguments } from './protocol/conversation.ts'
import { answeredCalls, type Message } from './protocol/message.ts'

/**
 * A record as the evaluator takes it.
 * @param history messages at its beginning that are the task's own
 */
export function judgedConversation(messages: readonly Message[], history: number, solo: boolean): JudgedConversation {
  const assistantTexts = messages.flatMap((one) => (one.role === 'assistant' && one.content ? [one.content] : []))
  // As upstream tells its judge: every message, and Python's word for those without text.
  const transcript = messages.map(({ role, content }) => `${role}: ${content ?? 'None'}`).join('\n')
  return { calls: recordedCalls(messages.slice(history)), assistantTexts, transcript, solo }
}

/** The calls that were run, with what they got; what could not be read was never run. */
function recordedCalls(messages: readonly Message[]): RecordedCall[] {
  return answeredCalls(messages).flatMap(({ party, call, result }) => {
    const args = readArguments(call.arguments)
    return typeof args === 'string' ? [] : [{ party, name: call.name, arguments: args, content: result.content }]
  })
}
