import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PyDate } from './date.ts'
import { dumps, parseJson } from './json.ts'
import { type PyValue, same } from './value.ts'

const value = fc.letrec<{ value: PyValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.bigInt(),
    fc.double({ noNaN: true }),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value')),
    fc.array(fc.tuple(fc.string(), tie('value'))).map((entries) => new Map(entries)),
  ),
})).value

describe('JSON as Python reads and writes it', () => {
  it('comes back as it was: ints as ints, floats as floats', () => {
    fc.assert(
      fc.property(value, (one) => {
        expect(same(parseJson(dumps(one)), one)).toBe(true)
      }),
    )
  })

  it('agrees with JavaScript about everything but numbers', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (one) => {
        const text = JSON.stringify(one)
        expect(JSON.parse(dumps(parseJson(text)))).toEqual(JSON.parse(text))
      }),
    )
  })

  it.each([
    ['2', 2n],
    ['2.0', 2],
    ['-0', 0n],
    ['1E2', 100],
    ['123456789012345678901234567890', 123456789012345678901234567890n],
    ['NaN', Number.NaN],
    ['-Infinity', Number.NEGATIVE_INFINITY],
    [' "\\u00e9\\ud83d\\udcf6\\/" ', 'é📶/'],
  ])('reads %s', (text, expected) => expect(parseJson(text)).toBe(expected))

  it('keeps the order of keys that look like numbers, and the last of equal ones', () => {
    expect(dumps(parseJson('{"9": 1, "1": 2.0, "9": 3}'))).toBe('{"9": 3, "1": 2.0}')
  })

  it('escapes all but ASCII, and sorts by code points', () => {
    expect(dumps('é📶\u007f\b"')).toBe('"\\u00e9\\ud83d\\udcf6\\u007f\\b\\""')
    const dict = new Map<string, PyValue>([
      ['📶', 1n],
      ['\uffee', 2n],
      ['a', PyDate.datetime('2025-01-02T03:04:05')],
    ])
    expect(dumps(dict, { sortKeys: true })).toBe('{"a": "2025-01-02 03:04:05", "\\uffee": 2, "\\ud83d\\udcf6": 1}')
  })

  it.each([
    ['', 'Expecting value: line 1 column 1 (char 0)'],
    ['{"a": 1,}', 'Expecting property name enclosed in double quotes: line 1 column 9 (char 8)'],
    ['[1, 2', "Expecting ',' delimiter: line 1 column 6 (char 5)"],
    ['{"a" 1}', "Expecting ':' delimiter: line 1 column 6 (char 5)"],
    ['"abc', 'Unterminated string starting at: line 1 column 1 (char 0)'],
    ['"a\nb"', 'Invalid control character at: line 1 column 3 (char 2)'],
    ['"\\x"', 'Invalid \\escape: line 1 column 2 (char 1)'],
    ['[\n 1\n] x', 'Extra data: line 3 column 3 (char 7)'],
    ['01', 'Extra data: line 1 column 2 (char 1)'],
    [`${'['.repeat(5000)}`, 'Too deeply nested: line 1 column 902 (char 901)'],
  ])('%#: refuses', (text, message) => expect(() => parseJson(text)).toThrow(message))
})
