import type { Observation } from '../core/index.ts'
import { type JsonShape, maskedResult } from './json-shape.ts'

/** The shape of what each tool declares to return, by its name. A tool that declares nothing worth telling is left out. */
export type ToolShapes = ReadonlyMap<string, JsonShape>

/**
 * What tools returned, each answer as the shape that its tool declares, or, where it declares none or failed, as that of its
 * value. Prose stays as it is.
 */
export function maskedObservation(observation: Observation, shapes: ToolShapes = new Map()): Observation {
  if (observation.from !== 'tool') return observation
  return {
    from: 'tool',
    results: observation.results.map((one) => ({
      ...one,
      content: maskedResult(one.content, one.error ? undefined : shapes.get(one.name)),
    })),
  }
}

interface Schema {
  $ref?: string
  $defs?: Record<string, Schema>
  type?: string
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
  /** A tuple's. */
  prefixItems?: Schema[]
  anyOf?: Schema[]
}

/** Nested deeper than this a schema says "anything". */
const DEEPEST = 12

/**
 * A JSON Schema of what a tool returns (`{"properties": {"returns": …}}`) in the few words that shapes are told in: no titles,
 * descriptions, lists of values or defaults. Undefined where it declares no object or list.
 */
export function declaredShape(schema: unknown): JsonShape | undefined {
  const { properties, $defs = {} } = schema as Schema
  const returns = properties?.returns
  if (!returns) return undefined
  const shape = reduced(returns, $defs, 0)
  const isTold =
    shape.type === 'object' ? shape.properties || shape.additionalProperties : shape.type === 'array' && shape.items
  return isTold ? shape : undefined
}

function reduced(schema: Schema, definitions: Record<string, Schema>, depth: number): JsonShape {
  if (depth > DEEPEST) return {}
  const inner = (one: Schema) => reduced(one, definitions, depth + 1)
  if (schema.$ref) {
    const found = definitions[schema.$ref.replace('#/$defs/', '')]
    return found ? inner(found) : {}
  }
  if (schema.anyOf) {
    const options = schema.anyOf.map(inner)
    return options.length === 1 ? options[0] : { anyOf: options }
  }
  switch (schema.type) {
    case 'object': {
      const { properties, additionalProperties: rest } = schema
      const shapes = Object.entries(properties ?? {}).map(([key, one]) => [key, inner(one)])
      return {
        type: 'object',
        ...(properties ? { properties: Object.fromEntries(shapes) } : {}),
        ...(typeof rest === 'object' ? { additionalProperties: inner(rest) } : {}),
      }
    }
    case 'array': {
      const item = schema.items || schema.prefixItems?.[0]
      return item ? { type: 'array', items: inner(item) } : { type: 'array' }
    }
    case 'integer':
    case 'number':
      return { type: 'number' }
    case 'string':
    case 'boolean':
    case 'null':
      return { type: schema.type }
    default:
      return {}
  }
}
