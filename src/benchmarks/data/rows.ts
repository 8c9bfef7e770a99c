import { existsSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { z } from 'zod'
import { plainIssue, UserError } from '../../core/index.ts'
import { parseCsv } from './csv.ts'
import { readParquet } from './parquet.ts'

/** What a table may be stored as, by the end of its file's name. */
export const FORMATS = ['.jsonl', '.ndjson', '.json', '.csv', '.parquet']

/** A row of a file, and how to name it to people. */
export interface Row<T> {
  value: T
  path: string
  /** Counted from 0 within its file. */
  index: number
}

/**
 * The rows of published tables: JSON lines, a JSON list, CSV with a header, or Parquet.
 * @throws UserError naming file, row and field where one is not as the schema has it.
 */
export async function readRows<T>(paths: readonly string[], schema: z.ZodType<T>): Promise<Row<T>[]> {
  const rows: Row<T>[] = []
  for (const path of paths) {
    const raw = await readTable(path)
    if (raw.length === 0) throw new UserError(`${path} has no rows: was it downloaded whole?`)
    for (const [index, one] of raw.entries()) {
      const checked = schema.safeParse(one)
      if (!checked.success) {
        throw new UserError(`${path}, row ${index + 1}: ${plainIssue(checked.error.issues[0], 'the row')}`)
      }
      rows.push({ value: checked.data, path, index })
    }
  }
  return rows
}

async function readTable(path: string): Promise<unknown[]> {
  if (!existsSync(path)) throw new UserError(`${path} is missing`)
  const format = extname(path).toLowerCase()
  if (format === '.parquet') return readParquet(path)
  const text = readFileSync(path, 'utf8')
  if (format === '.csv') return parseCsv(text, path)
  if (format === '.json') {
    const content = parseJson(text, path)
    if (Array.isArray(content)) return content
    throw new UserError(`${path} must hold a list of rows`)
  }
  if (!FORMATS.includes(format)) throw new UserError(`${path}: give a file of ${FORMATS.join(', ')}`)
  return text.split('\n').flatMap((line, index) => {
    return line.trim() === '' ? [] : [parseJson(line, `${path}, line ${index + 1}`)]
  })
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UserError(`${where} is not valid JSON: ${(error as Error).message.replace(/\s+/g, ' ')}`)
  }
}
