import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Action } from '../../core/index.ts'
import type { Episode } from '../environment.ts'
import { type OpenEnvOptions, openEnvEnvironment } from './openenv.ts'
import { type FakeOptions, FakeServer } from './testing/fake-server.ts'
import { messageOf, observedText } from './text.ts'

const servers: FakeServer[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const server of servers.splice(0)) await server.stop()
})

async function served(fake: FakeOptions = {}) {
  const server = await FakeServer.start(fake)
  servers.push(server)
  const environment = (more: Partial<OpenEnvOptions> = {}) =>
    openEnvEnvironment({ url: server.url, tasks: 4, answerSeconds: 0.5, ...more })
  const open = async (more: Partial<OpenEnvOptions> = {}, index = 0) => {
    const one = environment(more)
    return one.open(one.tasks('train')[index], { seed: 7 })
  }
  return { server, environment, open }
}

const say = (text: string): Action => ({ kind: 'text', text })
const play = async (episode: Episode, ...texts: string[]) => {
  const results = []
  for (const text of texts) results.push(await episode.step(say(text)))
  return results
}

describe('an OpenEnv server as an environment', () => {
  it('is played in a session of its own, and adds its rewards up', async () => {
    const { server, open } = await served()
    const episode = await open()
    expect(episode.initial).toEqual({ from: 'environment', text: 'The lamp is off.' })
    const results = await play(episode, 'on', 'on', 'off', 'on')
    expect(results.map(({ observation }) => observation)).toEqual(
      ['on', 'on', 'off', 'on'].map((how) => ({ from: 'environment', text: `The lamp is ${how}.` })),
    )
    expect(results.map(({ reward }) => reward)).toEqual([0.2, 0.2, 0.2, 0.4])
    const [last] = (await play(episode, 'off', 'on', 'off', 'on', 'off', 'on')).slice(-1)
    expect(last).toMatchObject({ done: true, truncated: false, valid: true })
    expect(last.reward).toBeCloseTo(1)
    await episode.close?.()
    expect(server.sessions).toHaveLength(1)
    expect(server.sessions[0].closed).toBe(true)
    expect(server.open).toBe(0)
  })

  it('has seeds as tasks, or those that it is given', async () => {
    const { server, environment, open } = await served()
    expect(environment({ tasks: undefined }).tasks('train')).toHaveLength(100)
    expect(environment().tasks('train')[3]).toEqual({ id: 'seed-3', split: 'train', kind: 'openenv', instruction: '' })
    const tasks = [{ seed: 5 }, { id: 'bright', split: 'unseen', instruction: 'Light it.', reset: { room: 'attic' } }]
    const given = environment({ tasks, name: 'lamp' })
    expect(given.splits()).toEqual(['train', 'unseen'])
    expect(given.tasks('unseen')).toEqual([{ id: 'bright', split: 'unseen', kind: 'lamp', instruction: 'Light it.' }])
    const first = await open({ tasks })
    expect(first.initial).toMatchObject({ text: 'The lamp is on.' })
    await first.close?.()
    const second = await given.open(given.tasks('unseen')[0], { seed: 8 })
    await second.close?.()
    expect(server.sessions.map(({ data }) => data[0])).toEqual([
      { seed: 5, episode_id: 'seed-5#7' },
      { room: 'attic', seed: 8, episode_id: 'bright#8' },
    ])
  })

  it('is spoken with as it is told', async () => {
    const { open } = await served()
    const episode = await open({
      action: (action) => ({ message: messageOf(action).message === 'light' ? 'on' : 'off' }),
      observe: ({ text, times }) => ({ text: `${text} ${times}`, valid: times !== 0, actions: ['light', 'dark'] }),
      score: (rewards) => Math.max(...rewards),
    })
    expect(episode.actions?.()).toEqual(['light', 'dark'])
    const [dark, light] = await play(episode, 'dark', 'light')
    expect(dark).toMatchObject({ observation: { text: 'The lamp is off. 0' }, valid: false, reward: 0 })
    expect(light).toMatchObject({ observation: { text: 'The lamp is on. 1' }, valid: true, reward: 0.2 })
    await episode.close?.()
  })

  it('tells it the key and the host of its environment variables', async () => {
    vi.stubEnv('LAMP_KEY', 'secret')
    vi.stubEnv('LAMP_HOST', 'lamps.example')
    const { server, open } = await served()
    await (await open({ keyVariable: 'LAMP_KEY', hostVariable: 'LAMP_HOST' })).close?.()
    expect(server.sessions[0].headers).toMatchObject({ authorization: 'Bearer secret', host: 'lamps.example' })
    await expect(open({ keyVariable: 'NO_SUCH_KEY' })).rejects.toThrow('NO_SUCH_KEY is not set')
  })

  it('takes an action that its schema refuses as an invalid step', async () => {
    const { open } = await served()
    const episode = await open()
    const [invalid, on] = await play(episode, 'nothing', 'on')
    expect(invalid).toMatchObject({
      observation: { text: "Invalid action: message: Input should be 'on' or 'off'" },
      valid: false,
      done: false,
      truncated: false,
    })
    expect(on).toMatchObject({ valid: true, reward: 0.2 })
    await episode.close?.()
  })

  it.each(['drop', 'silence', 'error'] as const)('has no result where it fails by %s', async (does) => {
    const { open } = await served({ faults: [{ at: 2, does }] })
    const episode = await open()
    const [first, second] = await play(episode, 'on', 'off')
    expect(first.failed).toBeUndefined()
    expect(second).toMatchObject({ done: false, truncated: true, valid: false })
    expect(second.failed).toContain(
      {
        drop: 'ended the connection (1006)',
        silence: 'did not answer a step within 0.5 s',
        error: 'failed at a step (EXECUTION_ERROR, "the bulb is broken")',
      }[does],
    )
    await episode.close?.()
  })

  it.each(['drop', 'silence'] as const)('makes a %s good where it answers alike twice', async (does) => {
    const { server, open } = await served({ faults: [{ at: 2, session: 0, does }] })
    const episode = await open({ deterministic: true })
    const results = await play(episode, 'on', 'off', 'on')
    expect(results.map(({ reward }) => reward)).toEqual([0.2, 0.2, 0.4])
    await episode.close?.()
    expect(server.sessions).toHaveLength(2)
    expect(server.sessions[1].data[0]).toEqual(server.sessions[0].data[0])
  })

  it('makes good once only, and not where it answers otherwise', async () => {
    const twice = await served({ faults: [{ at: 2, does: 'drop' }] })
    const [, lost] = await play(await twice.open({ deterministic: true }), 'on', 'off')
    expect(lost.failed).toContain('ended the connection')
    expect(twice.server.sessions).toHaveLength(2)
    const faults = [
      { at: 2, session: 0, does: 'drop' },
      { at: 1, session: 1, does: 'other answer' },
    ] as const
    const other = await served({ faults })
    const [, changed] = await play(await other.open({ deterministic: true }), 'on', 'off')
    expect(changed.failed).toContain('does not answer as it did before it was lost: leave out deterministic')
  })

  it.each(['garbage', 'other frame'] as const)('stops the run where it answers with %s', async (does) => {
    const { open } = await served({ faults: [{ at: 1, does }] })
    const episode = await open()
    await expect(episode.step(say('on'))).rejects.toThrow(/^the OpenEnv server at ws:.* answered a step with no frame/)
    await episode.close?.()
  })

  it('stops the run where it answers twice: the second would be taken for the next', async () => {
    const { open } = await served({ faults: [{ at: 1, does: 'two answers' }] })
    const episode = await open()
    await play(episode, 'on')
    await new Promise((resolve) => setTimeout(resolve, 50))
    await expect(episode.step(say('off'))).rejects.toThrow('sends more than it is asked for')
    await episode.close?.()
  })

  it('stops the run where its actions have other fields, and says which', async () => {
    const { open } = await served()
    const episode = await open({ action: () => ({ command: 'on' }) })
    await expect(episode.step(say('on'))).rejects.toThrow(
      'does not know such actions: {"command":"on"} (message: Field required): give openEnvEnvironment an `action`',
    )
    await episode.close?.()
  })

  it.each([
    ['drop', 'ended the connection'],
    ['silence', 'did not answer a reset within 0.5 s'],
    ['error', 'does not begin an episode (EXECUTION_ERROR, "the bulb is broken")'],
    ['garbage', 'answered a reset with no frame'],
  ] as const)('stops the run where a reset fails by %s', async (does, said) => {
    const { open } = await served({ faults: [{ at: 0, does }] })
    await expect(open()).rejects.toThrow(said)
  })

  it('stops the run where no server is there, or none that lets it in', async () => {
    const { server, open } = await served()
    await server.stop()
    await expect(open()).rejects.toThrow('cannot be reached (ECONNREFUSED): start it, or correct url, then resume')
    const closed = await served({ status: 401 })
    await expect(closed.open()).rejects.toThrow('does not let us in (401)')
    const elsewhere = await served({ status: 404 })
    await expect(elsewhere.open()).rejects.toThrow('takes no WebSocket there (404)')
  })

  it('waits for a place, and says how many there are', async () => {
    const { open } = await served({ most: 1 })
    const first = await open()
    const second = open({}, 1)
    await new Promise((resolve) => setTimeout(resolve, 100))
    await first.close?.()
    const there = await second
    await expect(open({ sessions: 3 })).rejects.toThrow('lets 1 in at once, and not 3: set sessions to 1')
    await expect(open()).rejects.toThrow('has no session free within 0.5 s')
    await there.close?.()
  })

  it.each([
    [{ url: 'lamp' }, 'url must be an address'],
    [{ url: 'http://me:secret@lamp' }, 'url must hold no name, password or query'],
    [{ tasks: 0 }, 'tasks must be at least 1'],
    [{ tasks: [{ seed: -1 }] }, 'tasks[0].seed'],
    [{ tasks: [{ seed: 1 }, { seed: 1 }] }, 'two have the id "seed-1"'],
    [{ keyVariable: 'my key' }, 'must be the name of an environment variable'],
    [{ action: 'say' }, 'action must be a function'],
    [{ sesions: 2 }, 'sesions is not known'],
  ])('refuses %o', (more, said) => {
    expect(() => openEnvEnvironment({ url: 'http://127.0.0.1', ...more } as OpenEnvOptions)).toThrow(said)
  })
})

describe('texts of OpenEnv', () => {
  it('are the field that says something, or all of it', () => {
    expect(observedText({ echo: 1, content: 'c', message: 'm' })).toBe('m')
    expect(observedText({ text: 3, board: [1] })).toBe('{"text":3,"board":[1]}')
  })

  it('has no words for calls of tools', () => {
    const calls = [{ id: '1', name: 'find', arguments: '{}' }]
    expect(() => messageOf({ kind: 'tools', calls })).toThrow('the agent calls tools (find({}))')
  })
})
