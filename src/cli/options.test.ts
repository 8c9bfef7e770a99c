import { InvalidArgumentError } from 'commander'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { numberBetween, wholeNumber } from './numbers.ts'
import { pathName, pathNames } from './paths.ts'

/** The parsed value; undefined where it was refused as bad usage. */
function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidArgumentError)
    return undefined
  }
}

const text = fc.oneof(
  fc.string(),
  fc.double().map(String),
  fc.integer().map(String),
  fc.constantFrom('', ' ', '٣', '1e999', '-0', 'NaN', 'Infinity', '0x10', '1_000', '1,5'),
)

describe('parsers of options', () => {
  it('take whole numbers in their range, and nothing else', () => {
    fc.assert(
      fc.property(text, fc.nat(100), fc.nat(100), (some, least, more) => {
        const value = parsed(() => wholeNumber(least, least + more)(some))
        if (value === undefined) return
        expect(Number.isSafeInteger(value) && value >= least && value <= least + more).toBe(true)
      }),
    )
    fc.assert(
      fc.property(fc.maxSafeNat(), (value) => {
        expect(wholeNumber()(String(value))).toBe(value)
      }),
    )
    for (const wrong of ['', ' ', '-1', '1.5', 'x', '1e999', '9007199254740993', '٣']) {
      expect(parsed(() => wholeNumber()(wrong))).toBeUndefined()
    }
    expect(() => wholeNumber(1)('0')).toThrow('a whole number of at least 1')
    expect(() => wholeNumber(1, 5)('6')).toThrow('a whole number from 1 to 5')
  })

  it('take numbers in their range', () => {
    fc.assert(
      fc.property(text, (some) => {
        const value = parsed(() => numberBetween(1, 600)(some))
        if (value !== undefined) expect(value >= 1 && value <= 600).toBe(true)
      }),
    )
    expect(numberBetween(1, 600)('2.5')).toBe(2.5)
    for (const wrong of ['', '0', '601', 'NaN']) expect(parsed(() => numberBetween(1, 600)(wrong))).toBeUndefined()
  })

  it('take names of files as they stand, and no empty one', () => {
    expect(pathName(' a b ')).toBe(' a b ')
    expect(pathNames('b', ['a'])).toEqual(['a', 'b'])
    for (const wrong of ['', ' \t', 'a\0b']) expect(parsed(() => pathName(wrong))).toBeUndefined()
  })
})
