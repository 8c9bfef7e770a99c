import { dict, int, list, literal, type Type } from '../model.ts'
import type { PyModel } from '../python/value.ts'

export const cabinClass = literal('business', 'economy', 'basic_economy')

const counts = dict(int)

/** Seats or prices: a dictionary from cabin classes to ints. */
export const byCabin: Type<Map<string, bigint>> = {
  ...counts,
  label: `dict[${cabinClass.label},int]`,
  schema(definitions) {
    const { enum: names } = cabinClass.schema(definitions)
    return { ...counts.schema(definitions), propertyNames: { enum: names } }
  },
  read(input, at, problems) {
    const before = problems.length
    const result = counts.read(input, at, problems)
    // A key's problem is placed at the key, with a mark that it is not of the value.
    for (const key of result?.keys() ?? []) {
      if (!cabinClass.isExact(key)) cabinClass.read(key, [...at, key, '[key]'], problems)
    }
    return problems.length > before ? undefined : result
  },
}

/** Two of a kind: only the schema of a result needs it, for what upstream returns are lists. */
export function pairOf<T extends PyModel>(item: Type<T>): Type<T[]> {
  return {
    ...list(item),
    schema(definitions) {
      const one = item.schema(definitions)
      return { maxItems: 2, minItems: 2, prefixItems: [one, one], type: 'array' }
    },
  }
}
