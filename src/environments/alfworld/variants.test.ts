import { describe, expect, it } from 'vitest'
import { Random, type Transition } from '../../core/index.ts'
import { variants } from './variants.ts'

const of = (action: string, next: string, valid = true, seed = 1) => {
  const transition: Transition = {
    id: 'x',
    taskId: 't',
    taskKind: 'k',
    instruction: 'i',
    initial: { from: 'environment', text: 'start' },
    history: [],
    action: { kind: 'text', text: action },
    next: { from: 'environment', text: next },
    valid,
  }
  const { same, different } = variants(transition, new Random(seed))
  const texts = (list: typeof same) => Object.fromEntries(list.map(({ sort, text }) => [sort, text]))
  return { same: texts(same), different: texts(different) }
}

const DESK = 'You arrive at desk 1. On the desk 1, you see a cd 3, a mug 1, and a pen 2.'

describe('the same state', () => {
  it('is told in another order, with other articles, in other words', () => {
    const { same } = of('go to desk 1', DESK)
    expect(Object.keys(same)).toEqual(['another order', 'other articles', 'other words'])
    const things = (text: string) => [...text.matchAll(/[a-z]+ \d+/g)].map(([name]) => name).sort()
    expect(things(same['another order'])).toEqual(things(DESK))
    expect(new Set(things(same['other words']))).toEqual(new Set(things(DESK)))
    expect(same['other articles']).toContain('you see one cd 3, one mug 1, and one pen 2.')
    expect(same['other words']).toBe('You are now at the desk 1. There is a cd 3, a mug 1, and a pen 2 on the desk 1.')
  })

  it('has no other order where nothing or one thing is listed', () => {
    expect(of('go to desk 1', 'You arrive at desk 1. On the desk 1, you see a mug 1.').same).not.toHaveProperty(
      'another order',
    )
  })

  it.each([
    'The drawer 1 is closed.',
    'You open the drawer 1. The drawer 1 is open. In it, you see nothing.',
    'You close the drawer 1.',
    'You pick up the mug 1 from the desk 1.',
    'You move the mug 1 to the desk 1.',
    'You put the mug 1 in/on the desk 1.',
    'You heat the mug 1 using the microwave 1.',
    'You turn on the desklamp 1.',
    'You are facing the desk 1. Next to it, you see nothing.',
    'You are not carrying anything.',
    'You are carrying: a mug 1.',
    'This is a hot mug 1.',
    "There's nothing special about mug 1.",
    'Nothing happens.',
  ])('is known in other words: %s', (text) => {
    expect(of('look', text).same['other words']).toBeTypeOf('string')
  })
})

describe('other states', () => {
  it('have one thing wrong in a listing', () => {
    for (let seed = 0; seed < 20; seed++) {
      const { different } = of('go to desk 1', DESK, true, seed)
      const count = (sort: string) => [...different[sort].matchAll(/\ba [a-z]+ \d+/g)].length
      expect(count('one object missing, of 1 to 4')).toBe(2)
      expect(count('one object too many, of 1 to 4')).toBe(4)
      expect(count('an object renumbered')).toBe(3)
      expect(different['wrong receptacle']).toMatch(/^You arrive at desk ([^1]|1\d)\. On the desk \1, you see a cd 3/)
      expect(different['nothing happens']).toBe('Nothing happens.')
      expect(Object.values(different)).not.toContain(DESK)
    }
  })

  it('swap a closed door and an open, empty inside', () => {
    const closed = 'You arrive at safe 1. The safe 1 is closed.'
    const empty = 'You arrive at safe 1. The safe 1 is open. In it, you see nothing.'
    expect(of('go to safe 1', closed).different['closed for open and empty']).toBe(empty)
    expect(of('go to safe 1', empty).different['closed for open and empty']).toBe(closed)
    const surface = 'You arrive at desk 1. On the desk 1, you see nothing.'
    expect(of('go to desk 1', surface).different).not.toHaveProperty('closed for open and empty')
  })

  it('answer an inadmissible action as if it had worked', () => {
    const sort = 'as if it had worked'
    expect(of('take mug 1 from desk 1', 'Nothing happens.', false).different[sort]).toBe(
      'You pick up the mug 1 from the desk 1.',
    )
    expect(of('sing', 'Nothing happens.', false).different).toEqual({})
  })
})
