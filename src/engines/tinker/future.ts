/** Results of requests that the server works on for a while: asked for until they are there. */
import type { z } from 'zod'
import { quotable, ServiceError } from '../../services/index.ts'
import type { Result } from './codec.ts'
import { type Connection, Unheard } from './connection.ts'
import { RESUME, type Reply } from './failures.ts'
import { failedSchema, metadataSchema, pendingSchema } from './wire.ts'

/** How often a bare 400 is asked about again: proxies send some. */
const BAD_REQUESTS = 3
/** How often a request is made anew after its result was lost. */
const RESUBMISSIONS = 3

/** A request that the server has taken. */
export interface Pending {
  what: string
  requestId: string
  /** What it results in, where protobuf has a form for that. */
  result?: Result
  /** Sends the same request again, under the same sequence number; null where that would do it twice. */
  resubmit: (() => Promise<string>) | null
}

/** What the next look at a result needs to know of those before. */
interface Wait {
  /** What the server said last. */
  last: string
  inline: boolean
  badRequests: number
  resubmissions: number
  /** Looks without a result that count for the backoff. */
  failures: number
  heard: number
}

/** The result of a request, once there. @throws ServiceError: it failed, it is lost, or a deadline passed */
export async function resultOf<Schema extends z.ZodType>(
  connection: Connection,
  pending: Pending,
  schema: Schema,
): Promise<z.output<Schema>> {
  const { resultSeconds } = connection.config
  const began = performance.now()
  const wait: Wait = { last: '', inline: false, badRequests: 0, resubmissions: 0, failures: 0, heard: began }
  let { requestId } = pending
  for (;;) {
    if (performance.now() - began > resultSeconds * 1000) throw overdue(connection, pending, wait)
    const body = { request_id: requestId, allow_metadata_only: !wait.inline }
    const request = {
      what: `the result of ${pending.what}`,
      path: 'retrieve_future',
      body,
      result: pending.result,
      seconds: connection.pace.poll,
    }
    let reply: Reply
    try {
      reply = await connection.exchange(request)
    } catch (error) {
      await afterSilence(connection, wait, error)
      continue
    }
    wait.heard = performance.now()
    if (reply.status === 410) requestId = await anew(connection, pending, wait, reply)
    else if (reply.status !== 200) await afterRefusal(connection, pending, wait, reply)
    else if (pendingSchema.safeParse(reply.body).success) await whilePending(connection, wait, reply)
    else if (metadataSchema.safeParse(reply.body).success) {
      // It is there, but large: the next look asks for all of it.
      if (wait.inline) await connection.rest(connection.pace.pending)
      wait.inline = true
    } else {
      const failed = failedSchema.safeParse(reply.body).data
      if (failed) throw failure(connection, pending, connection.said(reply), failed.category)
      return connection.checked(reply, schema, pending.what)
    }
  }
}

async function whilePending(connection: Connection, wait: Wait, reply: Reply): Promise<void> {
  const { queue_state: state = 'active' } = pendingSchema.parse(reply.body)
  wait.last = state === 'active' ? '' : ` (its queue: ${quotable(state)})`
  wait.failures = 0
  await connection.rest(connection.pace.pending)
}

/** A look that had no reply. Keeping silent is how some servers wait; not to be reached at all for long is the end. */
async function afterSilence(connection: Connection, wait: Wait, error: unknown): Promise<void> {
  if (!(error instanceof Unheard) || !error.retryable) throw error
  if (error.kind === 'stalled') {
    wait.heard = performance.now()
    return
  }
  const { unreachableSeconds } = connection.config
  if (performance.now() - wait.heard > unreachableSeconds * 1000) throw error.after(wait.failures + 1)
  const { longestPollBackoff } = connection.pace
  await connection.rest(connection.backoff(wait.failures++, 'poll', undefined, longestPollBackoff))
}

async function afterRefusal(connection: Connection, pending: Pending, wait: Wait, reply: Reply): Promise<void> {
  const { status } = reply
  const { pace } = connection
  const error = connection.failure(reply, pending.what)
  if (status === 408) return await connection.rest(pace.pending)
  if (status === 402) {
    wait.last = ' (the account there is used up: add credit)'
    return await connection.rest(pace.unpaid)
  }
  if (status === 400) {
    if (wait.badRequests++ >= BAD_REQUESTS) throw failure(connection, pending, error.failure.what)
    return await connection.rest(connection.backoff(wait.badRequests, pending.what))
  }
  if ((status !== 429 && status < 500) || !error.bearable) throw error
  wait.last = ` (${error.failure.what})`
  await connection.rest(
    connection.backoff(wait.failures++, pending.what, error.failure.retryAfter, pace.longestPollBackoff),
  )
}

async function anew(connection: Connection, pending: Pending, wait: Wait, reply: Reply): Promise<string> {
  if (!pending.resubmit || wait.resubmissions++ >= RESUBMISSIONS) throw connection.failure(reply, pending.what)
  return await pending.resubmit()
}

function failure(connection: Connection, { what }: Pending, text: string, category = ''): ServiceError {
  const whose = category === '' ? '' : ` (${quotable(category)})`
  const advice = category === 'user' || category === '' ? 'check the data, the settings and its log' : RESUME
  return new ServiceError(connection.where, { kind: 'refused', what: `failed at ${what}${whose}: ${text}`, advice })
}

function overdue(connection: Connection, { what }: Pending, { last }: Wait): ServiceError {
  const { resultSeconds } = connection.config
  return new ServiceError(connection.where, {
    kind: 'stalled',
    what: `was not done with ${what} after ${resultSeconds} s${last}`,
    advice: 'raise resultSeconds, or resume when it is less busy',
  })
}
