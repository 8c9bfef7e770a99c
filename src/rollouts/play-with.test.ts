import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { goldPlayer, type Player, randomPlayer } from '../agents/index.ts'
import type { Action, Task, ToolCall } from '../core/index.ts'
import { type Tau2Environment, tau2Environment, trajectorySchema } from '../environments/index.ts'
import { type FailureKind, ServiceError } from '../services/index.ts'
import { type PlayWithOptions, playWith } from './play-with.ts'

const tiny = join(import.meta.dirname, '..', 'environments', 'tau2', 'testing', 'talks')
const shared = join(process.env.RWML_SHARED ?? '../shared', 'data', 'tau2')

const play = (
  environment: Tau2Environment,
  tasks: Task[],
  options: Partial<PlayWithOptions> & Pick<PlayWithOptions, 'player'>,
) =>
  playWith(
    tasks.map((task) => ({ task, sample: 0 })),
    { environment, seed: 3, maxSteps: 60, concurrency: 4, retries: 3, ...options },
  )

describe('players that are not trained', () => {
  const environment = tau2Environment({ data: tiny, domains: ['mock'] })
  const tasks = [...environment.tasks('train'), ...environment.tasks('unseen')]

  it('solve every task by its own solution, with the scripted user', async () => {
    const played = await play(environment, tasks, { player: (task) => goldPlayer(environment.gold(task)) })
    expect(played.map(({ task, reward }) => [task.id, reward])).toEqual(tasks.map(({ id }) => [id, 1]))
    for (const one of played) {
      expect(trajectorySchema.parse(JSON.parse(JSON.stringify(one)))).toBeTruthy()
      expect(one.facts).toMatchObject({ user: 'scripted', player: 'gold-replay', attempts: 1 })
    }
    const inbox = played.find(({ task }) => task.id === 'mock/inbox')!
    expect(inbox.turns.flatMap(({ hidden = [] }) => hidden.map(({ name }) => name))).toEqual([
      'check_notifications',
      'dismiss_notification',
    ])
  })

  it('play alone where there is no user', async () => {
    const alone = tau2Environment({ data: tiny, domains: ['mock'], solo: true })
    const some = [...alone.tasks('train'), ...alone.tasks('unseen')].filter(({ id }) => id !== 'mock/write')
    const played = await play(alone, some, { player: (task) => goldPlayer(alone.gold(task), { solo: true }) })
    expect(played.map(({ reward }) => reward)).toEqual(some.map(() => 1))
  })

  it('do anything at random without an end that nobody knows, and the same from the same seed', async () => {
    const options = { player: (_: Task, seed: number) => randomPlayer(seed) }
    const many = Array.from({ length: 10 }, () => tasks).flat()
    const slots = many.map((task, sample) => ({ task, sample }))
    const run = () => playWith(slots, { environment, seed: 5, maxSteps: 40, concurrency: 8, retries: 0, ...options })
    const [first, second] = [await run(), await run()]
    expect(second).toEqual(first)
    for (const one of first) expect(one.done || one.truncated).toBe(true)
  })

  it('that say nothing are tried again, and left out in the end', async () => {
    let attempts = 0
    const silent = (): Player => ({
      name: 'silent',
      act: () => (attempts++ < 2 ? null : { kind: 'text', text: 'Anything else?' }),
    })
    const [tried] = await play(environment, tasks.slice(1, 2), { player: silent })
    expect(tried).toMatchObject({ done: true, reward: 0, facts: { attempts: 3 } })
    const [never] = await play(environment, tasks.slice(0, 1), { player: () => ({ name: 'mute', act: () => null }) })
    expect(never).toMatchObject({
      truncated: true,
      failed: 'mute neither said nor did anything',
      facts: { attempts: 4 },
    })
    expect(never.reward).toBeUndefined()
  })

  it('may forget the arguments of a call: it is told so, and what it did can be kept', async () => {
    const calls = [
      { id: 'c', name: 'get_users' },
      { id: 'd', name: 'get_users', arguments: { a: 1 } },
    ] as unknown
    const act = (): Action => ({ kind: 'tools', calls: calls as ToolCall[] })
    const [played] = await play(environment, tasks.slice(0, 1), { player: () => ({ name: 'own', act }), maxSteps: 2 })
    expect(played).toMatchObject({ truncated: true, reward: 0, facts: { toolErrors: 4, attempts: 1 } })
    expect(played.turns[0]).toMatchObject({
      valid: false,
      action: { calls: [{ arguments: 'not text: undefined' }, { arguments: 'not text: { a: 1 }' }] },
    })
    expect(trajectorySchema.parse(JSON.parse(JSON.stringify(played)))).toBeTruthy()
  })

  const failure = (kind: FailureKind, status?: number) =>
    new ServiceError('m at u', { kind, what: 'fails', advice: 'see', status })
  const failing = (error: Error) => {
    let asked = 0
    const player = (): Player => ({
      name: 'broken',
      async act() {
        asked++
        throw error
      },
    })
    return { asked: () => asked, played: play(environment, tasks.slice(0, 1), { player }) }
  }

  it.each<[FailureKind, number?]>([
    ['empty'],
    ['malformed'],
    ['server', 500],
    ['stalled'],
    ['rate', 429],
    ['refused', 400],
  ])('whose service fails (%s) are tried again, and left out in the end', async (...kind) => {
    const { asked, played } = failing(failure(...kind))
    const [trajectory] = await played
    expect(trajectory).toMatchObject({ failed: 'm at u fails: see', truncated: true, facts: { attempts: 4 } })
    expect(trajectory.reward).toBeUndefined()
    expect(asked()).toBe(4)
  })

  it.each<[string, Error]>([
    ['a key', failure('key', 401)],
    ['quota', failure('quota')],
    ['spending', failure('spending')],
    ['a service that was ended', failure('closed')],
    ['a wrong address', failure('refused', 404)],
    ['a service that is not there', failure('dropped')],
    ['a mistake in the player', new TypeError('x is undefined')],
  ])('end with the run for %s', async (_, error) => {
    const { asked, played } = failing(error)
    await expect(played).rejects.toBe(error)
    expect(asked()).toBe(1)
  })

  it('ask nothing more once the run has ended', async () => {
    let asked = 0
    let ended = 0
    const player = (task: Task): Player => ({
      name: 'slow',
      async act() {
        asked++
        await new Promise((done) => setTimeout(done, task.id === tasks[0].id ? 5 : 20))
        ended++
        if (task.id === tasks[0].id) throw failure('key', 401)
        return { kind: 'text', text: 'Well?' }
      },
    })
    await expect(play(environment, tasks, { player, concurrency: 3 })).rejects.toThrow('m at u fails')
    expect([asked, ended]).toEqual([3, 3])
    await new Promise((done) => setTimeout(done, 50))
    expect(asked).toBe(3)
  })
})

describe.skipIf(!existsSync(shared))('gold replay on upstream’s tasks with the scripted user', () => {
  it.each(['retail', 'airline', 'telecom'])('solves every task of %s', async (domain) => {
    const environment = tau2Environment({ data: shared, domains: [domain] })
    const tasks = [...environment.tasks('train'), ...environment.tasks('unseen')]
    const played = await play(environment, tasks, { player: (task) => goldPlayer(environment.gold(task)) })
    expect(played.filter(({ reward }) => reward !== 1).map(({ task }) => task.id)).toEqual([])
  })
})
