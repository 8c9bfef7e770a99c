import { join } from 'node:path'
import { z } from 'zod'
import { readJson, writeJson } from '../store/index.ts'
import type { ChatAnswer } from './chat.ts'

const tokens = z.int().min(0)

const answerSchema: z.ZodType<ChatAnswer> = z.object({
  text: z.string(),
  reasoning: z.string(),
  toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
  finishReason: z.string(),
  usage: z.object({ inputTokens: tokens, cachedInputTokens: tokens, outputTokens: tokens }),
  usageEstimated: z.boolean(),
  cost: z.number().min(0),
  cached: z.boolean(),
})

/** Answers on the disk, one file each, by the hash of their request. Any number of processes may share a folder. */
export class AnswerCache {
  private readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  /** A file that cannot be read counts as none: asking again replaces it. */
  get(key: string): ChatAnswer | null {
    try {
      return readJson(this.path(key), answerSchema)
    } catch {
      return null
    }
  }

  /** @throws UserError (disk) */
  put(key: string, answer: ChatAnswer): void {
    writeJson(this.path(key), answer)
  }

  /** Not all in one folder: there may be hundreds of thousands. */
  private path(key: string): string {
    return join(this.folder, key.slice(0, 2), `${key.slice(2)}.json`)
  }
}
