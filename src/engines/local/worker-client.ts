/** The near end of the engine's worker thread: calls out, answers in, and nobody left waiting when the thread ends. */
import { Worker } from 'node:worker_threads'
import { type Answer, buffersOf, type CallName, type Calls, receivedError } from './protocol.ts'

function startWorker(): Worker {
  const file = import.meta.url.endsWith('.ts') ? './worker-from-source.mjs' : './worker.js'
  return new Worker(new URL(file, import.meta.url))
}

interface Pending {
  resolve(result: ReturnType<Calls[CallName]>): void
  reject(error: Error): void
}

export class WorkerClient {
  private readonly worker = startWorker()
  private readonly pending = new Map<number, Pending>()
  private counter = 0
  private ended: Error | undefined

  constructor() {
    this.worker.on('message', (answer: Answer) => {
      const pending = this.pending.get(answer.id)
      this.pending.delete(answer.id)
      if (this.pending.size === 0) this.worker.unref()
      if ('error' in answer) pending?.reject(receivedError(answer.error))
      else pending?.resolve(answer.result)
    })
    this.worker.on('error', (error) => this.end(new Error(`the engine's worker thread failed: ${error.message}`)))
    this.worker.on('exit', (code) => this.end(new Error(`the engine's worker thread has ended (exit code ${code})`)))
    // Idle, it must not keep the process alive; while a call is pending it does.
    this.worker.unref()
  }

  private end(reason: Error): void {
    this.ended ??= reason
    for (const { reject } of this.pending.values()) reject(this.ended)
    this.pending.clear()
  }

  /** Packed arguments are moved to the worker: do not touch them afterwards. */
  call<Name extends CallName>(name: Name, ...parameters: Parameters<Calls[Name]>): Promise<ReturnType<Calls[Name]>> {
    if (this.ended) return Promise.reject(this.ended)
    return new Promise((resolve, reject) => {
      const id = this.counter++
      this.pending.set(id, { resolve: resolve as Pending['resolve'], reject })
      this.worker.ref()
      this.worker.postMessage({ id, name, parameters }, buffersOf(parameters))
    })
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
