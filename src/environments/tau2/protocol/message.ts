import type { ToolCall } from '../../../core/index.ts'
import type { Party } from '../tasks.ts'

/** What one of the two who talk says, calls, or both. Neither sees the other's calls. With calls its text is kept in the record and delivered to nobody. */
export interface Spoken {
  /** Null and blank are the same: nothing was said. */
  content: string | null
  calls: readonly ToolCall[]
}

export interface SpokenMessage extends Spoken {
  role: Party
}

/** What the environment answered to one call. */
export interface ToolMessage {
  role: 'tool'
  /** Whose call it was, and who alone sees this. */
  requestor: Party
  id: string
  name: string
  content: string
  error: boolean
}

/** One entry of the record of a conversation, complete for replay and evaluation. */
export type Message = SpokenMessage | ToolMessage

export const isBlank = ({ content, calls }: Spoken): boolean =>
  calls.length === 0 && (content === null || content.trim() === '')

/** Every call that was answered, with whose it was and what it got: results follow the calls of a message in their order. */
export function answeredCalls(messages: readonly Message[]): { party: Party; call: ToolCall; result: ToolMessage }[] {
  return messages.flatMap((message, index) => {
    if (message.role === 'tool') return []
    return message.calls.flatMap((call, at) => {
      const result = messages[index + 1 + at]
      return result?.role === 'tool' ? [{ party: message.role, call, result }] : []
    })
  })
}

/** What a party has heard and done: its own messages and results, and what the other said to it. */
export function heardBy(party: Party, messages: readonly Message[]): Message[] {
  return messages.filter((message) => {
    if (message.role === 'tool') return message.requestor === party
    return message.role === party || message.calls.length === 0
  })
}
