import { describe, expect, it } from 'vitest'
import { Random, type Transition } from '../../core/index.ts'
import { generateHouse } from './house.ts'
import { currentListing, described, follow, isGroundedTake } from './listing.ts'
import { Play } from './play.ts'
import { transitionKind } from './transitionkind.ts'

describe('what is listed where the agent stands', () => {
  it('follows arriving, opening, taking, putting and closing', () => {
    const texts = [
      'You arrive at fridge 1. The fridge 1 is closed.',
      'You open the fridge 1. The fridge 1 is open. In it, you see a egg 1, a mug 2, and a mug 1.',
      'You pick up the mug 2 from the fridge 1.',
    ]
    expect(currentListing(texts)).toEqual(new Map([['fridge 1', ['egg 1', 'mug 1']]]))
    expect(currentListing([...texts, 'You move the mug 2 to the fridge 1.']).get('fridge 1')).toContain('mug 2')
    expect(currentListing([...texts, 'You close the fridge 1.']).size).toBe(0)
    expect(currentListing([...texts, 'You arrive at loc 12. On the shelf 1, you see nothing.'])).toEqual(
      new Map([['shelf 1', []]]),
    )
  })

  it('tells a take of something listed from a blind one', () => {
    const listing = currentListing(['You arrive at desk 1. On the desk 1, you see a pen 1.'])
    expect(isGroundedTake('take pen 1 from desk 1', listing)).toBe(true)
    expect(isGroundedTake('take pen 2 from desk 1', listing)).toBe(false)
    expect(isGroundedTake('take pen 1 from desk 2', listing)).toBe(false)
    expect(isGroundedTake('go to desk 1', listing)).toBeNull()
  })

  it('never misses what is truly there, in random play', () => {
    for (let seed = 0; seed < 40; seed++) {
      const random = new Random('listing', seed)
      const play = new Play(generateHouse({ seed, size: 'small', split: 'train' }).game)
      const listing = currentListing([play.initial])
      for (let i = 0; i < 40; i++) {
        follow(listing, play.step(random.pick(play.admissible())).observation)
        for (const [receptacle, names] of listing) {
          const index = play.world.game.receptacleByName.get(receptacle) as number
          const truth = play.world.contents[index].map((object) => play.world.game.objects[object].name)
          expect([...names].sort()).toEqual(truth.sort())
        }
      }
    }
  })

  it('reads no receptacle out of other texts', () => {
    for (const text of ['Nothing happens.', 'You turn on the desklamp 1.', 'This desklamp 1 is on.', '']) {
      expect(described(text)).toBeUndefined()
    }
  })
})

describe('kinds of transitions', () => {
  const seen = (text: string) => ({ reply: '', action: null, observation: { from: 'environment', text } as const })
  const kindOf = (command: string, history: string[], valid = true) =>
    transitionKind({
      id: '',
      taskId: '',
      taskKind: '',
      instruction: '',
      initial: { from: 'environment', text: 'You are in the middle of a room.' },
      history: history.map(seen),
      action: { kind: 'text', text: command },
      next: { from: 'environment', text: '' },
      valid,
    } satisfies Transition)

  const closed = 'You arrive at fridge 1. The fridge 1 is closed.'
  const open = 'You open the fridge 1. The fridge 1 is open. In it, you see nothing.'

  it.each([
    ['go to fridge 1', [], 'first visit'],
    ['go to fridge 1', [closed], 'revisit'],
    ['go to fridge 10', [closed, open], 'first visit'],
    ['open fridge 1', [closed], 'open/close'],
    ['open fridge 1', [closed, open], 'revisit'],
    ['close fridge 1', [closed, open], 'open/close'],
    ['take mug 1 from fridge 1', [open], 'take/put'],
    ['put mug 1 in/on fridge 1', [open], 'take/put'],
    ['heat mug 1 with microwave 1', [], 'other'],
  ] as [string, string[], string][])('%s after %j: %s', (command, history, kind) => {
    expect(kindOf(command, history)).toBe(kind)
    expect(kindOf(command, history, false)).toBe('invalid')
  })
})
