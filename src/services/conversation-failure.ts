import { ServiceError } from './errors.ts'

/** Statuses by which a service refuses what it is sent, and not whoever sends it to the wrong place. */
const OF_CONTENT: readonly unknown[] = [400, 413, 422]

/**
 * Whether a failure is one conversation's and not the whole run's: it may be begun again, and others may go well. A service
 * that is not found where it is sought is so only once the conversation has `begun`: at a first request that tells of a wrong
 * address, or of a service that is down for all.
 */
export function isConversationFailure(error: unknown, begun: boolean): error is ServiceError {
  return error instanceof ServiceError && !error.final && (begun || !isNotFound(error))
}

function isNotFound({ kind, failure, received }: ServiceError): boolean {
  return kind === 'refused' ? !OF_CONTENT.includes(failure.status) : kind === 'dropped' && received === null
}
