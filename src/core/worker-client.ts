/** The near end of a worker thread: calls out, answers in, and nobody left waiting when the thread ends. */
import { Worker } from 'node:worker_threads'
import { UserError } from './errors.ts'
import { buffersOf, receivedError, type WorkerAnswer, type WorkerCalls } from './worker-calls.ts'

/** A thread that runs the module of this name beside the caller's (`import.meta.url`), compiled or as source. */
export function startWorker(caller: string, name: string): Worker {
  if (!caller.endsWith('.ts')) return new Worker(new URL(`./${name}.js`, caller))
  const file = new URL(`./${name}.ts`, caller).href
  return new Worker(new URL('./worker-from-source.mjs', import.meta.url), { workerData: file })
}

interface Pending {
  resolve(result: unknown): void
  reject(error: Error): void
  late: NodeJS.Timeout
}

/**
 * Longest wait for one answer: far beyond any batch that is worth waiting for. It can only end a run, never change one: what
 * was being computed is computed again on resuming.
 */
export const CALL_DEADLINE = 3_600_000

export class WorkerClient<Calls extends WorkerCalls<Calls> & { close(): undefined }> {
  private readonly worker: Worker
  /** Whose thread it is, for messages. */
  private readonly owner: string
  private readonly pending = new Map<number, Pending>()
  private counter = 0
  private ended: Error | undefined

  constructor(worker: Worker, owner: string) {
    this.worker = worker
    this.owner = owner
    this.worker.on('message', (answer: WorkerAnswer) => {
      const pending = this.pending.get(answer.id)
      clearTimeout(pending?.late)
      this.pending.delete(answer.id)
      if (this.pending.size === 0) this.worker.unref()
      if ('error' in answer) pending?.reject(receivedError(answer.error))
      else pending?.resolve(answer.result)
    })
    const memory = 'where it ran out of memory, take a smaller batch or model'
    const fail = (error: unknown) => {
      const what = error instanceof Error ? error.message : String(error)
      this.end(new UserError(`${owner}'s worker thread failed: ${what}; ${memory}`))
    }
    this.worker.on('error', fail)
    this.worker.on('messageerror', fail)
    this.worker.on('exit', (code) => {
      this.end(new UserError(`${owner}'s worker thread has ended (exit code ${code}); ${memory}`))
    })
    // Idle, it must not keep the process alive; while a call is pending it does.
    this.worker.unref()
  }

  private end(reason: Error): void {
    this.ended ??= reason
    for (const { reject, late } of this.pending.values()) {
      clearTimeout(late)
      reject(this.ended)
    }
    this.pending.clear()
  }

  /** Packed arguments are moved to the worker: do not touch them afterwards. */
  call<Name extends keyof Calls & string>(
    name: Name,
    ...parameters: Parameters<Calls[Name]>
  ): Promise<ReturnType<Calls[Name]>> {
    if (this.ended) return Promise.reject(this.ended)
    return new Promise((resolve, reject) => {
      const id = this.counter++
      const late = setTimeout(() => this.giveUp(name), CALL_DEADLINE)
      this.pending.set(id, { resolve: resolve as Pending['resolve'], reject, late })
      this.worker.ref()
      this.worker.postMessage({ id, name, parameters }, buffersOf(parameters))
    })
  }

  private giveUp(name: string): void {
    const minutes = CALL_DEADLINE / 60_000
    this.end(
      new UserError(
        `${this.owner} did not answer "${name}" within ${minutes} minutes: it is stuck, or the batch is too large for this machine; take a smaller one`,
      ),
    )
    void this.terminate()
  }

  /** End the thread after the calls already made; later ones are refused. */
  async close(): Promise<void> {
    if (this.ended) return
    const closed = this.call('close', ...([] as Parameters<Calls['close']>))
    this.ended = new Error(`${this.owner} is closed`)
    // What cannot be freed in order goes with the thread.
    await closed.catch(() => undefined)
    await this.terminate()
  }

  /** End the thread at once; pending calls are rejected. */
  async terminate(): Promise<void> {
    await this.worker.terminate()
  }
}
