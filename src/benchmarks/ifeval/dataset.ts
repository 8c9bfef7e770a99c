import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { plainIssue, UserError } from '../../core/index.ts'
import { type Instructions, prepareInstructions } from './instructions.ts'

/** A prompt of the benchmark. */
export interface IfevalEntry extends Instructions {
  key: number
  prompt: string
}

const lineSchema = z.object({
  key: z.number(),
  prompt: z.string().min(1),
  instruction_id_list: z.array(z.string()).min(1),
  kwargs: z.array(z.record(z.string(), z.unknown())),
})

/**
 * Reads the published file (`input_data.jsonl`, or the train split of `google/IFEval` as JSON lines). Every instruction is
 * checked when it is read, so that none fails after the responses are there.
 */
export function readIfeval(path: string): IfevalEntry[] {
  const entries = textOf(path)
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [entryOf(line, `${path}, line ${index + 1}`)]))
  if (entries.length === 0) throw new UserError(`${path} has no prompts: it should be IFEval's input_data.jsonl`)
  return entries
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new UserError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}): it should be IFEval's data`)
  }
}

function entryOf(line: string, where: string): IfevalEntry {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new UserError(`${where}: not valid JSON; IFEval's data has one JSON object a line`)
  }
  const result = lineSchema.safeParse(value)
  if (!result.success) throw new UserError(`${where}: ${plainIssue(result.error.issues[0], 'the line')}`)
  const { key, prompt, instruction_id_list, kwargs } = result.data
  const entry = { key, prompt, instructionIds: instruction_id_list, kwargs }
  try {
    prepareInstructions(entry)
  } catch (error) {
    if (error instanceof UserError) throw new UserError(`${where}: ${error.message}`)
    throw error
  }
  return entry
}
