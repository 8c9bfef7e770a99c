/** The near end of the engine's worker thread: calls out, answers in, and nobody left waiting when the thread ends. */
import { Worker } from 'node:worker_threads'
import { UserError } from '../../core/index.ts'
import { type Answer, buffersOf, type CallName, type Calls, receivedError } from './protocol.ts'

function startWorker(): Worker {
  const file = import.meta.url.endsWith('.ts') ? './worker-from-source.mjs' : './worker.js'
  return new Worker(new URL(file, import.meta.url))
}

interface Pending {
  resolve(result: ReturnType<Calls[CallName]>): void
  reject(error: Error): void
  late: NodeJS.Timeout
}

/**
 * Longest wait for one answer: far beyond any batch that is worth waiting for. It can only end a run, never change one: what
 * was being computed is computed again on resuming.
 */
export const CALL_DEADLINE = 3_600_000

export class WorkerClient {
  private readonly worker: Worker
  private readonly pending = new Map<number, Pending>()
  private counter = 0
  private ended: Error | undefined

  /** `worker` is another one in tests. */
  constructor(worker = startWorker()) {
    this.worker = worker
    this.worker.on('message', (answer: Answer) => {
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
      this.end(new UserError(`the engine's worker thread failed: ${what}; ${memory}`))
    }
    this.worker.on('error', fail)
    this.worker.on('messageerror', fail)
    this.worker.on('exit', (code) => {
      this.end(new UserError(`the engine's worker thread has ended (exit code ${code}); ${memory}`))
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
  call<Name extends CallName>(name: Name, ...parameters: Parameters<Calls[Name]>): Promise<ReturnType<Calls[Name]>> {
    if (this.ended) return Promise.reject(this.ended)
    return new Promise((resolve, reject) => {
      const id = this.counter++
      const late = setTimeout(() => this.giveUp(name), CALL_DEADLINE)
      this.pending.set(id, { resolve: resolve as Pending['resolve'], reject, late })
      this.worker.ref()
      this.worker.postMessage({ id, name, parameters }, buffersOf(parameters))
    })
  }

  private giveUp(name: CallName): void {
    const minutes = CALL_DEADLINE / 60_000
    this.end(
      new UserError(
        `the engine did not answer "${name}" within ${minutes} minutes: it is stuck, or the batch is too large for this machine; take a smaller one`,
      ),
    )
    void this.terminate()
  }

  /** End the thread after the calls already made; later ones are refused. */
  async close(): Promise<void> {
    if (this.ended) return
    const closed = this.call('close')
    this.ended = new Error('the engine is closed')
    // What cannot be freed in order goes with the thread.
    await closed.catch(() => undefined)
    await this.terminate()
  }

  /** End the thread at once; pending calls are rejected. */
  async terminate(): Promise<void> {
    await this.worker.terminate()
  }
}
