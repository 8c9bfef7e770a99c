import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type Task, UserError } from '../../core/index.ts'
import { GAME_FILE, taskLineInFile, withoutStop } from './gamefile.ts'
import { TASK_TYPES } from './problem.ts'

/** The playable games of one split folder, and why the other trials are not. */
export interface Scan {
  tasks: Task[]
  /** Reason → number of trials. */
  skipped: Record<string, number>
}

const trajData = z.object({ task_type: z.string() })
const PLAYABLE_TYPES = new Set(Object.values(TASK_TYPES))
const SOLVABLE = /"solvable"\s*:\s*(true|false)/

/**
 * List the games of a split folder without parsing them whole. A trial is playable when it has both files, its path names
 * neither a movable receptacle nor a sliced object, its task is of the six types and its game file says it is solvable.
 * Tasks are sorted by identifier, which is the trial's path below the data folder.
 */
export function scanSplit(dataFolder: string, splitFolder: string, split: string): Scan {
  const tasks: Task[] = []
  const skipped: Record<string, number> = {}
  for (const name of foldersIn(join(dataFolder, splitFolder))) {
    for (const trial of foldersIn(join(dataFolder, splitFolder, name))) {
      const id = `${splitFolder}/${name}/${trial}`
      const found = readTrial(join(dataFolder, id), id)
      if (typeof found === 'string') skipped[found] = (skipped[found] ?? 0) + 1
      else tasks.push({ id, split, ...found })
    }
  }
  return { tasks, skipped }
}

function foldersIn(path: string): string[] {
  return entriesOf(path)
    .filter((entry) => entry.isDirectory() || (entry.isSymbolicLink() && isFolder(join(path, entry.name))))
    .map((entry) => entry.name)
    .sort()
}

/** Where a link leads; one that leads nowhere is none. */
function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function entriesOf(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch (error) {
    throw new UserError(`cannot list the games in ${path}: ${(error as Error).message}`)
  }
}

/** What the task list needs of one trial, or the reason why it cannot be played. */
function readTrial(folder: string, id: string): { kind: string; instruction: string } | string {
  if (id.includes('movable')) return 'movable receptacle'
  if (id.includes('Sliced')) return 'sliced object'
  const trajPath = join(folder, 'traj_data.json')
  if (!existsSync(trajPath)) return 'no traj_data.json'
  const kind = readTaskType(trajPath)
  if (!kind) return 'traj_data.json unreadable'
  if (!PLAYABLE_TYPES.has(kind)) return 'task of another type'
  const gamePath = join(folder, GAME_FILE)
  if (!existsSync(gamePath)) return `no ${GAME_FILE}`
  const text = readGameText(gamePath)
  if (text === undefined) return `${GAME_FILE} unreadable`
  // The key stands near the end of an 80 kB object: looking there is far quicker than parsing it.
  const solvable = SOLVABLE.exec(text.slice(text.lastIndexOf('"solvable"')))?.[1]
  if (solvable !== 'true') return solvable === 'false' ? 'not solvable' : 'not known to be solvable'
  const line = taskLineInFile(text)
  return line === undefined ? 'no task line' : { kind, instruction: withoutStop(line) }
}

function readGameText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function readTaskType(path: string): string | undefined {
  try {
    const parsed = trajData.safeParse(JSON.parse(readFileSync(path, 'utf8')))
    return parsed.success ? parsed.data.task_type : undefined
  } catch {
    return undefined
  }
}
