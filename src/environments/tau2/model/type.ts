import type { PyValue } from '../python/value.ts'
import type { Location, Problem } from './problems.ts'

export type JsonSchema = { [key: string]: JsonSchemaValue }
export type JsonSchemaValue = null | boolean | number | string | JsonSchemaValue[] | JsonSchema

/** Schemas of the models met on the way, by name: they go under `$defs`. */
export type Definitions = Map<string, JsonSchema>

/** The type of a field or parameter: how a value is read, and how it is described. */
export interface Type<T extends PyValue = PyValue> {
  /** How the members of a union are told apart in a problem's location. */
  readonly label: string
  /**
   * The value as pydantic reads it, converting what it converts.
   * @param problems gets what is wrong; then the result is undefined
   */
  read(value: PyValue, at: Location, problems: Problem[]): T | undefined
  /**
   * Whether a value is of this type with no conversion: in a union such a member goes first.
   * A model is exact for an instance only.
   */
  isExact(value: PyValue): boolean
  /** The JSON schema, as pydantic writes it: a model goes into `definitions` and is referred to. */
  schema(definitions: Definitions): JsonSchema
  /** Simple types have a title where they are a field; a model or enum has its own. */
  readonly isNamed: boolean
}

export type ValueOf<T extends Type> = T extends Type<infer V> ? V : never
