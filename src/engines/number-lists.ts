/**
 * Schemas of long lists of numbers: a sample has thousands of tokens, and a schema for each of them takes longer than reading the
 * JSON did. What is wrong is told by its place in the list.
 */
import { z } from 'zod'

type Test = (value: unknown) => boolean

const isTokenId: Test = (value) => Number.isInteger(value) && (value as number) >= 0
const isNumber: Test = (value) => Number.isFinite(value)
const isNumberOrNull: Test = (value) => value === null || Number.isFinite(value)
const isText: Test = (value) => typeof value === 'string'

function listOf<T>(test: Test, what: string): z.ZodType<T[]> {
  return z.custom<T[]>().superRefine((value, context) => {
    if (!Array.isArray(value)) {
      context.addIssue({ code: 'custom', message: value === undefined ? 'is missing' : `must be a list of ${what}` })
      return
    }
    const wrong = value.findIndex((one) => !test(one))
    if (wrong >= 0) context.addIssue({ code: 'custom', path: [wrong], message: `must be one of ${what}` })
  })
}

export const tokenIds = listOf<number>(isTokenId, 'token ids')
export const logprobList = listOf<number>(isNumber, 'numbers')
export const openLogprobList = listOf<number | null>(isNumberOrNull, 'numbers, or null')
export const textList = listOf<string>(isText, 'texts')
