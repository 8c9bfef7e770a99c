import { PyDate } from '../python/date.ts'
import { clone, fieldsOf, isDict, isModel, MODEL, type PyDict, type PyModel, type PyValue } from '../python/value.ts'
import { type Location, type Problem, validationError } from './problems.ts'
import type { Definitions, JsonSchema, JsonSchemaValue, Type } from './type.ts'

/** A field of a model: without a default it is required. */
export interface Field<T extends PyValue = PyValue> {
  type: Type<T>
  description?: string
  /** Copied into every instance. */
  default?: T
}

export type Fields = { readonly [name: string]: Field }

/** An instance: its fields as own properties, in declared order. */
export type Instance<F extends Fields> = PyModel & {
  -readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never
}

/** The instances of a model: `type Order = InstanceOf<typeof Order>`. */
export type InstanceOf<M> = M extends Model<infer F> ? Instance<F> : never

/** @param otherwise the default; left out, the field is required */
export function field<T extends PyValue>(type: Type<T>, description?: string, otherwise?: T): Field<T> {
  return { type, description, default: otherwise }
}

export interface ModelOptions {
  /** The docstring, which is the schema's description. */
  description?: string
  /** Whether keys that are no fields are refused; else they are dropped. */
  forbidExtra?: boolean
}

/** A pydantic model as data. Its instances are plain objects whose prototype names it. */
export class Model<F extends Fields = Fields> implements Type<Instance<F>> {
  readonly isNamed = true
  readonly #prototype: object
  readonly #entries: readonly [string, Field][]

  constructor(
    readonly name: string,
    readonly fields: F,
    readonly options: ModelOptions = {},
  ) {
    this.#prototype = Object.create(Object.prototype, { [MODEL]: { value: this } })
    this.#entries = Object.entries(fields)
  }

  get label(): string {
    return this.name
  }

  isExact(value: PyValue): value is Instance<F> {
    return isModel(value) && (value[MODEL] as unknown) === this
  }

  /**
   * An instance from a dictionary, values converted as pydantic converts them.
   * @throws PyError ValidationError with pydantic's text
   */
  construct(value: PyValue): Instance<F> {
    const problems: Problem[] = []
    const instance = this.read(value, [], problems)
    if (instance === undefined) throw validationError(this.name, problems)
    return instance
  }

  /** `construct` from keyword arguments. */
  of(values: Readonly<Record<string, PyValue>>): Instance<F> {
    return this.construct(new Map(Object.entries(values)))
  }

  read(input: PyValue, at: Location, problems: Problem[]): Instance<F> | undefined {
    if (this.isExact(input)) return input
    if (!isDict(input)) {
      const message = `Input should be a valid dictionary or instance of ${this.name}`
      problems.push({ at, type: 'model_type', message, input })
      return undefined
    }
    const before = problems.length
    const instance: Record<string, PyValue> = Object.create(this.#prototype)
    for (const [name, { type, default: otherwise }] of this.#entries) {
      const given = input.get(name)
      if (given !== undefined) {
        const value = type.read(given, [...at, name], problems)
        if (value !== undefined) instance[name] = value
      } else if (otherwise !== undefined) instance[name] = clone(otherwise)
      else problems.push({ at: [...at, name], type: 'missing', message: 'Field required', input })
    }
    if (this.options.forbidExtra) {
      for (const [key, extra] of input) {
        if (Object.hasOwn(this.fields, key)) continue
        const message = 'Extra inputs are not permitted'
        problems.push({ at: [...at, key], type: 'extra_forbidden', message, input: extra })
      }
    }
    return problems.length > before ? undefined : (instance as unknown as Instance<F>)
  }

  schema(definitions: Definitions): JsonSchema {
    if (!definitions.has(this.name)) {
      // Set before it is filled: a model may hold itself.
      definitions.set(this.name, {})
      definitions.set(this.name, this.objectSchema(definitions))
    }
    return { $ref: `#/$defs/${this.name}` }
  }

  /** The schema of the model itself, not a reference to it. */
  objectSchema(definitions: Definitions): JsonSchema {
    return {
      ...(this.options.forbidExtra ? { additionalProperties: false } : {}),
      ...(this.options.description === undefined ? {} : { description: this.options.description }),
      ...propertiesSchema(this.fields, definitions),
      title: this.name,
      type: 'object',
    }
  }
}

/** `model_dump()`: instances become dictionaries all through. */
export function dump(value: PyModel): PyDict
export function dump(value: PyValue): PyValue
export function dump(value: PyValue): PyValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => dump(item))
  if (isDict(value)) return new Map([...value].map(([key, item]) => [key, dump(item)]))
  if (isModel(value)) return new Map(fieldsOf(value).map(([key, item]) => [key, dump(item)]))
  return value
}

/** `order_id` as pydantic titles it: Order Id. */
function titleOf(name: string): string {
  return name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join(' ')
}

/** The default as a schema shows it. Lists and the like come from factories, which pydantic's schemas do not show. */
function shownDefault(value: PyValue | undefined): { default?: JsonSchemaValue } {
  if (value instanceof PyDate) return { default: value.iso }
  if (value === undefined || (typeof value === 'object' && value !== null)) return {}
  return { default: typeof value === 'bigint' ? Number(value) : value }
}

function fieldSchema(name: string, { type, description, default: otherwise }: Field, defs: Definitions): JsonSchema {
  const schema: JsonSchema = {
    ...type.schema(defs),
    ...shownDefault(otherwise),
    ...(description === undefined ? {} : { description }),
    ...(type.isNamed ? {} : { title: titleOf(name) }),
  }
  // Keys of a field's schema are in alphabetical order.
  return Object.fromEntries(Object.entries(schema).sort(([left], [right]) => (left < right ? -1 : 1)))
}

/** `properties` and, when any field is required, `required`. */
function propertiesSchema(fields: Fields, definitions: Definitions): JsonSchema {
  const entries = Object.entries(fields)
  const properties = Object.fromEntries(entries.map(([name, one]) => [name, fieldSchema(name, one, definitions)]))
  const required = entries.filter(([, one]) => one.default === undefined).map(([name]) => name)
  return { properties, ...(required.length > 0 ? { required } : {}) }
}

/** The schema of a few fields under a title of their own: a tool's parameters, or what it returns. */
export function schemaOf(title: string, fields: Fields): JsonSchema {
  const definitions: Definitions = new Map()
  const body = propertiesSchema(fields, definitions)
  const names = [...definitions.keys()].sort()
  const $defs = Object.fromEntries(names.map((name) => [name, definitions.get(name) as JsonSchema]))
  return { ...(names.length > 0 ? { $defs } : {}), ...body, title, type: 'object' }
}
