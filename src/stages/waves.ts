import { existsSync, readFileSync } from 'node:fs'
import type { Trajectory } from '../core/index.ts'
import { writeFileAtomic } from '../store/index.ts'

/**
 * Waves on disk: a finished wave is one file, written whole; an unfinished one leaves nothing and is played again. The
 * play that fills a wave is a pure function of its slots, the seed and the weights.
 */
export async function storedWave(path: string, play: () => Promise<Trajectory[]>): Promise<Trajectory[]> {
  if (existsSync(path)) return readTrajectories(path)
  const trajectories = await play()
  writeFileAtomic(path, trajectories.map((one) => `${JSON.stringify(one)}\n`).join(''))
  return trajectories
}

export function readTrajectories(path: string): Trajectory[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Trajectory)
}
