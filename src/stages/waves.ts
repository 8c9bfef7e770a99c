import { existsSync } from 'node:fs'
import { z } from 'zod'
import { type Trajectory, UserError } from '../core/index.ts'
import { readLines, writeFileAtomic } from '../store/index.ts'

const action = z.union([
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({
    kind: z.literal('tools'),
    calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
    text: z.string().optional(),
  }),
])
const observation = z.union([
  z.object({ from: z.enum(['environment', 'user']), text: z.string() }),
  z.object({
    from: z.literal('tool'),
    results: z.array(
      z.object({ id: z.string(), name: z.string(), content: z.string(), error: z.boolean().optional() }),
    ),
  }),
])
const numbers = z.array(z.number())

/** A line of `rollouts/*.jsonl`. */
export const trajectorySchema: z.ZodType<Trajectory> = z.object({
  task: z.object({ id: z.string(), split: z.string(), kind: z.string(), instruction: z.string() }),
  sample: z.int(),
  seed: z.number(),
  initial: observation,
  turns: z.array(
    z.object({
      reply: z.string(),
      action: action.nullable(),
      observation,
      valid: z.boolean(),
      tokens: numbers,
      logprobs: numbers,
    }),
  ),
  reward: z.number().optional(),
  done: z.boolean(),
  truncated: z.boolean(),
  sequences: z.array(z.object({ tokens: numbers, mask: numbers, logprobs: numbers })),
})

/**
 * Waves on disk: a finished wave is one file, written whole; an unfinished one leaves nothing and is played again. The
 * play that fills a wave is a pure function of its slots, the seed and the weights.
 */
export function storedWave(path: string, episodes: number, play: () => Promise<Trajectory[]>): Promise<Trajectory[]> {
  return storedLines(path, trajectorySchema, episodes, play)
}

/** The lines of a file; made, and written whole, where the file is not there yet. */
export async function storedLines<T>(
  path: string,
  schema: z.ZodType<T>,
  count: number,
  make: () => Promise<T[]>,
): Promise<T[]> {
  if (existsSync(path)) {
    const stored = readLines(path, schema)
    if (stored.length === count) return stored
    throw new UserError(`${path} holds ${stored.length} of ${count} lines: it was damaged; delete it to make it again`)
  }
  const made = await make()
  writeFileAtomic(path, made.map((one) => `${JSON.stringify(one)}\n`).join(''))
  return made
}
