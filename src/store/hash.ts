import { createHash } from 'node:crypto'

/**
 * JSON with object keys in a fixed order and no spaces, so that equal values give equal text. As in JSON, fields that are
 * undefined are left out and `toJSON` is honoured; what JSON would silently change (NaN, infinities, functions) throws.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Error(`${value} has no JSON form and cannot be hashed`)
    return JSON.stringify(value)
  }
  if (typeof value !== 'object') throw new Error(`a ${typeof value} has no JSON form and cannot be hashed`)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if ('toJSON' in value && typeof value.toJSON === 'function') return canonicalJson(value.toJSON())
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  fields.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`).join(',')}}`
}

/** SHA-256 of the canonical JSON, in hexadecimal. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex')
}
