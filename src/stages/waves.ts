import { existsSync } from 'node:fs'
import type { z } from 'zod'
import { type Trajectory, UserError } from '../core/index.ts'
import { trajectorySchema } from '../environments/index.ts'
import { readLines, writeFileAtomic } from '../store/index.ts'

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
