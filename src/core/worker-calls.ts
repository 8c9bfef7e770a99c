/** What crosses the boundary to a worker thread, and the thread's end of it: calls in, answers out, one after the other. */
import type { MessagePort } from 'node:worker_threads'
import { UserError } from './errors.ts'

/** What a worker can be asked: functions of values that can be sent. */
// biome-ignore lint/suspicious/noExplicitAny: parameters are those of each worker's own calls.
export type WorkerCalls<Calls> = { [Name in keyof Calls]: (...parameters: any[]) => unknown }

/** The functions of a worker that do its calls. */
export type WorkerAnswers<Calls extends WorkerCalls<Calls>> = {
  [Name in keyof Calls]: (...parameters: Parameters<Calls[Name]>) => Promise<ReturnType<Calls[Name]>>
}

interface Call {
  id: number
  name: string
  parameters: unknown[]
}

export type WorkerAnswer = { id: number; result: unknown } | { id: number; error: SentError }

/** An error in plain fields: classes do not survive the crossing. */
interface SentError {
  message: string
  stack?: string
  /** Set for a `UserError`. */
  exitCode?: 1 | 2
}

/** Answers the calls that come through a port, in order of arrival. */
export function answerCalls<Calls extends WorkerCalls<Calls>>(port: MessagePort, calls: WorkerAnswers<Calls>): void {
  const answer = async ({ id, name, parameters }: Call): Promise<void> => {
    let reply: WorkerAnswer
    try {
      const call = calls[name as keyof Calls] as (...parameters: unknown[]) => Promise<unknown>
      reply = { id, result: await call(...parameters) }
    } catch (error) {
      reply = { id, error: sendableError(error) }
    }
    port.postMessage(reply, buffersOf(reply))
  }
  let last: Promise<void> = Promise.resolve()
  port.on('message', (message: Call) => {
    last = last.then(() => answer(message))
  })
}

function sendableError(error: unknown): SentError {
  if (error instanceof UserError) return { message: error.message, exitCode: error.exitCode }
  if (error instanceof Error) return { message: error.message, stack: error.stack }
  return { message: String(error) }
}

export function receivedError({ message, stack, exitCode }: SentError): Error {
  if (exitCode !== undefined) return new UserError(message, exitCode)
  const error = new Error(message)
  if (stack) error.stack = stack
  return error
}

/** The buffers inside packed values, to be transferred. */
export function buffersOf(value: unknown): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) return value.buffer instanceof ArrayBuffer ? [value.buffer] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(buffersOf)
}
