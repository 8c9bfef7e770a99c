import { z } from 'zod'
import { plainIssue, UserError } from '../../../core/index.ts'

/** Whether a response does what an instruction says. */
export type Check = (response: string) => boolean

/** One kind of instruction. */
export interface Rule {
  /** The check that these arguments ask for; a UserError where they are not this kind's. */
  prepare(kwargs: Record<string, unknown>): Check
}

/** Arguments are the schema's, and no others. */
export function rule<Shape extends z.ZodRawShape>(
  shape: Shape,
  check: (kwargs: z.infer<z.ZodObject<Shape>>) => Check,
): Rule {
  const schema = z.strictObject(shape)
  return {
    prepare(kwargs) {
      // The published table has a column for every argument of every kind, empty where it is not this one's.
      const given = Object.fromEntries(Object.entries(kwargs).filter(([, value]) => value !== null))
      const result = schema.safeParse(given)
      if (!result.success) throw new UserError(plainIssue(result.error.issues[0], 'kwargs'))
      return check(result.data as z.infer<z.ZodObject<Shape>>)
    },
  }
}

export const count = z.number().int().nonnegative()
export const phrase = z.string().min(1)
export const phrases = z.array(phrase).min(1)
export const relation = z.enum(['less than', 'at least'])

/** Compares what was counted with what was asked for. */
export function holds(counted: number, asked: z.infer<typeof relation>, threshold: number): boolean {
  return asked === 'less than' ? counted < threshold : counted >= threshold
}

/** A keyword is a pattern in the reference, so that `colou?r` is two words. What is none stands for itself. */
export function pattern(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `${flags}u`)
  } catch {
    return new RegExp(source.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), flags)
  }
}
