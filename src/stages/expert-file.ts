import { existsSync, readFileSync, statSync } from 'node:fs'
import { type Trajectory, UserError } from '../core/index.ts'
import { importLogs, trajectorySchema } from '../environments/index.ts'
import { readLines } from '../store/index.ts'

/**
 * What experts did, from a file: trajectories as a run's `rollouts/*.jsonl` has them, or chat logs (see `importLogs`). Attempts at a
 * task are numbered anew, since files may have been put together.
 * @throws UserError where there is no such file, or a line of it is neither.
 */
export function readExpertFile(path: string): Trajectory[] {
  if (!existsSync(path) || !statSync(path).isFile()) {
    throw new UserError(`${path} is no file: name one of trajectories (rollouts/*.jsonl of a run) or of chat logs`)
  }
  const trajectories = holdsTrajectories(path) ? readLines(path, trajectorySchema) : readLogs(path)
  const attempts = new Map<string, number>()
  return trajectories.map((one) => {
    const sample = attempts.get(one.task.id) ?? 0
    attempts.set(one.task.id, sample + 1)
    return { ...one, sample }
  })
}

function readLogs(path: string): Trajectory[] {
  return [...importLogs([{ path, content: readFileSync(path) }], { skipBad: false }).splits.values()].flat()
}

/** Whether the first line is a trajectory; what is none is read, and complained of, as a chat log. */
function holdsTrajectories(path: string): boolean {
  const [line] = readFileSync(path, 'utf8').split('\n', 1)
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && 'turns' in value
  } catch {
    return false
  }
}
