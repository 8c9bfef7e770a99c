import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { alfworldEnvironment } from './environment.ts'
import { expertPlan } from './expert.ts'
import type { GoalKind } from './problem.ts'

const testing = join(import.meta.dirname, 'testing')
const tiny = join(testing, 'tiny-2.1.2')
const trial = 'valid_seen/pick_heat_then_place_in_recep-Tomato-None-Fridge-0/trial_tiny'

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('from a data folder', () => {
  it('lists the splits that are there, with kind and instruction', () => {
    const environment = alfworldEnvironment({ data: tiny })
    expect(environment.splits()).toEqual(['seen'])
    expect(environment.tasks('seen')).toEqual([
      {
        id: trial,
        split: 'seen',
        kind: 'pick_heat_then_place_in_recep',
        instruction: 'heat some tomato and put it in fridge',
      },
    ])
    expect(() => environment.tasks('train')).toThrow(/no split "train"; it has seen \(.*json_2.1.1\)/)
  })

  it('finds the data by its folder, by ALFWORLD_DATA, and says where it looked', () => {
    expect(alfworldEnvironment({ data: join(tiny, 'json_2.1.1') }).splits()).toEqual(['seen'])
    vi.stubEnv('ALFWORLD_DATA', tiny)
    expect(alfworldEnvironment().splits()).toEqual(['seen'])
    expect(() => alfworldEnvironment({ data: '' })).toThrow(/name of the ALFWorld data folder is empty/)
    expect(() => alfworldEnvironment({ data: testing })).toThrow(
      new RegExp(`none of ${testing}, ${testing}/json_2.1.1`),
    )
  })

  it('lets valid_train stand in for train, and counts what it leaves out and why', () => {
    const root = mkdtempSync(join(tmpdir(), 'rwml-'))
    const from = join(tiny, 'json_2.1.1', trial)
    const add = (name: string) => {
      cpSync(from, join(root, 'valid_train', name), { recursive: true })
      return join(root, 'valid_train', name)
    }
    add('a/trial_1')
    add('pick-Apple-Sliced/trial_1')
    add('b-movable/trial_1')
    rmSync(join(add('c/trial_1'), 'traj_data.json'))
    rmSync(join(add('c/trial_2'), 'game.tw-pddl'))
    writeFileSync(join(add('d/trial_1'), 'traj_data.json'), '{"task_type": "fly"}')
    writeFileSync(join(add('d/trial_2'), 'game.tw-pddl'), '{"solvable": false}')
    mkdirSync(join(root, 'valid_seen'))
    const said: string[] = []
    const environment = alfworldEnvironment({ data: root, warn: (message) => said.push(message) })
    expect(environment.tasks('train').map(({ id }) => id)).toEqual(['valid_train/a/trial_1'])
    expect(said[0]).toMatch(/no "train"; "valid_train" stands in/)
    for (const reason of [
      'sliced object',
      'movable receptacle',
      'no traj_data.json',
      'no game.tw-pddl',
      'task of another type',
      'not solvable',
    ]) {
      expect(said[1]).toContain(`1 ${reason}`)
    }
    expect(() => environment.tasks('seen')).toThrow(/no playable game in .*valid_seen \(no trials\); fetch/)
    writeFileSync(join(root, 'valid_train', 'a', 'trial_1', 'game.tw-pddl'), '{"solvable": true, "task": "x"')
    const [task] = alfworldEnvironment({ data: root, warn: () => {} }).tasks('train')
    expect(() => environment.game(task)).toThrow(/valid_train\/a\/trial_1\/game\.tw-pddl: not JSON, or cut off/)
    rmSync(dirname(join(root, 'x')), { recursive: true })
  })
})

describe('an episode', () => {
  it('rewards winning, and is truncated at the limit, not both', () => {
    const environment = alfworldEnvironment({ data: tiny })
    const [task] = environment.tasks('seen')
    const plan = environment.game(task).walkthrough as string[]
    const episode = environment.open(task, { seed: 0, maxSteps: plan.length })
    for (const [index, text] of plan.entries()) {
      expect(episode.actions()).toContain(text)
      const { done, truncated, reward } = episode.step({ kind: 'text', text })
      expect({ done, truncated, reward }).toEqual(
        index === plan.length - 1
          ? { done: true, truncated: false, reward: 1 }
          : { done: false, truncated: false, reward: 0 },
      )
    }
    const short = environment.open(task, { seed: 0, maxSteps: 1 })
    expect(short.step({ kind: 'tools', calls: [] })).toMatchObject({ valid: false, truncated: true, done: false })
  })
})

describe('from the generator', () => {
  const generate = { size: 'small', counts: { train: 20, base: 5 } } as const

  it('has the splits asked for, and opens any task by its identifier alone', () => {
    const environment = alfworldEnvironment({ generate })
    expect(environment.splits()).toEqual(['train', 'base'])
    const task = environment.tasks('train')[7]
    const again = alfworldEnvironment({ generate }).open(task, { seed: 1 })
    expect(again.initial).toEqual(environment.open(task, { seed: 2 }).initial)
    for (const text of expertPlan(again.play.world) ?? []) again.step({ kind: 'text', text })
    expect(again.play.world.isWon()).toBe(true)
  })

  it('opens any generated or re-placed game by its identifier, whatever the source', () => {
    const kinds: GoalKind[] = ['look', 'two']
    const generated = alfworldEnvironment({ generate: { ...generate, shuffle: 0.5 }, kinds })
    const fromFolder = alfworldEnvironment({ data: tiny })
    for (const task of generated.tasks('train')) {
      expect(task.id).toMatch(/^generated-small-look\+two-shuffle0\.5\/train\/\d+$/)
      expect(fromFolder.game(task).problem).toEqual(generated.game(task).problem)
    }
    const [real] = fromFolder.tasks('seen')
    expect(alfworldEnvironment({ data: tiny, kinds: ['heat'] }).tasks('seen')).toEqual(fromFolder.tasks('seen'))
    expect(() => alfworldEnvironment({ data: tiny, kinds }).tasks('seen')).toThrow(/of the kind look_at.* or pick_two/)
    const moved = fromFolder.game({ ...real, id: `${real.id}~3` })
    expect(moved.problem.receptacles).toEqual(fromFolder.game(real).problem.receptacles)
    expect(moved.problem.objects).not.toEqual(fromFolder.game(real).problem.objects)
    expect(() => generated.game(real)).toThrow(/needs ALFWorld's data/)
    expect(() => generated.game({ ...real, id: 'generated-small/nowhere/3' })).toThrow(/no generated household/)
  })

  it('gives other households for other seeds', () => {
    const ids = [0, 1].map((seed) => alfworldEnvironment({ generate: { ...generate, seed } }).tasks('train'))
    const first = new Set(ids[0].map(({ id }) => id))
    expect(ids[1].filter(({ id }) => first.has(id))).toEqual([])
  })
})
