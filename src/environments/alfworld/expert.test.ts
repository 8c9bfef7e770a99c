import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Random } from '../../core/index.ts'
import { alfworldEnvironment } from './environment.ts'
import { expertPlan, nextExpertCommand } from './expert.ts'
import type { Game } from './game.ts'
import { generateHouse } from './house.ts'
import { Play } from './play.ts'
import { type GoalKind, TASK_TYPES } from './problem.ts'

const kinds = Object.keys(TASK_TYPES) as GoalKind[]

/** Does the plan win, every command of it valid? */
function wins(play: Play, plan: string[] | null): boolean {
  let won = play.world.isWon()
  for (const command of plan ?? []) {
    const step = play.step(command)
    if (!step.valid || won) return false
    won = step.won
  }
  return won
}

function afterRandomPlay(game: Game, seed: number, steps: number): Play {
  const random = new Random('expert test', seed)
  const play = new Play(game)
  for (let i = 0; i < steps; i++) {
    // Taking and opening is what makes states that a planner may stumble over.
    const busy = play.admissible().filter((command) => !/^(look|help|inventory|examine)/.test(command))
    play.step(random.pick(busy.length > 0 ? busy : play.admissible()))
  }
  return play
}

describe('the expert', () => {
  it('wins from any state of a generated household', () => {
    const state = fc.record({ seed: fc.nat(), kind: fc.constantFrom(...kinds), steps: fc.integer({ min: 0, max: 40 }) })
    fc.assert(
      fc.property(state, ({ seed, kind, steps }) => {
        const { game } = generateHouse({ seed, size: 'small', split: 'train', kinds: [kind] })
        const play = afterRandomPlay(game, seed, steps)
        const plan = expertPlan(play.world)
        expect(plan).not.toBeNull()
        expect(wins(play, plan)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('asked at every step, comes closer at every step', () => {
    for (let seed = 0; seed < 50; seed++) {
      const play = afterRandomPlay(generateHouse({ seed, size: 'full', split: 'seen' }).game, seed, 10)
      for (let left = expertPlan(play.world, 3)?.length ?? -1; left > 0; left--) {
        play.step(nextExpertCommand(play.world, 3) ?? '')
        expect(expertPlan(play.world, 3)?.length).toBe(left - 1)
      }
      expect(play.world.isWon()).toBe(true)
      expect(nextExpertCommand(play.world)).toBeNull()
    }
  })

  it('gives the same plan for the same seed', () => {
    const { game } = generateHouse({ seed: 5, size: 'full', split: 'train' })
    expect(expertPlan(new Play(game).world, 1)).toEqual(expertPlan(new Play(game).world, 1))
  })
})

const shared = process.env.RWML_SHARED ?? '../shared'
const folders = ['alfworld', 'alfworld-release-2.1.1'].map((name) => join(shared, 'data', name))

describe.skipIf(!folders.every(existsSync))('the expert on real games', () => {
  it.each(folders)('%s: solves every game within 50 steps, from the start and from anywhere', (data) => {
    const environment = alfworldEnvironment({ data, warn: () => {} })
    for (const split of environment.splits()) {
      for (const [index, task] of environment.tasks(split).entries()) {
        const game = environment.game(task)
        const fresh = new Play(game)
        const plan = expertPlan(fresh.world)
        expect(plan?.length, task.id).toBeLessThanOrEqual(50)
        expect(wins(fresh, plan), task.id).toBe(true)
        if (game.walkthrough) {
          expect(plan?.length).toBeLessThanOrEqual(game.walkthrough.length)
          expect(wins(new Play(game), game.walkthrough), task.id).toBe(true)
        }
        const busy = afterRandomPlay(game, index, 25)
        const rescue = expertPlan(busy.world)
        // What lies where it cannot be put back leaves hands full for ever: that alone may be hopeless.
        if (rescue) expect(wins(busy, rescue), task.id).toBe(true)
        else expect(busy.admissible().some((command) => /^(move|put) /.test(command))).toBe(false)
      }
    }
  })
})
