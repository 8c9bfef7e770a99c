import { describe, expect, it } from 'vitest'
import {
  bool,
  date,
  datetime,
  dict,
  dump,
  enumeration,
  field,
  float,
  int,
  list,
  literal,
  Model,
  optional,
  schemaOf,
  str,
  union,
} from './model.ts'
import { dumps } from './python/json.ts'
import { isModel, type PyValue, typeName } from './python/value.ts'

const Part = new Model('Part', {
  name: field(str, 'What it is'),
  price: field(float),
  count: field(int, undefined, 1n),
})
const Card = new Model('Card', { source: field(literal('card')), digits: field(str) })
const Cash = new Model('Cash', { source: field(literal('cash')) })
const Sale = new Model(
  'Sale',
  {
    parts: field(list(Part)),
    payments: field(dict(union(Card, Cash))),
    state: field(enumeration('State', ['open', 'closed'], 'Where it stands'), 'Open or closed', 'open'),
    day: field(optional(date), undefined, null),
    paid: field(bool, undefined, false),
  },
  { description: 'What was sold', forbidExtra: true },
)

const read = (value: unknown): PyValue => {
  if (Array.isArray(value)) return value.map(read)
  if (typeof value !== 'object' || value === null || isModel(value as PyValue)) return value as PyValue
  return new Map(Object.entries(value).map(([key, item]) => [key, read(item)]))
}

describe('models', () => {
  it('read values as pydantic does, in the order of their fields', () => {
    const sale = Sale.construct(
      read({
        payments: { a: { digits: '1', source: 'card' } },
        parts: [{ price: 3n, name: 'nut', colour: 'x' }],
        day: '2025-02-01',
      }),
    )
    expect(dumps(sale)).toBe(
      '{"parts": [{"name": "nut", "price": 3.0, "count": 1}], "payments": {"a": {"source": "card", "digits": "1"}}, ' +
        '"state": "open", "day": "2025-02-01", "paid": false}',
    )
    expect(Card.isExact(sale.payments.get('a')!)).toBe(true)
    expect(typeName(sale.parts[0])).toBe('Part')
    expect(dumps(dump(sale))).toBe(dumps(sale))
  })

  it.each([
    [int, true, 1n],
    [int, 2, 2n],
    [int, ' 12 ', 12n],
    [float, 3n, 3],
    [float, '1e3', 1000],
    [float, true, 1],
    [bool, 'Yes', true],
    [bool, 0n, false],
  ])('%#: converts', (type, value, expected) => {
    const model = new Model('M', { x: field(type as typeof int) })
    expect(model.of({ x: value as PyValue }).x).toBe(expected)
  })

  it.each([
    [str, 1n, 'Input should be a valid string [type=string_type, input_value=1, input_type=int]'],
    [int, 1.5, 'Input should be a valid integer, got a number with a fractional part [type=int_from_float, '],
    [int, 'x', 'Input should be a valid integer, unable to parse string as an integer [type=int_parsing, '],
    [int, null, 'Input should be a valid integer [type=int_type, input_value=None, input_type=NoneType]'],
    [float, 'x', 'Input should be a valid number, unable to parse string as a number [type=float_parsing, '],
    [bool, 2n, 'Input should be a valid boolean, unable to interpret input [type=bool_parsing, '],
    [list(str), 'x', 'Input should be a valid list [type=list_type, '],
    [literal('a', 'b', 'c'), 'x', "Input should be 'a', 'b' or 'c' [type=literal_error, "],
    [enumeration('E', ['a', 'b']), 'x', "Input should be 'a' or 'b' [type=enum, input_value='x', input_type=str]"],
    [Part, 'x', 'Input should be a valid dictionary or instance of Part [type=model_type, '],
  ])("%#: refuses in pydantic's words", (type, value, message) => {
    const model = new Model('M', { x: field(type as typeof str) })
    expect(() => model.of({ x: value as PyValue })).toThrow(`1 validation error for M\nx\n  ${message}`)
  })

  it('tell all that is wrong, and where', () => {
    const input = read({
      parts: [{ name: 1n }],
      payments: { a: { source: 'cash', digits: 'x' }, b: { source: 'coin' } },
      more: 1n,
    })
    expect(() => Sale.construct(input)).toThrow(
      [
        '6 validation errors for Sale',
        'parts.0.name',
        '  Input should be a valid string [type=string_type, input_value=1, input_type=int]',
        '    For further information visit https://errors.pydantic.dev/2.13/v/string_type',
        'parts.0.price',
        "  Field required [type=missing, input_value={'name': 1}, input_type=dict]",
        '    For further information visit https://errors.pydantic.dev/2.13/v/missing',
        'payments.b.Card.source',
        "  Input should be 'card' [type=literal_error, input_value='coin', input_type=str]",
        '    For further information visit https://errors.pydantic.dev/2.13/v/literal_error',
        'payments.b.Card.digits',
        "  Field required [type=missing, input_value={'source': 'coin'}, input_type=dict]",
        '    For further information visit https://errors.pydantic.dev/2.13/v/missing',
        'payments.b.Cash.source',
        "  Input should be 'cash' [type=literal_error, input_value='coin', input_type=str]",
        '    For further information visit https://errors.pydantic.dev/2.13/v/literal_error',
        'more',
        '  Extra inputs are not permitted [type=extra_forbidden, input_value=1, input_type=int]',
        '    For further information visit https://errors.pydantic.dev/2.13/v/extra_forbidden',
      ].join('\n'),
    )
  })

  it('show the ends of long input', () => {
    expect(() => Part.of({ name: 'x'.repeat(60) })).toThrow(
      "input_value={'name': 'xxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxx'}, input_type=dict",
    )
  })

  it('read days and times', () => {
    const model = new Model('M', { x: field(datetime), y: field(date) })
    const { x, y } = model.of({ x: '2025-01-25 16:20:00', y: '2025-01-25T00:00:00' })
    expect([String(x), x.iso, String(y)]).toEqual(['2025-01-25 16:20:00', '2025-01-25T16:20:00', '2025-01-25'])
  })

  it('describe themselves as pydantic does', () => {
    expect(schemaOf('parameters', { sale: field(Sale, 'The sale'), how_many: field(int, 'Copies', 2n) })).toEqual({
      $defs: {
        Card: {
          properties: {
            source: { const: 'card', title: 'Source', type: 'string' },
            digits: { title: 'Digits', type: 'string' },
          },
          required: ['source', 'digits'],
          title: 'Card',
          type: 'object',
        },
        Cash: {
          properties: { source: { const: 'cash', title: 'Source', type: 'string' } },
          required: ['source'],
          title: 'Cash',
          type: 'object',
        },
        Part: {
          properties: {
            name: { description: 'What it is', title: 'Name', type: 'string' },
            price: { title: 'Price', type: 'number' },
            count: { default: 1, title: 'Count', type: 'integer' },
          },
          required: ['name', 'price'],
          title: 'Part',
          type: 'object',
        },
        Sale: {
          additionalProperties: false,
          description: 'What was sold',
          properties: {
            parts: { items: { $ref: '#/$defs/Part' }, title: 'Parts', type: 'array' },
            payments: {
              additionalProperties: { anyOf: [{ $ref: '#/$defs/Card' }, { $ref: '#/$defs/Cash' }] },
              title: 'Payments',
              type: 'object',
            },
            state: { $ref: '#/$defs/State', default: 'open', description: 'Open or closed' },
            day: { anyOf: [{ format: 'date', type: 'string' }, { type: 'null' }], default: null, title: 'Day' },
            paid: { default: false, title: 'Paid', type: 'boolean' },
          },
          required: ['parts', 'payments'],
          title: 'Sale',
          type: 'object',
        },
        State: { description: 'Where it stands', enum: ['open', 'closed'], title: 'State', type: 'string' },
      },
      properties: {
        sale: { $ref: '#/$defs/Sale', description: 'The sale' },
        how_many: { default: 2, description: 'Copies', title: 'How Many', type: 'integer' },
      },
      required: ['sale'],
      title: 'parameters',
      type: 'object',
    })
  })
})
