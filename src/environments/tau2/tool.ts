import { any, type Field, type Fields, field, type JsonSchema, schemaOf } from './model.ts'
import { PyError } from './python/errors.ts'
import { dumps } from './python/json.ts'
import { str } from './python/number.ts'
import { isDict, isModel, type PyDict, type PyValue } from './python/value.ts'

/** A method that init actions and assertions may call by name, or a tool. */
export interface Method<State> {
  readonly name: string
  /** In Python's order; one with a default may be left out. */
  readonly parameters: Fields
  /**
   * @param values one for each parameter
   * @throws PyError as Python's code would
   */
  call(state: State, ...values: PyValue[]): PyValue
}

export type ToolKind = 'read' | 'write' | 'think' | 'generic'

/** A function's schema as OpenAI's protocol has it. */
export interface FunctionSchema {
  type: 'function'
  function: { name: string; description: string; parameters: JsonSchema }
}

export interface Tool<State> extends Method<State> {
  readonly kind: ToolKind
  /** Whether it may change the database; replays leave out those that may not. */
  readonly mutates: boolean
  readonly description: string
  readonly returns: Field
}

/** The tools of one side, and its other methods. */
export interface Toolkit<State> {
  /** Upstream's class name, which Python's errors show. */
  readonly className: string
  readonly tools: ReadonlyMap<string, Tool<State>>
  readonly methods: ReadonlyMap<string, Method<State>>
}

export interface ToolOptions<State> {
  name: string
  kind: ToolKind
  /** Left out: writing tools do. */
  mutates?: boolean
  description: string
  parameters?: Fields
  /** The type and description of the result. */
  returns?: Field
  call(state: State, ...values: PyValue[]): PyValue
}

export function tool<State>(options: ToolOptions<State>): Tool<State> {
  return { parameters: {}, returns: field(any), mutates: options.kind === 'write', ...options }
}

/** A method with parameters that have no default. */
export function method<State>(
  name: string,
  parameters: readonly string[],
  call: (state: State, ...values: PyValue[]) => PyValue,
): Method<State> {
  return { name, parameters: Object.fromEntries(parameters.map((one) => [one, field(any)])), call }
}

export function toolkit<State>(
  className: string,
  tools: readonly Tool<State>[],
  methods: readonly Method<State>[] = [],
): Toolkit<State> {
  const byName = new Map(tools.map((one) => [one.name, one]))
  return { className, tools: byName, methods: new Map([...byName, ...methods.map((one) => [one.name, one] as const)]) }
}

/** The schema that is sent to a model. */
export function functionSchema(one: Tool<never>): FunctionSchema {
  const { name, description, parameters } = one
  return { type: 'function', function: { name, description, parameters: schemaOf('parameters', parameters) } }
}

/** The schema of a tool's result. */
export function returnsSchema(one: Tool<never>): JsonSchema {
  return schemaOf('returns', { returns: one.returns })
}

/** Names as Python lists them: 'a', 'b', and 'c'. */
function nameList(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`)
  if (quoted.length < 3) return quoted.join(' and ')
  return `${quoted.slice(0, -1).join(', ')}, and ${quoted[quoted.length - 1]}`
}

/**
 * Keyword arguments put in the order of the parameters.
 * @throws PyError TypeError in Python's words for unknown and for missing ones
 */
export function bindArguments(className: string, { name, parameters }: Method<never>, given: PyDict): PyValue[] {
  const called = `${className}.${name}()`
  for (const key of given.keys()) {
    if (key === 'self') throw new PyError('TypeError', `${called} got multiple values for argument 'self'`)
    if (!Object.hasOwn(parameters, key)) {
      throw new PyError('TypeError', `${called} got an unexpected keyword argument '${key}'`)
    }
  }
  const missing: string[] = []
  const values: PyValue[] = []
  for (const parameter in parameters) {
    const value = given.has(parameter) ? given.get(parameter) : parameters[parameter].default
    if (value === undefined) missing.push(parameter)
    else values.push(value)
  }
  if (missing.length === 0) return values
  const arguments_ = `positional argument${missing.length === 1 ? '' : 's'}`
  throw new PyError('TypeError', `${called} missing ${missing.length} required ${arguments_}: ${nameList(missing)}`)
}

/**
 * What a tool's result becomes in a plain list or dictionary: scalars become text, which instances' fields do not.
 */
function stringified(value: PyValue): PyValue {
  if (value === null || typeof value === 'string' || isModel(value)) return value
  if (Array.isArray(value)) return value.map(stringified)
  if (isDict(value)) return new Map([...value].map(([key, item]) => [key, stringified(item)]))
  return typeof value === 'object' ? value.iso : str(value)
}

/** A tool's result as the text of its message. */
export function resultText(result: PyValue): string {
  return typeof result === 'string' ? result : dumps(stringified(result))
}
