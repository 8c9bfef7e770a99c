import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../../core/index.ts'
import { checkSequence, checkTask, checkTranscript, isSameTask } from './check/replays.ts'
import { expectEqual, Tally, type VectorCheck } from './check/tally.ts'
import { checkBadArguments, checkCalculation, checkTexts, type Prompts } from './check/texts.ts'
import { BadArguments, Calculation, SequenceVectors, TaskVectors, Texts, TranscriptVectors } from './check/vectors.ts'
import type { LoadedDomain } from './check/world.ts'
import { DOMAINS } from './domains.ts'
import { constructFrom } from './files.ts'
import { findTau2Folder } from './folder.ts'
import { PyError } from './python/errors.ts'
import { parseJson } from './python/json.ts'
import { isDict, type PyDict, type PyValue } from './python/value.ts'
import { loadTasks, type Tau2Task } from './tasks.ts'
import { readGuidelines } from './users/prompt.ts'

/** Domains as the checks come to need them, each read once. */
class Domains {
  readonly #loaded = new Map<string, LoadedDomain>()

  constructor(readonly folder: string) {}

  get(name: string, file: string): LoadedDomain {
    const known = this.#loaded.get(name)
    if (known) return known
    const domain = DOMAINS.get(name)
    if (!domain) {
      throw new UserError(`${file} is about the domain '${name}': known are ${[...DOMAINS.keys()].join(', ')}`)
    }
    const folder = join(this.folder, 'domains', name)
    const loaded = { domain, data: domain.load(folder), tasks: loadTasks(folder) }
    this.#loaded.set(name, loaded)
    return loaded
  }
}

interface CheckContext {
  file: string
  domains: Domains
  prompts: Prompts
  tally: Tally
}

/**
 * Compares this program with recordings of upstream's: tasks, random sequences, transcripts, malformed arguments,
 * calculations, schemas and prompts.
 * @param data upstream's data folder, or a parent of it
 * @param agentPrompt an agent's system prompt around a policy
 * @throws UserError when a file is unreadable or no such recording
 */
export function checkVectors(
  data: string | undefined,
  files: readonly string[],
  agentPrompt: (policy: string) => string,
): VectorCheck {
  const folder = findTau2Folder(data)
  const domains = new Domains(folder)
  const prompts: Prompts = { agent: agentPrompt, guidelines: () => readGuidelines(folder) }
  const tally = new Tally()
  for (const file of files) checkFile(readVectors(file), { file, domains, prompts, tally })
  return tally.result
}

/** @throws UserError when something differed, or nothing was checked. */
export function assertSameVectors({ differences, first, skipped, ...counts }: VectorCheck): void {
  if (differences > 0) {
    throw new UserError(`${differences} differences, the first in ${first?.unit} of ${first?.file}: ${first?.field}`)
  }
  const { tasks, sequences, transcripts, calls, texts } = counts
  if (tasks + sequences + transcripts + calls + texts > 0) return
  const reason =
    skipped > 0 ? `the data holds none of the ${skipped} tasks as they were recorded` : 'the files are empty'
  throw new UserError(`nothing was checked: ${reason}`)
}

function readVectors(file: string): PyValue {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new UserError(`cannot read the vectors ${file}: ${(error as Error).message.split(',')[0]}`)
  }
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    throw new UserError(`${file} is not JSON, or cut off: ${error.message}`)
  }
}

function checkFile(value: PyValue, context: CheckContext): void {
  if (Array.isArray(value)) {
    checkCalculations(value, context)
    return
  }
  const check = isDict(value) ? checkOf(value) : undefined
  if (check) {
    check(value as PyDict, context)
    return
  }
  throw new UserError(
    `${context.file} holds no recording known here: neither tasks, sequences, simulations nor a list of calculations, ` +
      'nor rows or tools by domain',
  )
}

/** How a file is checked, by what it holds. */
function checkOf(value: PyDict): ((value: PyDict, context: CheckContext) => void) | undefined {
  if (value.has('tasks')) return checkTasks
  if (value.has('sequences')) return checkSequences
  if (value.has('simulations')) return checkTranscripts
  if (holds(value, 'rows')) return checkAllArguments
  return holds(value, 'tools') ? checkAllTexts : undefined
}

/** Whether a file has one entry a domain, each with this key. */
function holds(value: PyDict, key: string): boolean {
  return value.size > 0 && [...value.values()].every((one) => isDict(one) && one.has(key))
}

function checkTasks(value: PyDict, { file, domains, tally }: CheckContext): void {
  const vectors = constructFrom(TaskVectors, value, file)
  const loaded = domains.get(vectors.domain, file)
  const { domain, data, tasks } = loaded
  tally.unit(file, `${domain.name}, initial databases`, () => {
    const { db, userDb } = data.open()
    expectEqual('initial_db_hash', vectors.initial_db_hash, db.hash())
    expectEqual('initial_user_db_hash', vectors.initial_user_db_hash, userDb?.hash() ?? null)
  })
  for (const vector of vectors.tasks) {
    const task = tasks.get(vector.id)
    if (!task || !isSameTask(task, vector)) {
      tally.count('skipped')
      continue
    }
    tally.count('tasks')
    tally.unit(file, `task ${vector.id}`, () => checkTask(loaded, task, vector, tally))
  }
}

/** Recordings with their numbers and tasks, if they are of one. Those of a task that the data does not hold are skipped. */
function withTasks<Recording extends { task_id: string | null }>(
  recordings: readonly Recording[],
  { tasks }: LoadedDomain,
  tally: Tally,
): { number: number; recording: Recording; task: Tau2Task | undefined }[] {
  return recordings.flatMap((recording, index) => {
    const task = recording.task_id === null ? undefined : tasks.get(recording.task_id)
    if (recording.task_id === null || task) return [{ number: index + 1, recording, task }]
    tally.count('skipped')
    return []
  })
}

function checkSequences(value: PyDict, { file, domains, tally }: CheckContext): void {
  const vectors = constructFrom(SequenceVectors, value, file)
  const loaded = domains.get(vectors.domain, file)
  for (const { number, recording, task } of withTasks(vectors.sequences, loaded, tally)) {
    tally.count('sequences')
    tally.unit(file, `sequence ${number}`, () => checkSequence(loaded, task, recording, tally))
  }
}

function checkTranscripts(value: PyDict, { file, domains, tally }: CheckContext): void {
  const vectors = constructFrom(TranscriptVectors, value, file)
  const loaded = domains.get(vectors.domain, file)
  for (const { number, recording, task } of withTasks(vectors.simulations, loaded, tally)) {
    tally.count('transcripts')
    const unit = `transcript ${number}${task ? ` of task ${task.id}` : ''}`
    tally.unit(file, unit, () => checkTranscript(loaded, task, recording, tally))
  }
}

function checkAllArguments(value: PyDict, { file, domains, tally }: CheckContext): void {
  for (const [name, one] of value) {
    checkBadArguments(file, domains.get(name, file), constructFrom(BadArguments, one, `${file}, ${name}`), tally)
  }
}

function checkAllTexts(value: PyDict, { file, domains, prompts, tally }: CheckContext): void {
  for (const [name, one] of value) {
    checkTexts(file, domains.get(name, file), constructFrom(Texts, one, `${file}, ${name}`), prompts, tally)
  }
}

function checkCalculations(values: readonly PyValue[], { file, tally }: CheckContext): void {
  values.forEach((value, index) => {
    const { expression, content, error } = constructFrom(Calculation, value, `${file}, case ${index + 1}`)
    tally.unit(file, `case ${index + 1}`, () => checkCalculation(expression, content, error, tally))
  })
}
