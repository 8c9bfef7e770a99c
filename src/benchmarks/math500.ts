import { z } from 'zod'
import { UserError } from '../core/index.ts'
import { type Benchmark, judged, RIGHT } from './benchmark.ts'
import { readRows } from './data/rows.ts'
import { boxed, finalAnswer } from './latex/answer.ts'
import { sameAnswer } from './latex/same-answer.ts'

const rowSchema = z.object({
  problem: z.string().min(1),
  solution: z.string().default(''),
  answer: z.string().optional(),
  unique_id: z.string().optional(),
})

/** MATH-500: `problem`, `solution`, `answer`; and MATH's own files, whose answer is the boxed one of the solution. */
export async function readMath500(paths: readonly string[]): Promise<Benchmark> {
  const rows = await readRows(paths, rowSchema)
  return {
    name: 'math-500',
    title: 'MATH-500',
    questions: rows.map(({ value, path, index }, place) => {
      const gold = value.answer ?? boxed(value.solution)
      if (gold === null) throw new UserError(`${path}, row ${index + 1}: no answer, and none boxed in the solution`)
      return {
        id: value.unique_id ?? `${place}`,
        kind: 'reply',
        messages: [
          {
            role: 'user',
            content: `${value.problem.trim()}\n\nReason step by step, and put the final answer in \\boxed{}.`,
          },
        ],
        judge(reply) {
          const given = finalAnswer(reply)
          return judged(given, given !== null && sameAnswer(given, gold))
        },
      }
    }),
    measures: [RIGHT],
    temperature: 0,
    maxTokens: 2048,
    notes: ['the last boxed answer of the reply, compared as mathematics'],
  }
}
