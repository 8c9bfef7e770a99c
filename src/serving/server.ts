import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { openLocalEngine, weightFiles } from '../engines/index.ts'
import { loadChatFormat } from '../tokens/index.ts'
import { Admission } from './admission.ts'
import { createApp } from './app.ts'
import { Batcher } from './batcher.ts'
import { listen } from './listener.ts'
import { ServedModel } from './model.ts'

export interface ServeOptions {
  /** A model folder. */
  folder: string
  /** 0 = any free one. */
  port: number
  threads: number
  /** What the model may be called; its folder's name where there is none. */
  names?: string[]
  /** What requests have to bring, as OpenAI's clients do; without, every program on this machine is answered. */
  key?: string | null
  /** One line for every request that was answered or refused. */
  log?(line: string): void
}

export interface RunningServer {
  /** Where it listens, without the final `/v1`. */
  url: string
  names: readonly string[]
  contextLength: number
  /** Answers being written or waiting. */
  openAnswers(): number
  /** Refuses new requests, finishes open ones or, after a while, cancels them. @returns whether none was cancelled. */
  close(): Promise<boolean>
}

/** Serve a model over HTTP, OpenAI-compatible, on this machine only. @throws UserError (no model, port in use) */
export async function startServer({
  folder,
  port,
  threads,
  names = [],
  key = null,
  log = () => {},
}: ServeOptions): Promise<RunningServer> {
  const format = loadChatFormat(folder)
  const engine = await openLocalEngine(folder, { threads, frozen: true })
  try {
    const sampler = engine.trainer().sampler()
    const created = Math.floor(statSync(weightFiles(folder)[0]).mtimeMs / 1000)
    const model = new ServedModel(names.length > 0 ? names : [basename(folder)], format, sampler, created)
    const admission = new Admission()
    const app = createApp({ model, admission, batcher: new Batcher(sampler, format.stop), key, log })
    const listener = await listen(app, port)
    return {
      url: listener.url,
      names: model.names,
      contextLength: model.contextLength,
      openAnswers: () => admission.answers,
      async close() {
        const finished = admission.close()
        await listener.close(finished)
        await engine.close()
        return finished
      },
    }
  } catch (error) {
    await engine.close()
    throw error
  }
}
