/** The part of JSON Schema that shapes are told in; `{}` stands for anything. */
export interface JsonShape {
  type?: 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'
  properties?: Record<string, JsonShape>
  additionalProperties?: JsonShape
  items?: JsonShape
  anyOf?: JsonShape[]
}

/** Keys that name a row rather than a field: `#W2378156`, `credit_card_7815826`. */
const ROW_KEY = /\d{3}/

/** Deeper than this a shape says "anything": no answer worth predicting is nested so. */
const DEEPEST = 32

/**
 * JSON as its JSON-Schema shape, without values: `{"customer_id": "abc123"}` is
 * `{"type":"object","properties":{"customer_id":{"type":"string"}}}`. Numbers are all `number`; the items of a list are merged
 * into one shape; an object whose keys are all row names (three digits in a row) is a map of their merged shape.
 */
export function jsonShape(value: unknown, depth = 0): JsonShape {
  if (depth >= DEEPEST) return {}
  if (value === null) return { type: 'null' }
  if (Array.isArray(value)) {
    if (value.length === 0) return { type: 'array' }
    return { type: 'array', items: value.map((item) => jsonShape(item, depth + 1)).reduce(merged) }
  }
  if (typeof value === 'object') {
    const fields = Object.entries(value as object)
    const shapes = fields.map(([, field]) => jsonShape(field, depth + 1))
    if (fields.length > 0 && fields.every(([key]) => ROW_KEY.test(key))) {
      return { type: 'object', additionalProperties: shapes.reduce(merged) }
    }
    return { type: 'object', properties: Object.fromEntries(fields.map(([key], index) => [key, shapes[index]])) }
  }
  return { type: typeof value as 'string' | 'number' | 'boolean' }
}

/** One shape that fits what either fits. */
function merged(a: JsonShape, b: JsonShape): JsonShape {
  const types = new Map<JsonShape['type'], JsonShape>()
  for (const one of [...(a.anyOf ?? [a]), ...(b.anyOf ?? [b])]) {
    const known = types.get(one.type)
    types.set(one.type, known ? mergedAlike(known, one) : one)
  }
  if (types.has(undefined)) return {}
  return types.size === 1 ? [...types.values()][0] : { anyOf: [...types.values()] }
}

/** The same for two of one type. */
function mergedAlike(a: JsonShape, b: JsonShape): JsonShape {
  if (a.type === 'array') {
    const items = a.items && b.items ? merged(a.items, b.items) : (a.items ?? b.items)
    return items ? { type: 'array', items } : a
  }
  if (a.type !== 'object') return a
  if (a.additionalProperties && b.additionalProperties) {
    return { type: 'object', additionalProperties: merged(a.additionalProperties, b.additionalProperties) }
  }
  if (!a.properties || !b.properties) return { type: 'object' }
  const properties = new Map(Object.entries(a.properties))
  for (const [key, shape] of Object.entries(b.properties)) {
    const known = properties.get(key)
    properties.set(key, known ? merged(known, shape) : shape)
  }
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/**
 * A tool's answer as its shape where it is a JSON object or list; any other text as it is.
 * @param declared the shape that such an answer has whatever its value
 */
export function maskedResult(content: string, declared?: JsonShape): string {
  if (!/^\s*[[{]/.test(content)) return content
  try {
    return JSON.stringify(declared ?? jsonShape(JSON.parse(content)))
  } catch {
    return content
  }
}
