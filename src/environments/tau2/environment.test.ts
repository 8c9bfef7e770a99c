import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Tau2World } from './environment.ts'
import { mock } from './mock/domain.ts'
import { parseJson } from './python/json.ts'
import type { PyDict } from './python/value.ts'
import { retail } from './retail/domain.ts'
import { type InitialState, loadTasks, type Party } from './tasks.ts'

const tiny = join(import.meta.dirname, 'testing', 'tiny', 'domains')
const data = mock.load(join(tiny, 'mock'))
const task = loadTasks(join(tiny, 'mock')).get('two tasks')!
const shop = retail.load(join(tiny, 'retail'))

const args = (text: string) => parseJson(text) as PyDict
const say = (world: Pick<Tau2World, 'call'>, party: Party, name: string, text = '{}') =>
  world.call(party, name, args(text))
const begun = (solo = false) => {
  const world = new Tau2World(mock, data, solo)
  world.begin(task.initial)
  return world
}

describe('the world of a task', () => {
  it('begins with data, then actions, then history', () => {
    const world = begun()
    expect(say(world, 'assistant', 'get_users').content).toBe(
      '[{"user_id": "user_1", "name": "Ida", "tasks": ["task_1", "task_2", "task_3"]}]',
    )
    expect(say(world, 'user', 'check_notifications').content).toBe(
      '[{"notification_id": "n1", "message": "task_2 is yours", "status": "unread", "task_id": "task_2"}]',
    )
    expect(world.state.db.changes().map(({ path }) => path)).toEqual([
      '/tasks/task_2',
      '/tasks/task_3',
      '/users/user_1/tasks',
    ])
  })

  it('lets each side call its own tools', () => {
    const world = begun()
    expect(say(world, 'user', 'get_users')).toEqual({ content: "Error: Tool 'get_users' not found.", error: true })
    expect(say(world, 'user', 'dismiss_notification', '{"notification_id": "n1"}').content).toBe(
      'Notification n1 dismissed',
    )
    expect(say(new Tau2World(retail, shop), 'user', 'calculate').content).toBe('Error: User tools not available')
  })

  it("gives an agent alone both sides' tools", () => {
    const world = begun(true)
    expect(say(world, 'assistant', 'dismiss_notification', '{"notification_id": "n1"}').error).toBe(false)
    expect(say(world, 'user', 'check_notifications').content).toBe(
      'Error: User tool calls are not allowed in solo mode',
    )
  })

  it("refuses arguments that upstream's own call takes", () => {
    expect(say(begun(), 'assistant', 'get_users', '{"tool_name": 1}').content).toBe(
      "Error: Environment.make_tool_call() got multiple values for argument 'tool_name'",
    )
    expect(say(begun(), 'assistant', 'get_users', '{"self": 1, "requestor": 2}').content).toBe(
      'Error: tau2.environment.environment.Environment.make_tool_call() got multiple values for keyword argument ' +
        "'requestor'",
    )
  })

  it('writes a status down whatever it is, as upstream does', () => {
    expect(say(begun(), 'assistant', 'update_task_status', '{"task_id": "task_1", "status": 5}').content).toContain(
      '"status": 5}',
    )
  })

  it('replays what changes something, and tells where an answer is another', () => {
    const call = {
      party: 'assistant' as const,
      name: 'update_task_status',
      arguments: args('{"task_id": "task_1", "status": "completed"}'),
    }
    const content = '{"task_id":"task_1","title":"Water the plants","description":null,"status":"completed"}'
    const [one, other] = [begun(), begun()]
    one.replay([
      { party: 'assistant', name: 'no_such_tool', arguments: args('{}'), content: 'Error: whatever' },
      { party: 'assistant', name: 'get_users', arguments: args('{}'), content: 'stale' },
      { ...call, content },
    ])
    expect(one.sameAs(other)).toBe(false)
    say(other, 'assistant', call.name, '{"task_id": "task_1", "status": "completed"}')
    expect(one.sameAs(other)).toBe(true)
    expect([one.hash(), one.userHash()]).toEqual([other.hash(), other.userHash()])
    expect(() => begun().replay([{ ...call, content: 'done' }])).toThrow("expected 'done'")
  })

  it('runs assertions, and says what is no such method', () => {
    const world = begun()
    const [read, four] = task.criteria!.assertions
    expect(world.holds(read)).toBe(false)
    expect(world.holds(four)).toBe(true)
    expect(() => world.runMethod({ ...read, name: 'nothing' })).toThrow(
      "'MockUserTools' object has no attribute 'nothing'",
    )
    expect(() => world.holds({ ...read, name: 'check_notifications', arguments: args('{}') })).toThrow(
      "Function check_notifications returned <class 'list'> instead of bool",
    )
  })

  it.each([
    [[{ role: 'tool' }], 'Tool message not expected'],
    [[{ role: 'user', calls: [{ id: 'a' }] }], 'Tool message expected. Got None.'],
    [[{ role: 'user', calls: [{ id: 'a' }] }, { role: 'user' }], 'Tool message expected. Got a message of the user.'],
    [
      [
        { role: 'user', calls: [{ id: 'a' }] },
        { role: 'tool', id: 'b' },
      ],
      'Tool call id mismatch. Got a and b',
    ],
  ])('refuses a history that is none: %j', (messages, message) => {
    const history = messages.map((one) => ({ content: null, calls: [], id: null, party: 'user', error: false, ...one }))
    const initial = { ...task.initial, data: { assistant: null, user: null }, actions: [], history }
    expect(() => new Tau2World(mock, data).begin(initial as unknown as InitialState)).toThrow(message)
  })
})
