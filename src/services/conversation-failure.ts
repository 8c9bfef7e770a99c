import { type FailureKind, ServiceError } from './errors.ts'

/** What a model writes badly, or a service refuses of what it is sent: other conversations may go well. */
const OWN: readonly FailureKind[] = ['empty', 'malformed', 'cutOff', 'refused']

/**
 * Whether a failure is one conversation's and not the whole run's. A request that is refused is so only once the conversation
 * has `begun`: a first one tells of a wrong address or setting, a late one of a conversation that became too long.
 */
export function isConversationFailure(error: unknown, begun: boolean): error is ServiceError {
  return error instanceof ServiceError && OWN.includes(error.kind) && (begun || error.kind !== 'refused')
}
