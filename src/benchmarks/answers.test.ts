import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { letterOf } from './choice.ts'
import { finalNumber, sameNumber } from './gsm8k.ts'
import { boxed, finalAnswer } from './latex/answer.ts'
import { sameAnswer } from './latex/same-answer.ts'

interface Reference {
  versions: Record<string, string>
  latex: { gold: string; given: string; alike: boolean; hendrycks: boolean; minerva: boolean; verify: boolean }[]
  gsm8k: { gold: string; reply: string; strict: boolean; flexible: boolean }[]
}

/** Made by `npm run referees -- --write`: verdicts of the tasks in EleutherAI's lm-evaluation-harness. */
const reference = JSON.parse(
  readFileSync(join(import.meta.dirname, 'testing', 'answers.reference.json'), 'utf8'),
) as Reference

describe('answers in LaTeX', () => {
  const pairs = reference.latex.map((pair) => ({ ...pair, ours: sameAnswer(pair.given, pair.gold) }))

  it('are the same where they mean the same', () => {
    // A repeating decimal is the one spelling that is not understood.
    expect(pairs.filter(({ ours, alike }) => ours !== alike).map(({ given }) => given)).toEqual(['0.\\overline{7}'])
  })

  it('are judged as three official implementations judge where those agree', () => {
    const agreed = pairs.filter(({ hendrycks, minerva, verify }) => hendrycks === minerva && minerva === verify)
    expect(agreed.length).toBeGreaterThan(300)
    expect(new Set(agreed.map(({ verify }) => verify))).toEqual(new Set([true, false]))
    // A percent sign without its backslash, a full stop, and \frac before a command: those they all refuse.
    const refused = ['25%', '42.', '\\frac\\pi6']
    expect(agreed.filter(({ ours, verify }) => ours !== verify).map(({ given }) => given)).toEqual(refused)
  })

  it('agree most with the newest of them', () => {
    const share = (name: 'hendrycks' | 'minerva' | 'verify') =>
      pairs.filter((pair) => pair.ours === pair[name]).length / pairs.length
    expect(share('verify')).toBeGreaterThan(0.97)
    expect(share('minerva')).toBeGreaterThan(0.92)
    expect(share('hendrycks')).toBeGreaterThan(0.76)
  })

  it('are never the same the one way and not the other', () => {
    expect(pairs.filter(({ given, gold, ours }) => sameAnswer(gold, given) !== ours)).toEqual([])
  })

  it('are exact where they are integers, however large', () => {
    expect(sameAnswer('10000000001', '10000000000')).toBe(false)
    expect(sameAnswer('9007199254740993', '9007199254740992')).toBe(false)
    expect(sameAnswer('1,000,000,000,007', '+1000000000007')).toBe(true)
    expect(sameAnswer('007', '7')).toBe(true)
  })

  it('lose a unit of one letter only behind a space or within \\text', () => {
    for (const product of ['5m', '5a', '3s', '2h', '7g', '3\\pi h', '\\frac{1}{2} b h']) {
      expect(sameAnswer(product, product.replace(/ ?[a-z]$/, '')), product).toBe(false)
    }
    for (const unit of [
      '5 m',
      '5\\,m',
      '5~m',
      '5\\text{m}',
      '5 \\mathrm{ m}',
      '5 m/s',
      '5 km/h',
      '5 dollars a day',
      '5 m^2',
    ]) {
      expect(sameAnswer(unit, '5'), unit).toBe(true)
    }
  })

  it('are found in a reply', () => {
    expect(boxed('so \\boxed{1} or \\boxed{\\frac{1}{2}}.')).toBe('\\frac{1}{2}')
    expect(boxed('$\\boxed 5$')).toBe('5')
    expect(boxed('\\boxed{\\{1,2\\}}')).toBe('\\{1,2\\}')
    expect(boxed('\\boxed{never closed')).toBe(null)
    expect(finalAnswer('The answer is $x=3$.')).toBe('x=3')
    expect(finalAnswer('Final answer: **12**.')).toBe('12')
    expect(finalAnswer('It follows that $2+2=4$ and $y = 4$.')).toBe('y = 4')
    expect(finalAnswer('I do not know')).toBe(null)
  })
})

describe('numbers', () => {
  it('are judged as the official filters judge, strict after ####, flexible without, where notation is theirs', () => {
    const different = reference.gsm8k.filter(({ gold, reply, strict, flexible }) => {
      const given = finalNumber(reply)
      const ours = given !== null && sameNumber(given, gold)
      return ours !== (reply.includes('####') ? strict : flexible)
    })
    // Ours compares values; knows a dollar sign or a bare point after ####; takes the last ####; and no minus from a difference.
    expect(different.map(({ reply }) => reply)).toEqual([
      '#### $18',
      'She earns $18.00',
      '#### 18.00',
      '#### 9\nNo, wait.\n#### 18',
      '1,200.00',
      '12-5',
      '#### .5',
      '#### 0.50',
      '#### $70,000',
      '#### 3.0',
    ])
  })
})

it('the number of a reply follows #### directly, or is its last', () => {
  expect(finalNumber('#### Step 1\n2 + 2 = 4\nThe answer is 4.')).toBe('4')
  expect(finalNumber('#### 18\n#### Note\nOf 20 eggs.')).toBe('18')
  expect(finalNumber('#### Answer: 18')).toBe('18')
  expect(finalNumber('####\n18')).toBe('18')
})

describe('letters', () => {
  it.each([
    ['Answer: B', 'B'],
    ['The answer is (C).', 'C'],
    ['**Answer: D**', 'D'],
    ['A looks good, but the answer is B', 'B'],
    ['so \\boxed{A}', 'A'],
    ['\\boxed{\\text{(B)}}', 'B'],
    ['C', 'C'],
    ['B.', 'B'],
    ['It is (D) because of that', 'D'],
    ['Answer: A\nNo: Answer: C', 'C'],
    ['the answer is a matter of taste', null],
    ['A horse is an animal', null],
    ['Answer: E', null],
    ['', null],
  ])('of %j is %j', (reply, letter) => {
    expect(letterOf(reply, 4)).toBe(letter)
  })
})
