import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PyDate } from './date.ts'
import { formatFixed, repr, reprFloat, round, roundFloat, str } from './number.ts'
import type { PyValue } from './value.ts'

describe('floats as Python writes them', () => {
  it.each([
    [0, '0.0'],
    [-0, '-0.0'],
    [4, '4.0'],
    [0.1, '0.1'],
    [1e16, '1e+16'],
    [9999999999999998, '9999999999999998.0'],
    [1.5e300, '1.5e+300'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [-1.25e-7, '-1.25e-07'],
    [5e-324, '5e-324'],
    [Number.NaN, 'nan'],
    [Number.NEGATIVE_INFINITY, '-inf'],
  ])('%d is %s', (value, text) => expect(reprFloat(value)).toBe(text))

  it('gives every float back', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = reprFloat(value)
        expect(Object.is(Number(text), value)).toBe(true)
        // A dot or an exponent tells a float from an int.
        expect(text).toMatch(/[.e]/)
      }),
    )
  })
})

/** The value as a fraction, exactly. */
function fraction(value: number): [top: bigint, bottom: bigint] {
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, Math.abs(value))
  const raw = bits.getBigUint64(0)
  const exponent = Number(raw >> 52n)
  const digits = (raw & ((1n << 52n) - 1n)) | (exponent > 0 ? 1n << 52n : 0n)
  const power = Math.max(exponent, 1) - 1075
  return power >= 0 ? [digits << BigInt(power), 1n] : [digits, 1n << BigInt(-power)]
}

/** Correct rounding by whole numbers alone. */
function exactRound(value: number, places: number): string {
  const [top, bottom] = fraction(value)
  const scaled = top * 10n ** BigInt(places)
  let whole = scaled / bottom
  const twice = (scaled % bottom) * 2n
  if (twice > bottom || (twice === bottom && whole % 2n === 1n)) whole += 1n
  const text = String(whole).padStart(places + 1, '0')
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  return `${sign}${text.slice(0, text.length - places)}${places > 0 ? `.${text.slice(-places)}` : ''}`
}

describe('rounding', () => {
  it.each([
    [2.675, 2, 2.67],
    [0.125, 2, 0.12],
    [0.375, 2, 0.38],
    [2.5, 0, 2],
    [3.5, 0, 4],
    [-0.125, 2, -0.12],
    [-0.004, 2, -0],
    [1e22, 2, 1e22],
    [536.6500000000001, 2, 536.65],
  ])('round(%d, %d) is %d', (value, digits, rounded) => expect(roundFloat(value, digits)).toBe(rounded))

  it('is exact, ties to even', () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e25, max: 1e25 }),
      // Halves of a cent and their neighbours, where rounding goes wrong first.
      fc.integer({ min: -1_000_000, max: 1_000_000 }).map((value) => value / 1000),
      fc.integer({ min: -100_000, max: 100_000 }).map((value) => value / 1024),
    )
    fc.assert(
      fc.property(number, fc.integer({ min: 0, max: 4 }), (value, digits) => {
        expect(formatFixed(value, digits)).toBe(exactRound(value, digits))
        expect(roundFloat(value, digits)).toBe(Number(exactRound(value, digits)))
      }),
      { numRuns: 2000 },
    )
  })

  it('leaves ints alone and refuses the rest', () => {
    expect(round(7n, 2)).toBe(7n)
    expect(round(true, 2)).toBe(1n)
    expect(() => round('x', 2)).toThrow("type str doesn't define __round__ method")
  })

  it('formats ints, and refuses as Python does', () => {
    expect(formatFixed(5n, 2)).toBe('5.00')
    expect(formatFixed(-0.001, 2)).toBe('-0.00')
    expect(() => formatFixed('x', 2)).toThrow("Unknown format code 'f' for object of type 'str'")
    expect(() => formatFixed(null, 2)).toThrow('unsupported format string passed to NoneType.__format__')
  })
})

describe('other values as Python writes them', () => {
  const cases: [PyValue, string][] = [
    [null, 'None'],
    [true, 'True'],
    [12n, '12'],
    ["it's", '"it\'s"'],
    ['a"b\'c', `'a"b\\'c'`],
    ['naïve\n\t\\\u00a0\u0000', "'naïve\\n\\t\\\\\\xa0\\x00'"],
    ['📶\ud800', "'📶\\ud800'"],
    [[1n, 2.5, ['x']], "[1, 2.5, ['x']]"],
    [new Map<string, PyValue>([['a', null]]), "{'a': None}"],
    [PyDate.date('2025-02-28'), 'datetime.date(2025, 2, 28)'],
    [PyDate.datetime('2025-02-28T09:05:00'), 'datetime.datetime(2025, 2, 28, 9, 5)'],
  ]
  it.each(cases)('%#', (value, text) => expect(repr(value)).toBe(text))

  it('is plain where it is shown', () => {
    expect(str("it's")).toBe("it's")
    expect(str(PyDate.datetime('2025-02-28T09:05:00'))).toBe('2025-02-28 09:05:00')
    expect(str(['a'])).toBe("['a']")
  })
})
