import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadSplits, loadTasks } from './tasks.ts'

const tiny = join(import.meta.dirname, 'testing', 'tiny', 'domains')

describe('task files', () => {
  it('are read with the defaults of their time', () => {
    const tasks = loadTasks(join(tiny, 'retail'))
    expect([...tasks.keys()]).toEqual(['red mug', 'old address'])
    const mug = tasks.get('red mug')!
    expect(mug.criteria!.basis).toEqual(['DB', 'COMMUNICATE'])
    expect(mug.criteria!.nlAssertions).toEqual([])
    expect(mug.criteria!.actions[0]).toMatchObject({ party: 'assistant', compared: null })
    expect(mug.scenario.instructions).toMatchObject({
      reasonForCall: 'You want your blue mug in red.',
      unknownInfo: null,
    })
    expect(tasks.get('old address')!.scenario).toEqual({ persona: 'Slow', instructions: 'You want nothing changed.' })
  })

  it('hold what is changed before the conversation', () => {
    const { initial, criteria, ticket } = loadTasks(join(tiny, 'mock')).get('two tasks')!
    expect(ticket).toBe('Finish task_2.')
    expect(initial.data.assistant?.has('tasks')).toBe(true)
    expect(initial.actions).toMatchObject([{ party: 'user', name: 'add_notification' }])
    expect(initial.history.map(({ role, calls }) => `${role} ${calls.length}`)).toEqual([
      'user 0',
      'assistant 1',
      'tool 0',
    ])
    expect(criteria!.assertions.map(({ expected }) => expected)).toEqual([true, false])
  })

  it('come in splits', () => {
    expect(loadSplits(join(tiny, 'retail'))).toEqual(
      new Map([
        ['train', ['red mug']],
        ['test', ['old address']],
      ]),
    )
  })

  it.each([
    ['{}', /is not a list of tasks/],
    ['[', /is not JSON: Expecting value: line 1 column 2/],
    ['[{"id": "a"}]', /task a is not a Task: user_scenario: Field required/],
    ['[{"id": 4, "user_scenario": {"instructions": "x"}}]', /task 0 is not a Task: id: Input should be a valid string/],
    [
      '[{"id": "a", "user_scenario": {"instructions": "x"}, "evaluation_criteria": {"reward_basis": ["LUCK"]}}]',
      /task a is not a Task: evaluation_criteria.reward_basis.0: Input should be 'DB'/,
    ],
    [
      '[{"id": "a", "user_scenario": {"instructions": "x"}}, {"id": "a", "user_scenario": {"instructions": "y"}}]',
      /tasks\.json has two tasks "a": give one another id/,
    ],
  ])('that are none are named with what is wrong: %s', (text, message) => {
    const folder = mkdtempSync(join(tmpdir(), 'rwml-'))
    writeFileSync(join(folder, 'tasks.json'), text)
    expect(() => loadTasks(folder)).toThrow(message)
    expect(() => loadSplits(folder)).toThrow(/cannot be read/)
  })
})
