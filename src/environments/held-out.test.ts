import { describe, expect, it } from 'vitest'
import type { Task } from '../core/index.ts'
import type { Environment } from './environment.ts'
import { withHeldOut } from './held-out.ts'

/** A class with a private field, as an environment may be. */
class Numbered implements Environment {
  readonly name = 'numbered'
  readonly #count: number
  constructor(
    count: number,
    private readonly names = ['train'],
  ) {
    this.#count = count
  }
  splits() {
    return this.names
  }
  tasks(split: string): Task[] {
    return Array.from({ length: this.#count }, (_, i) => ({ id: `${split} ${i}`, split, kind: 'k', instruction: 'i' }))
  }
  open(): never {
    throw new Error(`has ${this.#count} tasks`)
  }
  recorded(split: string) {
    return this.tasks(split).map((task) => ({ task }) as never)
  }
}

describe('withHeldOut', () => {
  const noted: string[] = []
  const warn = (message: string) => void noted.push(message)

  it('leaves an environment alone that sets tasks apart itself', () => {
    const own = new Numbered(3, ['train', 'unseen'])
    expect(withHeldOut(own, warn)).toBe(own)
    expect(noted).toEqual([])
  })

  it('holds out a tenth by id, of tasks and recordings alike, and says so', () => {
    const environment = withHeldOut(new Numbered(50), warn)
    expect(environment.splits()).toEqual(['train', 'unseen'])
    const [train, unseen] = ['train', 'unseen'].map((split) => environment.tasks(split).map(({ id }) => id))
    expect([train.length, unseen.length]).toEqual([45, 5])
    expect(new Set([...train, ...unseen]).size).toBe(50)
    expect(
      withHeldOut(new Numbered(50), warn)
        .tasks('unseen')
        .map(({ id }) => id),
    ).toEqual(unseen)
    expect(environment.recorded?.('unseen').map(({ task }) => task.id)).toEqual(unseen)
    expect(() => environment.open(environment.tasks('train')[0], { seed: 0 })).toThrow('has 50 tasks')
    expect(noted.pop()).toContain('5 of its 50 training tasks are held out')
  })

  it('says which splits nothing looks at', () => {
    noted.length = 0
    withHeldOut(new Numbered(5, ['train', 'unseen', 'test']), warn)
    expect(noted).toEqual(['numbered: its split "test" is not used: call it "seen" or "unseen" to evaluate on it'])
    withHeldOut(new Numbered(5, ['train', 'test', 'dev']), warn)
    expect(noted.slice(1)).toEqual([
      expect.stringContaining('its splits "test", "dev" are not used: call them'),
      expect.stringContaining('has no split "unseen"'),
    ])
  })

  it('cannot hold anything out of one task, and refuses none', () => {
    expect(withHeldOut(new Numbered(1), warn).splits()).toEqual(['train'])
    expect(noted.pop()).toContain('nothing is held out')
    expect(() => withHeldOut(new Numbered(0), warn)).toThrow(/no task to train on/)
    expect(() => withHeldOut(new Numbered(5, ['test']), warn)).toThrow(/splits\(\) must name "train"/)
  })
})
