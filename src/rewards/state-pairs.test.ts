import { describe, expect, it } from 'vitest'
import type { Transition } from '../core/index.ts'
import { statePairs, WORD_FOR_WORD } from './state-pairs.ts'

const say = (text: string) => ({ from: 'environment' as const, text })
const transition = (id: number, action: string, next: string): Transition => ({
  id: `${id}`,
  taskId: 't',
  taskKind: 'k',
  instruction: 'i',
  initial: say('start'),
  history: [],
  action: { kind: 'text', text: action },
  next: say(next),
  valid: true,
})
const train = [
  transition(0, 'press red', 'The lamp is on.'),
  transition(1, 'press red', 'The lamp is off.'),
  transition(2, 'press red', 'the lamp  is on.'),
  transition(3, 'press blue', 'A bell rings.'),
]

describe('pairs of states', () => {
  it('of an environment that knows no variants are made of what was collected', () => {
    const pairs = statePairs({}, train, 1)
    expect(new Set(pairs.map((pair) => pair.sort))).toEqual(
      new Set([WORD_FOR_WORD, 'other case and spacing', 'the same action elsewhere', 'the same verb elsewhere']),
    )
    const plain = (text: string) => text.toLowerCase().replace(/\s+/g, ' ').trim()
    for (const { same, actual, other } of pairs) expect(plain(actual) === plain(other)).toBe(same)
    for (const { sort, actual, other } of pairs) if (sort === 'other case and spacing') expect(actual).not.toBe(other)
    expect(statePairs({}, train, 1)).toEqual(pairs)
  })

  it('take the variants of an environment that knows some, and few of each sort', () => {
    const many = Array.from({ length: 300 }, (_, id) => transition(id, `press ${id}`, `Lamp ${id} is on.`))
    const pairs = statePairs(
      {
        variants: ({ next }) => ({
          same: [{ sort: 'shouted', text: `${(next as { text: string }).text}!` }],
          different: [{ sort: 'out', text: 'It is dark.' }],
        }),
      },
      many,
      1,
    )
    expect(pairs.filter((pair) => pair.sort === 'shouted' && pair.same)).toHaveLength(40)
    expect(pairs.filter((pair) => pair.sort === 'out' && !pair.same)).toHaveLength(40)
    expect(pairs.some((pair) => pair.sort === 'other case and spacing')).toBe(false)
  })

  it('are of different verbs where no verb has two results', () => {
    const fixed = ['go', 'look', 'take'].map((verb, id) => transition(id, verb, `You ${verb}.`))
    const different = statePairs({}, fixed, 1).filter((pair) => !pair.same)
    expect(different).toHaveLength(3)
    expect(different.every(({ sort, actual, other }) => sort === 'another verb' && actual !== other)).toBe(true)
  })

  it('are none of different states where all are alike', () => {
    const alike = [transition(0, 'wait', 'Nothing.'), transition(1, 'look', 'Nothing.')]
    expect(statePairs({}, alike, 1).every((pair) => pair.same)).toBe(true)
  })
})
