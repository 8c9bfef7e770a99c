import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { plainIssue } from './plain-issue.ts'

const say = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value)
  return error ? plainIssue(error.issues[0]) : null
}
const turn = z.object({ kind: z.literal('turn'), text: z.string() })
const call = z.object({ kind: z.literal('call'), name: z.string() })

describe('what is wrong with a value, in plain words', () => {
  it.each<[z.ZodType, unknown, string]>([
    [z.object({ a: z.array(z.string()) }), {}, 'a is missing'],
    [z.object({ a: z.array(z.object({ b: z.string() })) }), { a: [{ b: 5 }] }, 'a[0].b must be text, not a number'],
    [z.object({ a: z.boolean() }), { a: 1 }, 'a must be true or false, not a number'],
    [z.string(), true, 'it must be text, not a truth value'],
    [z.array(z.string()), null, 'it must be a list, not null'],
    [z.number(), Number.NaN, 'it must be a number, not NaN'],
    [z.int(), 0.5, 'it must be a whole number'],
    [z.array(z.string()).min(1), [], 'it must not be empty'],
    [z.string().min(3), 'a', 'it must have at least 3 characters'],
    [z.array(z.string()).max(1), ['a', 'b'], 'it must have at most 1 item'],
    [z.number().positive(), 0, 'it must be above 0'],
    [z.number().max(2), 3, 'it must be at most 2'],
    [z.enum(['a', 'b']), 'c', 'it must be one of "a", "b"'],
    [z.literal('list'), 'c', 'it must be "list"'],
    [z.strictObject({ a: z.object({}).optional() }), { b: 1 }, 'b is not known: leave it out'],
    [z.union([z.string(), z.array(z.string())]), 5, 'it must be text or a list, not a number'],
    [z.object({ a: z.union([z.string(), z.array(z.string())]) }), { a: ['x', 5] }, 'a[1] must be text, not a number'],
    [z.discriminatedUnion('kind', [turn, call]), { kind: 'none' }, 'kind must be one of "turn", "call"'],
    [z.string().regex(/a/), 'b', 'it is not of the right form'],
    // A schema's own words are kept.
    [z.object({ a: z.string('expected a name') }), { a: 1 }, 'a: expected a name'],
    [z.custom((value) => value === 1, 'must be one'), 2, 'it must be one'],
  ])('%#', (schema, value, words) => {
    expect(say(schema, value)).toBe(words)
  })
})
