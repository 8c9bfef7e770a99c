/** Whatever text comes from outside: a value, or one line that says what is wrong with it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UserError } from '../../core/index.ts'
import { readGame, taskLineInFile } from './gamefile.ts'
import { generateHouse, houseFile } from './house.ts'
import { type HouseOptions, houseId, houseOptions } from './houseid.ts'
import { HOUSE_SPLITS } from './layout.ts'
import { described, follow, listedNames } from './listing.ts'
import { listWithArticles } from './names.ts'
import { Play } from './play.ts'
import { type GoalKind, TASK_TYPES } from './problem.ts'

const tiny = readFileSync(
  join(
    import.meta.dirname,
    'testing/tiny-2.1.2/json_2.1.1/valid_seen/pick_heat_then_place_in_recep-Tomato-None-Fridge-0/trial_tiny/game.tw-pddl',
  ),
  'utf8',
)

/** Runs; a `UserError` of one line is an answer, too. */
function answer<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch (error) {
    expect(error).toBeInstanceOf(UserError)
    expect((error as Error).message).not.toMatch(/\n/)
    return undefined
  }
}

describe('game files', () => {
  const damaged = fc.oneof(
    // Cut off, with a hole, with something in it that does not belong.
    fc.nat(tiny.length).map((end) => tiny.slice(0, end)),
    fc.tuple(fc.nat(tiny.length), fc.nat(40)).map(([at, length]) => tiny.slice(0, at) + tiny.slice(at + length)),
    fc.tuple(fc.nat(tiny.length), fc.string()).map(([at, text]) => tiny.slice(0, at) + text + tiny.slice(at)),
    fc.json(),
    fc.string(),
  )

  it('are read, or refused by name', () => {
    fc.assert(
      fc.property(damaged, (text) => {
        const game = answer(() => readGame(text, 'a game'))
        if (game) new Play(game).admissible()
        taskLineInFile(text)
      }),
      { numRuns: 500 },
    )
  })

  it('never lose a fact unnoticed to a value of another type', () => {
    const value = fc.oneof(fc.jsonValue(), fc.string())
    const key = fc.constantFrom('rules', 'task', 'pddl_problem', 'solvable', 'walkthrough', 'pddl_domain', 'grammar')
    fc.assert(
      fc.property(key, value, (name, other) => {
        answer(() => readGame(JSON.stringify({ ...JSON.parse(tiny), [name]: other }), 'a game'))
      }),
    )
  })

  it('give back the household that was written', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const house = generateHouse({ seed, size: 'small', split: 'train' })
        const game = readGame(JSON.stringify(houseFile(house)), house.game.id)
        expect(game.taskLine).toBe(house.game.taskLine)
        expect(game.objects.map(({ name }) => name)).toEqual(house.game.objects.map(({ name }) => name))
      }),
      { numRuns: 30 },
    )
  })
})

describe('identifiers of households', () => {
  const kinds = Object.keys(TASK_TYPES) as GoalKind[]
  const options: fc.Arbitrary<HouseOptions> = fc.record({
    seed: fc.maxSafeNat(),
    size: fc.constantFrom('small' as const, 'full' as const),
    split: fc.constantFrom(...HOUSE_SPLITS),
    kinds: fc.option(fc.subarray(kinds, { minLength: 1 }), { nil: undefined }),
    shuffle: fc.option(fc.double({ min: 0, max: 1, minExcluded: true, noNaN: true }), { nil: undefined }),
  })

  it('give back the options that they were made of', () => {
    fc.assert(
      fc.property(options, (some) => {
        expect(houseOptions(houseId(some))).toEqual(some)
      }),
    )
  })

  it('are known, refused, or somebody else’s', () => {
    const piece = fc.constantFrom(
      'generated-',
      'small',
      'full',
      '-place',
      '-constructor',
      '+',
      '-shuffle',
      '1.2.3',
      '/',
    )
    const text = fc.array(fc.oneof(piece, fc.constantFrom('/train/', '9'.repeat(20), '3'), fc.string()))
    fc.assert(
      fc.property(text, (parts) => {
        answer(() => houseOptions(parts.join('')))
      }),
    )
    for (const id of ['generated-small-constructor/train/1', `generated-full/train/${'9'.repeat(20)}`]) {
      expect(() => houseOptions(id)).toThrow(/no generated household/)
    }
  })
})

describe('texts of the game', () => {
  it('of any kind are followed without complaint', () => {
    const words = fc.constantFrom(
      'On the ',
      'desk 1',
      ', you see ',
      'a mug 1',
      ', and ',
      'You ',
      'open the ',
      '. ',
      '.',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.string())), (parts) => {
        const text = parts.join('')
        described(text)
        follow(new Map(), text)
      }),
    )
  })

  it('list what they were made of', () => {
    const names = fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,8}$/), fc.nat(20)).map(([word, n]) => `${word} ${n}`))
    fc.assert(
      fc.property(names, (list) => {
        expect(listedNames(listWithArticles(list))).toEqual(list)
      }),
    )
  })
})

describe('commands', () => {
  const { game } = generateHouse({ seed: 3, size: 'small', split: 'train' })
  const names = [...game.objectByName.keys(), ...game.receptacleByName.keys()]
  const word = fc.constantFrom(' ', 'go to ', 'open ', 'take ', ' from ', 'move ', ' to ', 'heat ', ' with ', 'slice ')
  const command = fc.array(fc.oneof(word, fc.constantFrom(...names), fc.string())).map((parts) => parts.join(''))

  it('of any text are answered, and valid exactly where they are listed', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 20 }), (commands) => {
        const play = new Play(game)
        for (const text of commands) {
          const listed = play.admissible().includes(text.trim())
          expect(play.step(text).valid).toBe(listed)
        }
      }),
    )
  })
})
