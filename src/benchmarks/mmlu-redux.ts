import { basename, dirname } from 'node:path'
import { z } from 'zod'
import { type Benchmark, RIGHT } from './benchmark.ts'
import { type ChoiceStyle, choiceQuestion } from './choice.ts'
import { readRows } from './data/rows.ts'

const rowSchema = z.object({
  question: z.string().min(1),
  choices: z.preprocess(parsedList, z.array(z.string()).min(2).max(10)),
  answer: z.coerce.number().int().min(0),
  error_type: z.string(),
  correct_answer: z.union([z.string(), z.number()]).nullish(),
  subject: z.string().optional(),
})
type Row = z.output<typeof rowSchema>

/** In CSV a list is one field: as JSON, or as Python prints it with plain quotes. */
function parsedList(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

export interface ChoiceOptions {
  /** Default `letter`. */
  style?: ChoiceStyle
}

/**
 * MMLU-Redux (edinburgh-dawg/mmlu-redux-2.0): MMLU questions that people looked at again. What counts: rows found to be in order
 * (`ok`), with their answer; and rows whose key was found to be wrong (`wrong_groundtruth`), with the corrected one, where that
 * names one option. All others are left out: unclear, or with no or several right options.
 */
export async function readMmluRedux(
  paths: readonly string[],
  { style = 'letter' }: ChoiceOptions = {},
): Promise<Benchmark> {
  const rows = await readRows(paths, rowSchema)
  const counted = rows.flatMap(({ value, path, index }) => {
    const right = rightOption(value)
    const subject = value.subject ?? subjectOf(path)
    return right === null ? [] : [{ id: `${subject}-${index}`, ...value, options: value.choices, right }]
  })
  const corrected = counted.filter(({ error_type }) => error_type !== 'ok').length
  return {
    name: 'mmlu-redux',
    title: 'MMLU-Redux',
    questions: counted.map((one) => choiceQuestion(one, style)),
    measures: [RIGHT],
    temperature: 0,
    maxTokens: 1024,
    notes: [
      `${counted.length} of ${rows.length} ${rows.length === 1 ? 'row' : 'rows'} count, ${corrected} of them with a corrected key; the others are unclear, or have no or several right options`,
      `answered by ${style}`,
    ],
  }
}

/** Index of the option that is right; null where the row cannot be counted. */
export function rightOption({ choices, answer, error_type, correct_answer }: Row): number | null {
  if (error_type === 'ok') return answer < choices.length ? answer : null
  if (error_type !== 'wrong_groundtruth' || correct_answer === null || correct_answer === undefined) return null
  const told = String(correct_answer).trim()
  const byLetter = /^[A-J]$/.test(told) ? told.charCodeAt(0) - 65 : -1
  const byIndex = /^\d$/.test(told) ? Number(told) : -1
  const byText = choices.flatMap((choice, index) => (choice.trim() === told ? [index] : []))
  const named = new Set([...[byLetter, byIndex].filter((index) => index >= 0 && index < choices.length), ...byText])
  // "2" is both a place and, among options that are numbers, an option.
  return named.size === 1 ? [...named][0] : null
}

/** `anatomy/test-00000-of-00001.parquet`, `anatomy/test/0000.parquet`, `anatomy.jsonl`. */
function subjectOf(path: string): string {
  const parts = [basename(path).replace(/\.\w+$/, ''), basename(dirname(path)), basename(dirname(dirname(path)))]
  return parts.find((part) => !/^(test|data|\d+|.*-of-\d+)$/.test(part)) ?? parts[0]
}
