import type { EpisodeFacts } from '../../../core/index.ts'
import type { Message, SpokenMessage } from './message.ts'

/** A user's consent to what it was asked to confirm. */
const CONSENT =
  /\b(?:yes|yeah|yep|sure|ok(?:ay)?|please do|go ahead|confirm(?:ed)?|correct|proceed|that'?s right|sounds good)\b/i

/**
 * What is asked of an agent beside the task itself: `changes` it made, how many of them `confirmed` by the user right before
 * (the policies want that of each), and messages that break the rule of one thing at a time: `mixed` text and calls, `several`
 * calls. By plain rules, so that no model is needed to count them.
 */
export function conductOf(
  messages: readonly Message[],
  tools: ReadonlyMap<string, { mutates: boolean }>,
): EpisodeFacts {
  let [changes, confirmed, mixed, several] = [0, 0, 0, 0]
  let heard: SpokenMessage | undefined
  for (const message of messages) {
    if (message.role === 'user' && message.calls.length === 0) heard = message
    if (message.role !== 'assistant' || message.calls.length === 0) continue
    if (message.content !== null && message.content.trim() !== '') mixed++
    if (message.calls.length > 1) several++
    for (const { name } of message.calls) {
      if (!tools.get(name)?.mutates) continue
      changes++
      if (CONSENT.test(heard?.content ?? '')) confirmed++
    }
  }
  return { changes, confirmed, mixed, several }
}
