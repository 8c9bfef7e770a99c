import { describe, expect, it } from 'vitest'
import { any, field, int, Model, str } from './model.ts'
import { PyDate } from './python/date.ts'
import type { PyValue } from './python/value.ts'
import { bindArguments, functionSchema, resultText, returnsSchema, tool } from './tool.ts'

const look = tool<null>({
  name: 'look',
  kind: 'read',
  description: 'Look at something.',
  parameters: { a: field(str, 'First'), b: field(str), c: field(str), limit: field(int, 'At most', 12n) },
  returns: field(str, 'What there is.'),
  call: (_state, ...values) => values,
})

const args = (values: Record<string, PyValue>) => new Map(Object.entries(values))
const bound = (values: Record<string, PyValue>) => bindArguments('Tools', look, args(values))

describe('binding arguments', () => {
  it('puts them in order and fills in defaults; none is None', () => {
    expect(bound({ c: '3', a: '1', b: null })).toEqual(['1', null, '3', 12n])
    expect(bound({ a: '1', b: '2', c: '3', limit: null })).toEqual(['1', '2', '3', null])
  })

  it.each([
    [{}, "Tools.look() missing 3 required positional arguments: 'a', 'b', and 'c'"],
    [{ a: '1' }, "Tools.look() missing 2 required positional arguments: 'b' and 'c'"],
    [{ a: '1', c: '1' }, "Tools.look() missing 1 required positional argument: 'b'"],
    [{ x: 1n, y: 2n }, "Tools.look() got an unexpected keyword argument 'x'"],
    [{ toString: 1n }, "Tools.look() got an unexpected keyword argument 'toString'"],
    [{ self: 1n }, "Tools.look() got multiple values for argument 'self'"],
  ])('%#: refuses in its words', (values, message) => expect(() => bound(values)).toThrow(message))
})

describe('results as text', () => {
  const Thing = new Model('Thing', { n: field(int), x: field(any) })
  const cases: [PyValue, string][] = [
    ['plain', 'plain'],
    [null, 'null'],
    [5n, '"5"'],
    [true, '"True"'],
    [8.7, '"8.7"'],
    [PyDate.datetime('2025-01-25T16:20:00'), '"2025-01-25T16:20:00"'],
    [
      args({ used: 8.7, on: false, none: null, list: [1n, 'x'] }),
      '{"used": "8.7", "on": "False", "none": null, "list": ["1", "x"]}',
    ],
    [Thing.of({ n: 1n, x: args({ a: 2n }) }), '{"n": 1, "x": {"a": 2}}'],
    [[Thing.of({ n: 1n, x: PyDate.datetime('2025-01-25T16:20:00') })], '[{"n": 1, "x": "2025-01-25 16:20:00"}]'],
  ]
  it.each(cases)('%#', (value, text) => expect(resultText(value)).toBe(text))
})

describe('schemas', () => {
  it('are those of the protocol', () => {
    expect(functionSchema(look)).toEqual({
      type: 'function',
      function: {
        name: 'look',
        description: 'Look at something.',
        parameters: {
          properties: {
            a: { description: 'First', title: 'A', type: 'string' },
            b: { title: 'B', type: 'string' },
            c: { title: 'C', type: 'string' },
            limit: { default: 12, description: 'At most', title: 'Limit', type: 'integer' },
          },
          required: ['a', 'b', 'c'],
          title: 'parameters',
          type: 'object',
        },
      },
    })
    expect(returnsSchema(look)).toEqual({
      properties: { returns: { description: 'What there is.', title: 'Returns', type: 'string' } },
      required: ['returns'],
      title: 'returns',
      type: 'object',
    })
  })
})
