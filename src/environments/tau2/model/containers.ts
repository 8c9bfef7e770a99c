import { repr } from '../python/number.ts'
import { isDict, type PyValue } from '../python/value.ts'
import type { Location, Problem } from './problems.ts'
import type { Definitions, JsonSchema, Type, ValueOf } from './type.ts'

/** A list of values of one type. */
export function list<T extends PyValue>(item: Type<T>): Type<T[]> {
  return {
    label: `list[${item.label}]`,
    isNamed: false,
    isExact: (value) => Array.isArray(value) && value.every((one) => item.isExact(one)),
    schema: (definitions) => ({ items: item.schema(definitions), type: 'array' }),
    read(input, at, problems) {
      if (!Array.isArray(input)) {
        problems.push({ at, type: 'list_type', message: 'Input should be a valid list', input })
        return undefined
      }
      const before = problems.length
      const values = input.map((one, index) => item.read(one, [...at, index], problems))
      return problems.length > before ? undefined : (values as T[])
    },
  }
}

/** A dictionary from any text to values of one type. */
export function dict<T extends PyValue>(item: Type<T>): Type<Map<string, T>> {
  return {
    label: `dict[str,${item.label}]`,
    isNamed: false,
    isExact: (value) => isDict(value) && [...value.values()].every((one) => item.isExact(one)),
    schema: (definitions) => ({ additionalProperties: additional(item.schema(definitions)), type: 'object' }),
    read(input, at, problems) {
      if (!isDict(input)) {
        problems.push({ at, type: 'dict_type', message: 'Input should be a valid dictionary', input })
        return undefined
      }
      const before = problems.length
      const result = new Map<string, PyValue>()
      for (const [key, value] of input) {
        const read = item.read(value, [...at, key], problems)
        if (read !== undefined) result.set(key, read)
      }
      return problems.length > before ? undefined : (result as Map<string, T>)
    },
  }
}

/** Of a type that allows all, pydantic says so by `true`. */
function additional(schema: JsonSchema): JsonSchema | true {
  return Object.keys(schema).length > 0 ? schema : true
}

/** The value or None. */
export function optional<T extends PyValue>(inner: Type<T>): Type<T | null> {
  return {
    label: `nullable[${inner.label}]`,
    isNamed: false,
    isExact: (value) => value === null || inner.isExact(value),
    schema: (definitions) => {
      const schema = inner.schema(definitions)
      return { anyOf: [...(Array.isArray(schema.anyOf) ? schema.anyOf : [schema]), { type: 'null' }] }
    },
    read: (input, at, problems) => (input === null ? null : inner.read(input, at, problems)),
  }
}

/** `'a', 'b' or 'c'`, as pydantic lists what it expected. */
function choice(values: readonly PyValue[]): string {
  const shown = values.map(repr)
  if (shown.length === 1) return shown[0]
  return `${shown.slice(0, -1).join(', ')} or ${shown[shown.length - 1]}`
}

function choiceSchema(values: readonly string[]): JsonSchema {
  return values.length === 1 ? { const: values[0], type: 'string' } : { enum: [...values], type: 'string' }
}

/** The keys in alphabetical order, as pydantic writes them. */
function enumSchema(values: readonly string[], title: string): JsonSchema {
  const { type, ...choices } = choiceSchema(values)
  return { ...choices, title, type }
}

/** @param problem the type of what is wrong with anything else */
function oneOf<T extends string>(
  values: readonly T[],
  problem: string,
  described: Pick<Type, 'label' | 'isNamed' | 'schema'>,
): Type<T> {
  const isOne = (value: PyValue): value is T => (values as readonly PyValue[]).includes(value)
  return {
    ...described,
    isExact: isOne,
    read(input, at, problems) {
      if (isOne(input)) return input
      problems.push({ at, type: problem, message: `Input should be ${choice(values)}`, input })
      return undefined
    },
  }
}

/** One of a few texts. */
export function literal<const V extends readonly string[]>(...values: V): Type<V[number]> {
  return oneOf(values, 'literal_error', {
    label: `literal[${values.map(repr).join(',')}]`,
    isNamed: false,
    schema: () => choiceSchema(values),
  })
}

/** An enum of texts; a member is held as its value. */
export function enumeration<const V extends readonly string[]>(
  name: string,
  values: V,
  description?: string,
): Type<V[number]> {
  return oneOf(values, 'enum', {
    label: name,
    isNamed: true,
    schema(definitions: Definitions) {
      definitions.set(name, {
        ...(description === undefined ? {} : { description }),
        ...enumSchema(values, name),
      })
      return { $ref: `#/$defs/${name}` }
    },
  })
}

/** One of several types: an exact fit goes first, then the first that can be read. */
export function union<const T extends readonly Type[]>(...members: T): Type<ValueOf<T[number]>> {
  return {
    label: `union[${members.map((member) => member.label).join(',')}]`,
    isNamed: false,
    isExact: (value) => members.some((member) => member.isExact(value)),
    schema: (definitions) => ({ anyOf: members.map((member) => member.schema(definitions)) }),
    read(input: PyValue, at: Location, problems: Problem[]): ValueOf<T[number]> | undefined {
      const exact = members.find((member) => member.isExact(input))
      if (exact) return exact.read(input, at, problems) as ValueOf<T[number]>
      const all: Problem[] = []
      for (const member of members) {
        const own: Problem[] = []
        const value = member.read(input, [...at, member.label], own)
        if (own.length === 0) return value as ValueOf<T[number]>
        all.push(...own)
      }
      problems.push(...all)
      return undefined
    },
  }
}
