import { describe, expect, it } from 'vitest'
import type { Task, Transition } from '../core/index.ts'
import type { Environment } from './environment.ts'
import { guarded } from './guarded.ts'

const task = (id: string, split = 'train'): Task => ({ id, split, kind: 'k', instruction: 'i' })
const environment = (parts: Partial<Environment>): Environment =>
  guarded({
    name: 'game',
    splits: () => ['train', 'unseen'],
    tasks: (split) => [task(`${split}-1`, split)],
    open: () => {
      throw new Error('not asked for')
    },
    ...parts,
  })

describe('a guarded environment', () => {
  it('gives what a sound one gives', () => {
    const sound = environment({ transitionKind: () => 'kind', grounded: () => null })
    expect(sound.splits()).toEqual(['train', 'unseen'])
    expect(sound.tasks('unseen')).toEqual([task('unseen-1', 'unseen')])
    expect(sound.transitionKind?.({} as Transition)).toBe('kind')
    expect(sound.grounded?.({} as Transition)).toBeNull()
    expect(sound.recorded).toBeUndefined()
  })

  it('never calls held out what is trained on', () => {
    const overlapping = environment({ tasks: (split) => [task('a', split), task(split, split)] })
    expect(() => overlapping.tasks('unseen')).toThrow(/task "a" is in "train" and in "unseen"/)
    expect(overlapping.tasks('train')).toHaveLength(2)
  })

  it('has room for at least one episode', () => {
    expect(environment({ concurrent: 2 }).concurrent).toBe(2)
    for (const concurrent of [0, -1, 1.5, Number.NaN]) {
      expect(() => environment({ concurrent })).toThrow(/game: concurrent must be a whole number from 1 on/)
    }
  })

  it('names the member that is at fault', () => {
    const wrong = (parts: Record<string, unknown>) => environment(parts as Partial<Environment>)
    expect(() => wrong({ splits: () => undefined }).splits()).toThrow(/game: splits\(\) is not as it should be/)
    expect(() => wrong({ tasks: () => [{ id: 1 }] }).tasks('train')).toThrow(
      /tasks\("train"\).*: \[0\]\.id must be text/,
    )
    expect(() => environment({ tasks: () => [task('a'), task('a')] }).tasks('train')).toThrow(/two tasks.*"a"/)
    expect(() => environment({ tasks: () => [task('a', 'zzz')] }).tasks('train')).toThrow(/its split is "zzz"/)
    const throwing = environment({
      transitionKind: () => {
        throw new Error('kind!')
      },
    })
    expect(() => throwing.transitionKind?.({ id: 't' } as Transition)).toThrow(
      /transitionKind\(transition t\) failed: kind!/,
    )
    expect(() => wrong({ transitionKind: () => 5 }).transitionKind?.({ id: 't' } as Transition)).toThrow(
      /transitionKind/,
    )
  })
})
