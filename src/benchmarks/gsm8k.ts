import { z } from 'zod'
import { UserError } from '../core/index.ts'
import { type Benchmark, judged, RIGHT } from './benchmark.ts'
import { readRows } from './data/rows.ts'

const rowSchema = z.object({ question: z.string().min(1), answer: z.string() })

/** GSM8K: `question`, and an `answer` that ends in `#### 72`. Numbers are compared as numbers. */
export async function readGsm8k(paths: readonly string[]): Promise<Benchmark> {
  const rows = await readRows(paths, rowSchema)
  return {
    name: 'gsm8k',
    title: 'GSM8K',
    questions: rows.map(({ value: { question, answer }, path, index }, place) => {
      const gold = markedNumber(answer)
      if (gold === null) throw new UserError(`${path}, row ${index + 1}: answer must end with "#### " and a number`)
      return {
        id: `${place}`,
        kind: 'reply',
        messages: [
          {
            role: 'user',
            content: `${question.trim()}\n\nReason step by step. End with a line that reads "#### " and the number that is the answer.`,
          },
        ],
        judge(reply) {
          const given = finalNumber(reply)
          return judged(given, given !== null && sameNumber(given, gold))
        },
      }
    }),
    measures: [RIGHT],
    temperature: 0,
    maxTokens: 1024,
    notes: ['the last number that directly follows "####", else the last number of the reply'],
  }
}

/** A minus or a dollar sign before it, not a bullet: "- 5". */
const SIZE = String.raw`(?:\d[\d,]*(?:\.\d+)?|\.\d+)`
const NUMBER = String.raw`(?:-?\$\s?-?|-)?${SIZE}`

/** The last number that directly follows a `####`; null where none does: "#### Step 2" is a heading. */
function markedNumber(text: string): string | null {
  return [...text.matchAll(new RegExp(String.raw`####\s*(${NUMBER})`, 'g'))].at(-1)?.[1] ?? null
}

/** The number that a reply ends with: the last right behind a `####`, else the last one in it. */
export function finalNumber(reply: string): string | null {
  // The minus of a difference is none of its number's: "12-5".
  const last = () => reply.match(new RegExp(`(?<![\\d)])${NUMBER}|${SIZE}`, 'g'))?.at(-1) ?? null
  return markedNumber(reply) ?? last()
}

/** Whether two numbers as people write them are the same: `$1,200` and `1200.00`. */
export function sameNumber(a: string, b: string): boolean {
  const value = (text: string) => Number(text.replace(/[$,\s]/g, ''))
  return value(a) === value(b)
}
