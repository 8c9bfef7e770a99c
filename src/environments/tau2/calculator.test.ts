import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { calculate } from './calculator.ts'
import { PyError } from './python/errors.ts'

const shared = process.env.RWML_SHARED ?? '../shared'
const recorded = join(shared, 'oracle', 'tau2', 'calculate.json')

function answer(expression: Parameters<typeof calculate>[0]): string {
  try {
    return calculate(expression)
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    return `Error: ${error.message}`
  }
}

describe('the calculator', () => {
  // What Python 3.11 and 3.12 say.
  it.each([
    ['1 + 2 * 3', '7.0'],
    ['-2**2', '-4.0'],
    ['2**3**2', '512.0'],
    ['2**-1', '0.5'],
    ['99999999999999999999.0**3', '1e+60'],
    ['1.1**300', '2617010996188.46'],
    ['(-2.5)**-3', '-0.06'],
    ['2**0.5', '1.41'],
    ['7 // -2', '-4.0'],
    ['-7.5 // 2', '-4.0'],
    ['0.125', '0.12'],
    ['1e3', 'Error: Invalid characters in expression'],
    ['10**400 // 10**399', '10.0'],
    ['10**400', 'Error: int too large to convert to float'],
    ['10**400 / 3', 'Error: integer division result too large for a float'],
    ['(10**30 + 1) / 10**30', '1.0'],
    ['10.0**400', "Error: (34, 'Numerical result out of range')"],
    ['0**-1', 'Error: 0.0 cannot be raised to a negative power'],
    ['(-8)**0.5', "Error: float() argument must be a string or a real number, not 'complex'"],
    ['1.5//0', 'Error: float floor division by zero'],
    ['2(1/0)', 'Error: division by zero'],
    ['2.5(3)', "Error: 'float' object is not callable"],
    ['1(*1)', 'Error: 1 argument after * must be an iterable, not int'],
    ['()*2.5', "Error: can't multiply sequence by non-int of type 'float'"],
    ['()+1', 'Error: can only concatenate tuple (not "int") to tuple'],
    ['...**2', "Error: unsupported operand type(s) for ** or pow(): 'ellipsis' and 'int'"],
    ['-()', "Error: bad operand type for unary -: 'tuple'"],
    ['(1 2)', 'Error: invalid syntax. Perhaps you forgot a comma? (<string>, line 1)'],
    ['(1) 2', 'Error: invalid syntax (<string>, line 1)'],
    ['(1 2', "Error: '(' was never closed (<string>, line 1)"],
    ['(*1)', 'Error: cannot use starred expression here (<string>, line 1)'],
    ['(**1)', 'Error: cannot use double starred expression here (<string>, line 1)'],
    ['1 +* (2))', "Error: unmatched ')' (<string>, line 1)"],
    [`${'('.repeat(201)}1`, 'Error: too many nested parentheses (<string>, line 1)'],
  ])('%s = %s', (expression, expected) => expect(answer(expression)).toBe(expected))

  it('takes long ones as far as Python compiles them', () => {
    expect(answer(`1${'+1'.repeat(2900)}`)).toBe('2901.0')
    expect(answer(`${'-'.repeat(900)}1`)).toBe('1.0')
    expect(answer(`${'1**'.repeat(900)}1`)).toBe('1.0')
    for (const text of ['1+', '-', '1**', '1*', '1//']) {
      expect(answer(`${text.repeat(10_000)}1`)).toBe('Error: maximum recursion depth exceeded during compilation')
    }
    expect(answer(`1${'()'.repeat(10_000)}`)).toBe('Error: maximum recursion depth exceeded during compilation')
  })

  it('takes what is no text as Python does', () => {
    expect(answer(null)).toBe("Error: 'NoneType' object is not iterable")
    expect(answer(5n)).toBe("Error: 'int' object is not iterable")
    expect(answer([1n])).toBe("Error: 'in <string>' requires string as left operand, not int")
    expect(answer(['1', '+'])).toBe('Error: eval() arg 1 must be a string, bytes or code object')
  })

  it.skipIf(!existsSync(recorded))('answers as recorded', () => {
    const cases: { expression: string; content: string }[] = JSON.parse(readFileSync(recorded, 'utf8'))
    for (const { expression, content } of cases)
      expect({ expression, content: answer(expression) }).toEqual({ expression, content })
  })
})
