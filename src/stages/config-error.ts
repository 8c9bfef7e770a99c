import { inspect } from 'node:util'
import { z } from 'zod'
import { nearest, UserError } from '../core/index.ts'

/** What is wrong with a setting, in one line each. */

/** Longer values are cut in messages. */
const SHOWN = 60

/** The part of a leaf's JSON Schema that says what is allowed. */
const leafSchema = z.object({
  type: z.enum(['number', 'integer', 'string', 'boolean']),
  enum: z.array(z.string()).optional(),
  description: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  exclusiveMaximum: z.number().optional(),
})
type Leaf = z.infer<typeof leafSchema>

/** A name that no setting has: the one that was probably meant, or what the group holds. */
export function unknownSetting(path: string, known: readonly string[]): UserError {
  const inside = known.filter((one) => one.startsWith(`${path}.`))
  if (inside.length > 0) {
    return new UserError(`"${path}" is a group of settings: name one of ${inside.join(', ')}`, 2)
  }
  const last = path.split('.').at(-1)?.toLowerCase()
  const sameName = known.filter((one) => one.split('.').at(-1)?.toLowerCase() === last)
  const near = nearest(path, known)
  const meant = sameName.length > 0 || near === null ? sameName : [near]
  const groups = [...new Set(known.map((one) => one.split('.')[0]))]
  const advice =
    meant.length > 0
      ? `did you mean ${meant.map(shown).join(' or ')}?`
      : `they are called by group and name, "policy.steps"; the groups are ${groups.join(', ')}`
  return new UserError(`no setting is called ${shown(path)}; ${advice}`, 2)
}

/** A value that a setting cannot have: what it must be, and the nearest value that it can have. */
export function wrongValue(path: string, value: unknown, schema: z.ZodType): UserError {
  const leaf = leafSchema.parse(z.toJSONSchema(schema))
  const near = nearestValue(value, leaf)
  const advice = near === null ? '' : `; the nearest is ${shown(near)}`
  return new UserError(`setting "${path}" is ${shown(value)}: it must be ${allowed(leaf)}${advice}`, 2)
}

function allowed({ type, enum: choices, description, ...limits }: Leaf): string {
  if (description) return description
  if (choices) return `one of ${choices.map(shown).join(', ')}`
  if (type === 'boolean') return 'true or false'
  if (type === 'string') return 'text'
  const bounds = [
    bound(limits.minimum, 'at least'),
    bound(limits.exclusiveMinimum, 'above'),
    bound(limits.maximum, 'at most'),
    bound(limits.exclusiveMaximum, 'below'),
  ].filter((one) => one !== null)
  const kind = type === 'integer' ? 'a whole number' : 'a number'
  return bounds.length > 0 ? `${kind}, ${bounds.join(' and ')}` : kind
}

/** Whole numbers are bounded by what a double holds exactly: nobody needs to be told. */
function bound(limit: number | undefined, words: string): string | null {
  return limit === undefined || Math.abs(limit) === Number.MAX_SAFE_INTEGER ? null : `${words} ${limit}`
}

function nearestValue(value: unknown, { type, enum: choices, ...limits }: Leaf): number | string | null {
  if (choices) return typeof value === 'string' && value !== '' ? nearest(value, choices) : null
  if (typeof value !== 'number' || Number.isNaN(value) || (type !== 'number' && type !== 'integer')) return null
  const low = limits.minimum ?? Number.NEGATIVE_INFINITY
  const high = limits.maximum ?? Number.POSITIVE_INFINITY
  const near = Math.min(high, Math.max(low, type === 'integer' ? Math.round(value) : value))
  // Nothing is nearest to a limit that is itself excluded.
  const open =
    near <= (limits.exclusiveMinimum ?? Number.NEGATIVE_INFINITY) || near >= (limits.exclusiveMaximum ?? Infinity)
  return open || !Number.isFinite(near) ? null : near
}

function shown(value: unknown): string {
  const text =
    typeof value === 'string'
      ? JSON.stringify(value)
      : inspect(value, { compact: true, breakLength: Number.POSITIVE_INFINITY })
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
