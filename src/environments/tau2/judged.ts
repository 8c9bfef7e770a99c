import type { RecordedCall } from './environment.ts'
import type { JudgedConversation } from './evaluator/evaluate.ts'
import { readArguments } from './protocol/conversation.ts'
import type { Message } from './protocol/message.ts'

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
  const calls: RecordedCall[] = []
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') continue
    for (const [at, call] of message.calls.entries()) {
      const result = messages[index + 1 + at]
      const args = readArguments(call.arguments)
      if (result?.role !== 'tool' || typeof args === 'string') continue
      calls.push({ party: message.role, name: call.name, arguments: args, content: result.content })
    }
  }
  return calls
}
