import { existsSync, readFileSync } from 'node:fs'
import type { z } from 'zod'
import { plainIssue, UserError } from '../core/index.ts'
import { writeFileAtomic } from './atomic.ts'

/** Reads and checks a JSON file. Missing, malformed or of another shape: a `UserError` that names the file and the field. */
export function readJson<Schema extends z.ZodType>(path: string, schema: Schema): z.output<Schema> {
  if (!existsSync(path)) throw new UserError(`${path} is missing`)
  let content: unknown
  try {
    content = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    // V8 shows the text around the fault, line breaks and all.
    throw new UserError(`${path} is not valid JSON: ${(error as Error).message.replace(/\s+/g, ' ')}`)
  }
  const checked = schema.safeParse(content)
  if (checked.success) return checked.data
  throw new UserError(`${path} does not hold what it should: ${plainIssue(checked.error.issues[0])}`)
}

/** Writes a value as indented JSON, whole or not at all. */
export function writeJson(path: string, value: unknown): void {
  writeFileAtomic(path, `${readableJson(value)}\n`)
}

/** Longest list or object that stands on one line, in characters. */
const ONE_LINE = 120

/** Indented, but for lists and objects of plain values that fit on a line: long tables stay readable. */
function readableJson(value: unknown): string {
  // Line breaks inside strings are escaped, so those here are the indentation's alone.
  return JSON.stringify(value, null, 2).replace(
    /([[{])\n\s+([^[\]{}]*?)\n\s+([\]}])/g,
    (whole, open, inside, close) => {
      const space = open === '{' ? ' ' : ''
      const line = `${open}${space}${inside.replace(/,\n\s+/g, ', ')}${space}${close}`
      return line.length <= ONE_LINE ? line : whole
    },
  )
}
