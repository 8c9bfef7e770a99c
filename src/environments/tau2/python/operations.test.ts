import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attributeOf, contains, count, iterate, length, stringFor } from './access.ts'
import { absolute, add, compare, multiply, sorted, subtract, sum } from './arithmetic.ts'
import { PyDate } from './date.ts'
import { dumps } from './json.ts'
import { asKey, clone, equals, freeze, isTruthy, type PyValue, same, typeName } from './value.ts'

const dict = (entries: [string, PyValue][]): PyValue => new Map(entries)

describe('arithmetic', () => {
  it('keeps ints and makes floats as Python does', () => {
    expect(add(1n, 2n)).toBe(3n)
    expect(add(1n, 2.5)).toBe(3.5)
    expect(add(true, 1n)).toBe(2n)
    expect(subtract(5n, 7.5)).toBe(-2.5)
    expect(multiply('ab', 2n)).toBe('abab')
    expect(multiply(3n, 0.5)).toBe(1.5)
    expect(absolute(-2.5)).toBe(2.5)
    expect(sum([])).toBe(0n)
    expect(add([1n], ['x'])).toEqual([1n, 'x'])
  })

  it.each([
    [() => add(1n, 'x'), "unsupported operand type(s) for +: 'int' and 'str'"],
    [() => add(1.5, null, '+='), "unsupported operand type(s) for +=: 'float' and 'NoneType'"],
    [() => add('x', 1n), 'can only concatenate str (not "int") to str'],
    [() => add([], 1n), 'can only concatenate list (not "int") to list'],
    [() => subtract('x', 1n), "unsupported operand type(s) for -: 'str' and 'int'"],
    [() => multiply('x', 1.5), "can't multiply sequence by non-int of type 'float'"],
    [() => absolute(null), "bad operand type for abs(): 'NoneType'"],
    [() => compare('x', 1n, '>'), "'>' not supported between instances of 'str' and 'int'"],
    [() => add(10n ** 400n, 1.5), 'int too large to convert to float'],
    [() => sorted(['x', 1n]), /'<' not supported between instances of/],
  ])('%#: refuses in its words', (run, message) => expect(run).toThrow(message))

  it('orders', () => {
    expect(compare(1n, 1)).toBe(0)
    expect(compare('a', 'b')).toBeLessThan(0)
    expect(compare('\uffee', '📶')).toBeLessThan(0)
    expect(compare([1n, 2n], [1n, 3n])).toBeLessThan(0)
    expect(compare(PyDate.date('2025-02-01'), PyDate.date('2025-01-31'))).toBeGreaterThan(0)
    expect(sorted(['b', 'a', 'B'])).toEqual(['B', 'a', 'b'])
  })
})

describe('looking into values', () => {
  it('iterates, counts and finds', () => {
    expect(iterate('a📶')).toEqual(['a', '📶'])
    expect(iterate(dict([['k', 1n]]))).toEqual(['k'])
    expect(length('a📶')).toBe(2)
    expect(count(['a', 'b', 'a'], 'a')).toBe(2)
    expect(count('banana', 'an')).toBe(2)
    expect(count('ab', '')).toBe(3)
    expect(contains(dict([['k', 1n]]), 'k')).toBe(true)
    expect(contains('hay', 'a')).toBe(true)
  })

  it.each([
    [() => iterate(null), "'NoneType' object is not iterable"],
    [() => length(5n), "object of type 'int' has no len()"],
    [() => count(dict([]), 'x'), "'dict' object has no attribute 'count'"],
    [() => count('x', 1n), 'must be str, not int'],
    [() => stringFor(null, 'lower'), "'NoneType' object has no attribute 'lower'"],
    [() => attributeOf(dict([]), 'name'), "'dict' object has no attribute 'name'"],
    [() => asKey(['x']), "unhashable type: 'list'"],
    [() => asKey(dict([])), "unhashable type: 'dict'"],
    [() => contains(1n, 'x'), "argument of type 'int' is not iterable"],
    [() => contains('x', 1n), "'in <string>' requires string as left operand, not int"],
  ])('%#: refuses in its words', (run, message) => expect(run).toThrow(message))
})

describe('values', () => {
  it('are equal by value, the same by type too', () => {
    expect(equals(1n, 1)).toBe(true)
    expect(equals(true, 1n)).toBe(true)
    expect(equals([1n, dict([['a', 2]])], [1, dict([['a', 2n]])])).toBe(true)
    expect(equals('1', 1n)).toBe(false)
    expect(equals(null, false)).toBe(false)
    expect(same(1n, 1)).toBe(false)
    expect(same(0, -0)).toBe(false)
    expect(same(dict([['a', [1]]]), dict([['a', [1]]]))).toBe(true)
    expect(same(PyDate.date('2025-01-01'), PyDate.date('2025-01-01'))).toBe(true)
  })

  it('are the same exactly where their JSON is', () => {
    // Few values, so that many pairs agree.
    const { value } = fc.letrec<{ value: PyValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 2, withCrossShrink: true },
        fc.constantFrom<PyValue>(null, true, 0n, 0, -0, 1n, 1, '1', PyDate.date('2025-01-01')),
        fc.array(tie('value'), { maxLength: 2 }),
        fc
          .array(fc.tuple(fc.constantFrom('a', 'b'), tie('value')), { maxLength: 2 })
          .map((entries): PyValue => new Map(entries)),
      ),
    }))
    const text = (one: PyValue) => dumps(one, { sortKeys: true })
    fc.assert(
      fc.property(value, value, (left, right) => {
        // A date and its text are one in JSON, and two here.
        const isDate = `${text(left)}${text(right)}`.includes('2025')
        if (!isDate) expect(same(left, right)).toBe(text(left) === text(right))
        expect(same(clone(left), left)).toBe(true)
        if (same(left, right)) expect(equals(left, right)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it('have names and truth', () => {
    expect([null, true, 1n, 1, '', [], dict([])].map(typeName)).toEqual(
      'NoneType bool int float str list dict'.split(' '),
    )
    expect([null, 0n, 0, '', [], dict([])].some(isTruthy)).toBe(false)
    expect([1n, -0.5, ' ', [null], dict([['', null]])].every(isTruthy)).toBe(true)
  })

  it('are copied deep and frozen deep', () => {
    const value = dict([['a', [[1n]]]])
    const copy = clone(freeze(value)) as Map<string, PyValue[][]>
    copy.get('a')![0].push(2n)
    expect(value).toEqual(dict([['a', [[1n]]]]))
    expect(() => (value as typeof copy).get('a')!.push([])).toThrow()
  })

  it('know which days there are', () => {
    expect(PyDate.isDay('2024-02-29')).toBe(true)
    expect(PyDate.isDay('2025-02-29')).toBe(false)
    expect(PyDate.isDay('0001-01-01')).toBe(true)
    expect(PyDate.isDay('2025-1-1')).toBe(false)
  })
})
