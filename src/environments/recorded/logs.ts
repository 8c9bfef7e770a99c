import { plainIssue, type Trajectory, UserError, uniform } from '../../core/index.ts'
import { hashOf } from '../../store/index.ts'
import { conversationOf, type Recording } from './conversation.ts'
import { entrySchema, type LogEntry } from './messages.ts'

/** Share of tasks that are held out where the log names no split. */
const HELD_OUT_SHARE = 0.1

export interface LogFile {
  /** Named in errors. Ending in `.json` it holds one list, otherwise one JSON value a line. */
  path: string
  content: Uint8Array
}

export interface ImportedLogs {
  /** By split; every trajectory has a turn at least. */
  splits: Map<string, Trajectory[]>
  /** Conversations that could be read, those left out below among them. */
  read: number
  /** Those that were there before, word for word. */
  duplicates: number
  /** Those in which nothing follows the assistant's messages. */
  withoutTurns: number
  /** What could not be read; empty unless that is to be skipped. */
  bad: { where: string; why: string }[]
}

/**
 * Chat logs as trajectories. An entry is `{"messages": […], "tools"?, "reward"?, "task"? | "id"?, "split"?}` or a list of
 * messages. Without a name a conversation is a task of its own, named by a hash of what is said in it.
 * @throws UserError for an entry that is none of this, with its place and field; `skipBad` leaves such entries out.
 */
export function importLogs(files: readonly LogFile[], { skipBad }: { skipBad: boolean }): ImportedLogs {
  const logs: ImportedLogs = { splits: new Map(), read: 0, duplicates: 0, withoutTurns: 0, bad: [] }
  const seen = new Set<string>()
  const tasks = new Map<string, { split: string; attempts: number }>()
  for (const { where, parse } of files.flatMap(entriesOf)) {
    try {
      const entry = checked(parse())
      const conversation = conversationOf(entry.messages)
      const name = entry.task ?? entry.id ?? null
      const said = hashOf({ name, messages: entry.messages })
      const id = name ?? said.slice(0, 16)
      const split = entry.split ?? (uniform('split', id) < HELD_OUT_SHARE ? 'unseen' : 'train')
      const task = tasks.get(id) ?? { split, attempts: 0 }
      if (task.split !== split) {
        throw new UserError(`split: "${split}", but an earlier conversation of the task ${id} is in "${task.split}"`)
      }
      logs.read++
      if (seen.has(said)) logs.duplicates++
      else if (conversation.turns.length === 0) logs.withoutTurns++
      else {
        const trajectories = logs.splits.get(split) ?? []
        trajectories.push(trajectoryOf(entry, conversation, { id, split, sample: task.attempts }))
        logs.splits.set(split, trajectories)
        tasks.set(id, { split, attempts: task.attempts + 1 })
      }
      seen.add(said)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      // Names from the log may stand in it, and hold anything.
      const why = error.message.replace(/\s+/g, ' ')
      if (!skipBad) throw new UserError(`${where}: ${why}`)
      logs.bad.push({ where, why })
    }
  }
  return logs
}

interface Entry {
  where: string
  parse(): unknown
}

function entriesOf({ path, content }: LogFile): Entry[] {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  if (path.endsWith('.json')) return listOf(path, bytes)
  const entries: Entry[] = []
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const newline = bytes.indexOf('\n', start)
    const end = newline < 0 ? bytes.length : newline
    const text = withoutMark(bytes.toString('utf8', start, end)).trim()
    if (text !== '') entries.push({ where: `${path}, line ${line}`, parse: () => parseLine(text, newline < 0) })
    start = end + 1
  }
  return entries
}

function parseLine(text: string, last: boolean): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UserError(`not a whole JSON value${last ? '; the file ends within it' : ''}: each line must hold one`)
  }
}

/** One JSON list: of conversations, or of the messages of one. */
function listOf(path: string, bytes: Buffer): Entry[] {
  let value: unknown
  try {
    value = JSON.parse(withoutMark(bytes.toString('utf8')))
  } catch {
    throw new UserError(`${path}: not valid JSON; one value a line belongs in a .jsonl file`)
  }
  if (!Array.isArray(value)) throw new UserError(`${path}: expected a list of conversations`)
  const isMessage = (one: unknown) => typeof one === 'object' && one !== null && 'role' in one
  if (value.some(isMessage)) return [{ where: path, parse: () => value }]
  return value.map((one, index) => ({ where: `${path}, item ${index + 1}`, parse: () => one }))
}

/** Editors on some systems begin a file with a byte-order mark. */
const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text)

function checked(value: unknown): LogEntry {
  const result = entrySchema.safeParse(Array.isArray(value) ? { messages: value } : value)
  if (result.success) return result.data
  throw new UserError(plainIssue(result.error.issues[0], 'the conversation'))
}

function trajectoryOf(
  { tools, reward }: LogEntry,
  { instruction, initial, turns }: Recording,
  { id, split, sample }: { id: string; split: string; sample: number },
): Trajectory {
  return {
    task: { id, split, kind: 'conversation', instruction, ...(tools?.length ? { tools } : {}) },
    sample,
    seed: 0,
    initial,
    turns,
    ...(typeof reward === 'number' ? { reward } : {}),
    done: true,
    truncated: false,
    sequences: [],
  }
}
