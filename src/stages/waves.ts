import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import { Random, type Trajectory, UserError } from '../core/index.ts'
import { trajectorySchema } from '../environments/index.ts'
import { checkReplay } from '../rollouts/index.ts'
import { readLines, writeFileAtomic } from '../store/index.ts'
import type { StageContext } from './context.ts'

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

export interface Chunks<T, Line> {
  stage: string
  /** Of the files in the stage's folder: `<name>-0000.jsonl` and on. */
  name: string
  /** Items at once: bounds memory, and what is lost when the run is stopped. */
  size: number
  schema: z.ZodType<Line>
  /** Lines of a chunk. Default: one an item. */
  linesOf?(chunk: T[]): number
  make(chunk: T[]): Promise<Line[]>
}

/** The lines of many items, chunk by chunk, each made once and stored. */
export async function* storedChunks<T, Line>(
  { run, signal }: Pick<StageContext, 'run' | 'signal'>,
  items: readonly T[],
  { stage, name, size, schema, linesOf = (chunk) => chunk.length, make }: Chunks<T, Line>,
): AsyncGenerator<{ chunk: T[]; lines: Line[] }> {
  for (let at = 0; at < items.length; at += size) {
    signal.throwIfAborted()
    const chunk = items.slice(at, at + size)
    const path = join(run.stageFolder(stage), `${name}-${String(at / size).padStart(4, '0')}.jsonl`)
    yield { chunk, lines: await storedLines(path, schema, linesOf(chunk), () => make(chunk)) }
  }
}

/** Episodes of a stored wave that are played again. */
const REPLAYED = 8

/** Of a run that goes on: the environment must answer a stored wave's actions as it did when the wave was played. */
export function checkStillSame(
  { environment, config, signal, warn }: StageContext,
  stored: readonly Trajectory[],
  maxSteps: number,
): Promise<void> {
  // What an episode broke at need not come again.
  const whole = stored.filter(({ failed }) => failed === undefined)
  const some = new Random('replay', config.seed).shuffle(whole).slice(0, REPLAYED)
  return checkReplay(environment, some, { maxSteps, signal, warn })
}
