import { createHash } from 'node:crypto'
import { dumps } from './python/json.ts'
import type { PyValue } from './python/value.ts'

/** The hash of a database as upstream takes it: sha256 over the dump with sorted keys, as JSON. */
export function hashOf(value: PyValue): string {
  return createHash('sha256')
    .update(dumps(value, { sortKeys: true }))
    .digest('hex')
}
