import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Action, type Task, UserError } from '../../core/index.ts'
import { type ChatAnswer, type FailureKind, ServiceError } from '../../services/index.ts'
import { modelThatSays } from '../../services/testing/model.ts'
import { STOP } from './protocol/protocol.ts'
import { type Tau2Environment, tau2Environment } from './tau2.ts'

const tiny = join(import.meta.dirname, 'testing', 'talks')
const shared = join(process.env.RWML_SHARED ?? '../shared', 'data', 'tau2')

const say = (text: string): Action => ({ kind: 'text', text })
const call = (name: string, args: object = {}): Action => ({
  kind: 'tools',
  calls: [{ id: 'c1', name, arguments: JSON.stringify(args) }],
})

const open = (environment: Tau2Environment, id: string, maxSteps = 30) => {
  const task = [...environment.tasks('train'), ...environment.tasks('unseen')].find((one) => one.id === id) as Task
  return environment.open(task, { seed: 1, maxSteps })
}

describe('the environment', () => {
  const environment = tau2Environment({ data: tiny, domains: ['mock'] })

  it('lists tasks with policy and tools, test tasks as unseen', () => {
    expect(environment.tasks('train').map(({ id }) => id)).toEqual(['mock/write', 'mock/inbox'])
    const [task] = environment.tasks('unseen')
    expect(task).toMatchObject({ id: 'mock/delete', split: 'unseen', kind: 'mock' })
    expect(task.instruction).toContain('Never delete')
    expect(task.tools?.map(({ name }) => name)).toContain('update_task_status')
    expect(() => environment.tasks('test')).toThrow(/no split "test"; it has train, unseen/)
    expect(() => tau2Environment({ data: tiny, domains: ['bank'] })).toThrow(/no domain "bank"/)
  })

  it.each<[string, object, string]>([
    ['no domains', { domains: [] }, 'domains must not be empty'],
    ['a domain for a list', { domains: 'mock' }, 'domains must be a list, not text'],
    ['no users', { users: [] }, 'users must not be empty'],
    ['a weight of 0', { users: [{ user: 'scripted', weight: 0 }] }, 'users[0].weight must be a finite number above 0'],
    [
      'a weight below 0',
      { users: [{ user: 'scripted', weight: -1 }] },
      'users[0].weight must be a finite number above 0',
    ],
    [
      'no number',
      { users: [{ user: 'scripted', weight: Number.NaN }] },
      'users[0].weight must be a finite number above 0',
    ],
    ['no end', { users: [{ user: 'scripted', weight: 1 / 0 }] }, 'users[0].weight must be a finite number above 0'],
    ['a name', { users: [{ user: 'gpt' }] }, "users[0].user must be 'scripted' or a chat model"],
    ['null', { users: [{ user: null }] }, "users[0].user must be 'scripted' or a chat model"],
    ['no complete()', { users: [{ user: {} }] }, "users[0].user must be 'scripted' or a chat model"],
    ['no user', { users: [{}] }, "users[0].user must be 'scripted' or a chat model"],
  ])('refuses options with %s', (_, options, message) => {
    const open = () => tau2Environment({ data: tiny, ...options })
    expect(open).toThrow(UserError)
    expect(open).toThrow(`τ²-bench's options: ${message}`)
  })

  it('is played to a reward, of which it says what it is made of', async () => {
    const episode = await open(environment, 'mock/write')
    expect(episode.initial).toEqual({ from: 'user', text: "Hi. I want a new task called 'Buy soil'." })
    expect(await episode.step(say('Your user id?'))).toMatchObject({
      observation: { from: 'user', text: 'My user id is user_1.' },
      valid: true,
      done: false,
    })
    const made = await episode.step(call('create_task', { user_id: 'user_1', title: 'Buy soil' }))
    expect(made.observation).toMatchObject({ from: 'tool', results: [{ id: 'c1', name: 'create_task' }] })
    expect(made.reward).toBeUndefined()
    const wish = await episode.step(say('Done. Anything else?'))
    expect(wish.observation).toEqual({ from: 'user', text: 'Yes. I want to know how many tasks I have then.' })
    const end = await episode.step(say('You have 2 tasks. Is there anything else?'))
    expect(end).toMatchObject({ done: true, truncated: false, reward: 1 })
    expect(end.facts).toMatchObject({
      user: 'scripted',
      termination: 'user_stop',
      turns: 4,
      steps: 9,
      changes: 1,
      confirmed: 0,
      'met DB': 1,
      'met COMMUNICATE': 1,
      basis: 'DB + COMMUNICATE + NL_ASSERTION',
      judge: 'off: a part of the basis was left out',
    })
  })

  it('gives 0 where the agent does nothing, and asks a judge where there is one', async () => {
    const idle = await open(environment, 'mock/write')
    await idle.step(say('Anything else?'))
    expect(await idle.step(say('Anything else?'))).toMatchObject({ done: true, reward: 0, facts: { 'met DB': 0 } })
    const judged = tau2Environment({
      data: tiny,
      domains: ['mock'],
      judge: { judge: async (_, outcomes) => outcomes.map((outcome) => ({ outcome, met: false, reason: '' })) },
    })
    const episode = await open(judged, 'mock/write')
    await episode.step(call('create_task', { user_id: 'user_1', title: 'Buy soil' }))
    await episode.step(say('2 tasks. Anything else?'))
    const end = await episode.step(say('Anything else?'))
    expect(end).toMatchObject({ done: true, reward: 0, facts: { 'met DB': 1, 'met NL_ASSERTION': 0, judge: 'on' } })
  })

  it('keeps what the user does with its own tools out of sight, and on record', async () => {
    const episode = await open(environment, 'mock/inbox')
    const result = await episode.step(say('Please dismiss notification notif_7.'))
    expect(result.hidden).toMatchObject([{ name: 'dismiss_notification', arguments: '{"notification_id":"notif_7"}' }])
    expect(result.observation.from).toBe('user')
    expect(await episode.step(say('Anything else?'))).toMatchObject({ done: true, reward: 1 })
  })

  it('answers what it cannot run, and goes on', async () => {
    const episode = await open(environment, 'mock/write')
    expect(await episode.step(call('fly'))).toMatchObject({
      valid: false,
      observation: { results: [{ content: "Error: Tool 'fly' not found.", error: true }] },
    })
    const broken: Action = { kind: 'tools', calls: [{ id: 'c', name: 'get_users', arguments: '{"a": ' }] }
    expect(await episode.step(broken)).toMatchObject({ valid: false, observation: { results: [{ error: true }] } })
    for (const args of [undefined, null, {}, 7]) {
      const step = (await open(environment, 'mock/write')).step({
        kind: 'tools',
        calls: [{ id: 'c', name: 'get_users', arguments: args as unknown as string }],
      })
      const results = [{ content: 'Error: the arguments are not JSON text', error: true }]
      expect(await step).toMatchObject({ valid: false, observation: { results } })
    }
    const list: Action = { kind: 'tools', calls: [{ id: 'c', name: 'get_users', arguments: '[]' }] }
    expect(await episode.step(list)).toMatchObject({ valid: false })
    expect(await episode.step(say(' '))).toMatchObject({ valid: false, observation: { from: 'environment' } })
    expect(await episode.step(call('create_task'))).toMatchObject({ valid: true, done: false })
    for (let i = 0; i < 4; i++) await episode.step(call('fly'))
    expect(await episode.step(call('fly'))).toMatchObject({
      truncated: true,
      reward: 0,
      facts: { termination: 'too_many_errors', toolErrors: 10 },
    })
    expect(await episode.step(say('Hello?'))).toMatchObject({ valid: false, truncated: true })
  })

  it('ends at its limits with nothing', async () => {
    const turns = await open(environment, 'mock/write', 1)
    expect(await turns.step(say('Hm.'))).toMatchObject({
      truncated: true,
      reward: 0,
      facts: { termination: 'max_turns' },
    })
    const steps = tau2Environment({ data: tiny, domains: ['mock'], maxSteps: 2 })
    const episode = await open(steps, 'mock/write')
    expect(await episode.step(say('Hm.'))).toMatchObject({
      truncated: true,
      valid: false,
      reward: 0,
      facts: { termination: 'max_steps' },
    })
  })

  it('goes on from a task’s own history', async () => {
    const episode = await open(environment, 'mock/middle')
    expect(episode.initial).toMatchObject({ from: 'user', text: expect.stringContaining('Assistant: It is task_2.') })
    await episode.step(call('update_task_status', { task_id: 'task_2', status: 'completed' }))
    expect(await episode.step(say('Anything else?'))).toMatchObject({ done: true, reward: 1 })
  })

  it('lets the user go when it is transferred', async () => {
    const episode = await open(environment, 'mock/delete')
    await episode.step(call('transfer_to_human_agents', { summary: 'delete' }))
    const end = await episode.step(say('YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.'))
    expect(end).toMatchObject({ done: true, reward: 1, observation: { text: '###TRANSFER###' } })
  })

  it('has agents alone, with a ticket and all tools', async () => {
    const alone = tau2Environment({ data: tiny, domains: ['mock'], solo: true })
    expect(alone.tasks('train').map(({ id }) => id)).toEqual(['mock/write'])
    expect(alone.tasks('train')[0].tools?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['create_task', 'dismiss_notification', 'done']),
    )
    const episode = await open(alone, 'mock/delete')
    expect(episode.initial).toEqual({ from: 'environment', text: 'Delete all tasks.' })
    await episode.step(call('transfer_to_human_agents', { summary: 'x' }))
    expect(await episode.step(call('done'))).toMatchObject({
      done: true,
      valid: true,
      reward: 1,
      facts: { user: 'none' },
    })
    const talker = await open(alone, 'mock/delete')
    expect(await talker.step(say('Hello?'))).toMatchObject({ truncated: true, facts: { termination: 'agent_error' } })
  })

  it('gives the solution to those who replay it', () => {
    expect(environment.gold(environment.tasks('train')[0])).toEqual({
      actions: [
        { requestor: 'assistant', name: 'create_task', arguments: '{"user_id": "user_1", "title": "Buy soil"}' },
      ],
      communicate: ['2 tasks'],
    })
  })
})

describe('users played by models', () => {
  const withUser = (...answers: (Partial<ChatAnswer> | Error)[]) => {
    const user = modelThatSays(...answers)
    return { user, environment: tau2Environment({ data: tiny, domains: ['mock'], users: [{ user }] }) }
  }

  it('are asked with upstream’s prompt and flipped roles, and see nothing of the agent’s tools', async () => {
    const check = { id: 'u1', name: 'check_notifications', arguments: '{}' }
    const { user, environment } = withUser({ toolCalls: [check] }, { text: 'Hello.' }, { text: `Bye ${STOP}` })
    const episode = await open(environment, 'mock/inbox')
    expect(episode.hidden).toMatchObject([{ name: 'check_notifications', content: expect.stringContaining('notif_7') }])
    await episode.step(call('get_users'))
    expect(await episode.step(say('Well?'))).toMatchObject({ done: true, facts: { user: 'actor' } })
    const [messages, options] = user.asked[2]
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user'])
    expect(messages[0].content).toBe(
      '# Play a customer who has tools\n\nDo what you are asked.\n\n\n<scenario>\nPersona:\n\tCalm\nInstructions:\n\tYou want to have no unread notification.\n</scenario>',
    )
    expect(options).toMatchObject({ temperature: 0, seed: 1 })
    expect(options.tools?.map(({ name }) => name)).toEqual(['check_notifications', 'dismiss_notification'])
  })

  it('are asked again where they say nothing; in the end the episode is no result', async () => {
    const { user, environment } = withUser({ text: 'Hello.' }, { text: ' ' }, { text: 'There?' }, { text: '' })
    const episode = await open(environment, 'mock/write')
    expect(await episode.step(say('Hm?'))).toMatchObject({ observation: { text: 'There?' } })
    expect(user.asked.map(([, { seed }]) => seed)).toEqual([1, 1, 2])
    const end = await episode.step(say('Yes.'))
    expect(end).toMatchObject({
      truncated: true,
      failed: 'the user neither said nor called anything',
      facts: { termination: 'infrastructure_error', userEmpty: 5 },
    })
    expect(end.reward).toBeUndefined()
  })

  it('whose service fails end their own conversation, or the run where it would fail all', async () => {
    const failure = (kind: 'refused' | 'key') => new ServiceError('x', { kind, what: 'refuses', advice: 'see' })
    const late = withUser({ text: 'Hello.' }, failure('refused'))
    expect(await (await open(late.environment, 'mock/write')).step(say('Hm?'))).toMatchObject({
      failed: expect.stringMatching(/refuses/),
    })
    const key = withUser({ text: 'Hello.' }, failure('key'))
    await expect((await open(key.environment, 'mock/write')).step(say('Hm?'))).rejects.toThrow('refuses')
    await expect(open(withUser(failure('refused')).environment, 'mock/write')).rejects.toThrow('refuses')
  })

  it.each<[FailureKind, number?]>([['malformed'], ['cutOff'], ['empty'], ['server', 500], ['refused', 400]])(
    'whose first answer is bad (%s) fail their own conversation',
    async (kind, status) => {
      const { environment } = withUser(new ServiceError('x', { kind, what: 'fails', advice: 'see', status }))
      const end = await (await open(environment, 'mock/write')).step(say('Hm?'))
      const failed = kind === 'empty' ? 'the user neither said nor called anything' : 'x fails: see'
      expect(end).toMatchObject({ failed, truncated: true, facts: { termination: 'infrastructure_error' } })
      expect(end.reward).toBeUndefined()
    },
  )

  it('have their own mistakes counted', async () => {
    const agentLike = withUser({ text: 'How can I help you today?' }, { text: STOP })
    const episode = await open(agentLike.environment, 'mock/write')
    expect(await episode.step(say('What is your id?'))).toMatchObject({ facts: { userWrongRole: 1, userEarlyStop: 1 } })
  })

  it('are mixed by weight, the same for the same seed', async () => {
    const environment = tau2Environment({
      data: tiny,
      domains: ['mock'],
      users: [{ user: 'scripted' }, { user: modelThatSays({ text: `Bye ${STOP}` }), weight: 3 }],
    })
    const [task] = environment.tasks('train')
    const openings = await Promise.all(
      Array.from({ length: 80 }, (_, seed) =>
        environment.open(task, { seed }).then(({ initial }) => JSON.stringify(initial)),
      ),
    )
    const scripted = openings.filter((one) => one.includes('Buy soil')).length
    expect(scripted).toBeGreaterThan(8)
    expect(scripted).toBeLessThan(36)
  })
})

describe.skipIf(!existsSync(shared))('upstream’s data', () => {
  it('has 178 training tasks', () => {
    const environment = tau2Environment({ data: shared })
    const train = environment.tasks('train')
    const sizes: Record<string, number> = { retail: 74, airline: 30, telecom: 74 }
    for (const [kind, size] of Object.entries(sizes)) {
      expect(train.filter((task) => task.kind === kind)).toHaveLength(size)
    }
    expect(train).toHaveLength(178)
    expect(new Set(train.map(({ id }) => id)).size).toBe(train.length)
    // Both the shop and the airline have a `get_user_details`, of other users.
    expect([...environment.returns().keys()]).toContain('get_order_details')
    expect([...environment.returns().keys()]).not.toContain('get_user_details')
  })
})
