import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expertPlan } from './expert.ts'
import { readGame } from './gamefile.ts'
import { generateHouse, houseFile, houseFolder } from './house.ts'
import { HOUSE_SPLITS, type HouseSplit, layoutFamily, layoutOf } from './layout.ts'
import { shuffleObjects } from './placing.ts'
import { Play } from './play.ts'
import { type GoalKind, TASK_TYPES } from './problem.ts'

const kinds = Object.keys(TASK_TYPES) as GoalKind[]
const options = fc.record({
  seed: fc.nat(),
  size: fc.constantFrom('small' as const, 'full' as const),
  split: fc.constantFrom(...HOUSE_SPLITS),
  kinds: fc.constantFrom(undefined, ...kinds.map((kind) => [kind])),
  shuffle: fc.constantFrom(0, 0.5, 1),
})
const furniture = (game: Play['world']['game']) => game.receptacles.map(({ type }) => type).join(' ')

describe('generateHouse', () => {
  it('is a function of its options, and its file plays the same', () => {
    fc.assert(
      fc.property(options, (wanted) => {
        const house = generateHouse(wanted)
        const text = JSON.stringify(houseFile(house))
        expect(JSON.stringify(houseFile(generateHouse(wanted)))).toBe(text)
        const [memory, file] = [new Play(house.game), new Play(readGame(text, house.game.id))]
        expect(file.initial).toBe(memory.initial)
        for (const command of houseFile(house).walkthrough ?? []) {
          expect(file.admissible()).toEqual(memory.admissible())
          expect(file.step(command)).toEqual(memory.step(command))
        }
        expect(memory.world.isWon()).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('keeps small houses small', () => {
    fc.assert(
      fc.property(options, (wanted) => {
        const { game } = generateHouse({ ...wanted, size: 'small' })
        expect(game.receptacles.length).toBeGreaterThanOrEqual(6)
        expect(game.receptacles.length).toBeLessThanOrEqual(8)
        expect(game.objects.length).toBeLessThanOrEqual(14)
        const doors = game.receptacles.filter(({ openable }) => openable).length
        expect(doors).toBeGreaterThanOrEqual(2)
        expect(doors).toBeLessThanOrEqual(5)
        expect(expertPlan(new Play(game).world)?.length).toBeLessThanOrEqual(12)
        if (wanted.kinds) expect(game.goal.kind).toBe(wanted.kinds[0])
      }),
    )
  })

  it('draws seen layouts from those of train, and never lets a layout into two families', () => {
    const seeds = Array.from({ length: 400 }, (_, seed) => seed)
    const rooms = (split: HouseSplit) =>
      new Set(seeds.map((seed) => furniture(generateHouse({ seed, size: 'small', split }).game)))
    const [train, seen, unseen, base] = HOUSE_SPLITS.map(rooms)
    for (const other of [unseen, base]) {
      expect([...other].filter((room) => train.has(room) || seen.has(room))).toEqual([])
    }
    expect([...unseen].filter((room) => base.has(room))).toEqual([])
    expect([...seen].filter((room) => train.has(room)).length).toBeGreaterThan(10)
    for (const size of ['small', 'full'] as const) {
      expect(layoutFamily(layoutOf('unseen', 'kitchen', size, 1))).toBe('unseen')
      expect(layoutOf('seen', 'kitchen', size, 4)).toEqual(layoutOf('train', 'kitchen', size, 4))
    }
  })

  it('lets about 15 % of the receptacles share a place', () => {
    const games = Array.from({ length: 300 }, (_, seed) => generateHouse({ seed, size: 'full', split: 'train' }).game)
    const all = games.flatMap(({ receptacles, locations }) =>
      receptacles.map(({ location }) => locations[location].receptacles.length > 1),
    )
    const share = all.filter(Boolean).length / all.length
    expect(share).toBeGreaterThan(0.12)
    expect(share).toBeLessThan(0.19)
  })

  it('gives the households kept beside this test, byte for byte', () => {
    const kept = JSON.parse(readFileSync(join(import.meta.dirname, 'testing', 'houses.json'), 'utf8')) as {
      options: Parameters<typeof generateHouse>[0]
      folder: string
      file: unknown
    }[]
    for (const { options, folder, file } of kept) {
      const house = generateHouse(options)
      expect(houseFolder(house)).toBe(folder)
      expect(houseFile(house)).toEqual(file)
    }
  })
})

describe('shuffleObjects', () => {
  it('moves what can be moved, keeps the room and the task, and stays solvable', () => {
    fc.assert(
      fc.property(options, fc.nat(), (wanted, seed) => {
        const { game } = generateHouse(wanted)
        const other = shuffleObjects(game, seed)
        expect(shuffleObjects(game, seed).problem).toEqual(other.problem)
        expect(new Play(other).initial).toBe(new Play(game).initial)
        expect(other.objects.map(({ name }) => name)).toEqual(game.objects.map(({ name }) => name))
        for (const [index, object] of other.objects.entries()) {
          if (!object.pickupable) expect(object.inside).toEqual(game.objects[index].inside)
        }
        const play = new Play(other)
        expect(play.world.isWon()).toBe(false)
        for (const command of expertPlan(play.world) ?? []) play.step(command)
        expect(play.world.isWon()).toBe(true)
      }),
      { numRuns: 60 },
    )
  })
})
