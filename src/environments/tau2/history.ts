import type { Message } from './protocol/message.ts'
import { dumps } from './python/json.ts'
import type { HistoryMessage } from './tasks.ts'

/** A task's own history as the record of a conversation begins with it. */
export function recordOf(history: readonly HistoryMessage[]): Message[] {
  const names = new Map(history.flatMap(({ calls }) => calls.map(({ id, name }) => [id, name] as const)))
  return history.map((one): Message => {
    if (one.role === 'tool') {
      const id = one.id ?? ''
      const { party: requestor, error } = one
      return { role: 'tool', requestor, id, name: names.get(id) ?? '', content: one.content ?? '', error }
    }
    const calls = one.calls.map((call) => ({ id: call.id, name: call.name, arguments: dumps(call.arguments) }))
    return { role: one.role, content: one.content, calls }
  })
}
