import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { assertSameVectors, checkVectors } from './check.ts'

const tiny = join(import.meta.dirname, 'testing', 'tiny')

const agentPrompt = (policy: string) => `Follow this: ${policy}`
const check = (vectors: unknown) => {
  const file = join(mkdtempSync(join(tmpdir(), 'rwml-')), 'vectors.json')
  writeFileSync(file, typeof vectors === 'string' ? vectors : JSON.stringify(vectors))
  return checkVectors(tiny, [file], agentPrompt)
}

// What Python's json and hashlib give for the databases beside this file.
const SHOP_HASH = 'bd57d895671f8dd200eccd5af11dc969b0de1aed8b199b954b825ffd677a1744'

const cancel = (content: string) => ({
  requestor: 'assistant',
  name: 'cancel_pending_order',
  arguments: { order_id: '#W9', reason: 'bored' },
  content,
  error: true,
})
const unchanged = { db_hash: SHOP_HASH, user_db_hash: null, db_diff: [], user_db_diff: null }
const sequence = (content: string, more = {}) => ({
  domain: 'retail',
  sequences: [
    { seq: 0, steps: [cancel(content)], final_db_hash: SHOP_HASH, final_user_db_hash: null, db_diff: [], ...more },
  ],
})
const taskVectors = (id: string, more = {}) => ({
  domain: 'retail',
  initial_db_hash: SHOP_HASH,
  initial_user_db_hash: null,
  tasks: [
    {
      id,
      init: unchanged,
      steps: [],
      live_final: unchanged,
      env_assertions: [],
      gold_env: { db_hash: SHOP_HASH, user_db_hash: null, errors: [] },
      reward_basis: ['DB', 'NL_ASSERTION'],
      ...more,
    },
  ],
})

describe('recordings that agree', () => {
  it('are counted', () => {
    expect(check(taskVectors('old address'))).toMatchObject({ tasks: 1, skipped: 0, differences: 0, first: null })
    expect(check(sequence('Error: Order not found'))).toMatchObject({ sequences: 1, calls: 1, differences: 0 })
    expect(check([{ expression: '1/3', content: '0.33', error: false }])).toMatchObject({ calls: 1, differences: 0 })
    const rows = [cancel('Error: Order not found')]
    expect(check({ retail: { rows, returns_schema: {} } })).toMatchObject({ calls: 1, differences: 0 })
    // One after another in one world, or each in its own.
    const again = { name: 'cancel_pending_order', arguments: { order_id: '#W3', reason: 'ordered by mistake' } }
    const done = { ...again, content: 'x', error: false }
    const refused = { ...again, content: 'Error: Non-pending order cannot be cancelled', error: true }
    expect(check({ retail: { rows: [done, refused] } })).toMatchObject({ calls: 2, differences: 1 })
  })

  it('are judged as they were', () => {
    const transcript = {
      task_id: 'red mug',
      steps: [
        { name: 'get_order_details', arguments: { order_id: '#W9' }, content: 'Error: Order not found', error: true },
      ],
      final_db_hash: SHOP_HASH,
      db_match: false,
      action_matches: [true, false],
      action_reward: 0,
      communicate_met: [true, false],
      communicate_reward: 0,
      assistant_texts: ['2.50 more'],
    }
    const vectors = {
      domain: 'retail',
      simulations: [transcript, { ...transcript, task_id: null }, { ...transcript, task_id: 'x' }],
    }
    expect(check(vectors)).toMatchObject({ transcripts: 2, skipped: 1, differences: 0 })
    expect(check({ ...vectors, simulations: [{ ...transcript, db_match: true }] }).first).toMatchObject({
      unit: 'transcript 1 of task red mug',
      field: 'db_match',
      expected: true,
      got: false,
    })
  })
})

describe('recordings that differ', () => {
  it('are counted once each, the first one shown', () => {
    expect(check(sequence('Error: No', { final_db_hash: 'x' }))).toMatchObject({
      differences: 1,
      first: {
        unit: 'sequence 1',
        step: 1,
        field: 'content of cancel_pending_order',
        expected: 'Error: No',
        got: 'Error: Order not found',
      },
    })
    const change = { op: 'replace', path: '/orders/#W1/status', value: 'x' }
    expect(check(sequence('Error: Order not found', { db_diff: [change] })).first).toMatchObject({
      field: 'final: db_diff',
      step: null,
    })
    expect(check(taskVectors('old address', { reward_basis: ['DB'] })).first).toMatchObject({ field: 'reward_basis' })
    expect(check([{ expression: '1', content: '1', error: false }]).first).toMatchObject({ got: '1.0' })
    expect(() => assertSameVectors(check(sequence('Error: No')))).toThrow(
      /1 differences, the first in sequence 1 of .*: content of/,
    )
  })

  it('in what the reward is made of, but for a version that had not said', () => {
    const old = taskVectors('old address', { reward_basis: ['DB', 'COMMUNICATE'] })
    expect(check(old)).toMatchObject({ tasks: 1, differences: 0 })
    const [task] = old.tasks
    const mixed = { ...old, tasks: [task, { ...task, id: 'x', reward_basis: ['DB'] }] }
    expect(check(mixed)).toMatchObject({ tasks: 1, skipped: 1, differences: 1, first: { field: 'reward_basis' } })
  })

  it('in texts too', () => {
    const texts = { policy: '# A small shop\n\nHelp with orders.\n', tools: [], tool_types: {} }
    const user_prompts = [
      { task_id: 'old address', user_system_prompt: 'x' },
      { task_id: 'none', user_system_prompt: '' },
    ]
    const found = check({ retail: { ...texts, agent_system_prompt_sha256: 'x', user_prompts } })
    // The policy is the same; the tools and both prompts are not.
    expect(found).toMatchObject({ texts: 4, skipped: 1, differences: 3, first: { field: 'number of tools', got: 16 } })
  })
})

describe('recordings of something else', () => {
  it('are skipped, and nothing checked is a failure', () => {
    for (const vectors of [taskVectors('of another version'), taskVectors('old address', { steps: [cancel('x')] })]) {
      const found = check(vectors)
      expect(found).toMatchObject({ tasks: 0, skipped: 1, differences: 0 })
      expect(() => assertSameVectors(found)).toThrow(/nothing was checked: the data holds none of the 1 tasks/)
    }
    expect(() => assertSameVectors(check([]))).toThrow(/nothing was checked: the files are empty/)
  })

  it.each([
    ['{"tasks"', /vectors\.json is not JSON, or cut off: Expecting ':' delimiter/],
    ['7', /holds no recording known here/],
    ['{"a": {"b": 1}}', /holds no recording known here/],
    ['{"domain": "bank", "sequences": []}', /is about the domain 'bank': known are retail/],
    ['{"domain": "retail", "sequences": [{}]}', /is not a file of sequences: sequences\.0\.steps: Field required/],
    [
      '{"retail": {"rows": [{"name": 4}]}}',
      /vectors\.json, retail is not a bad arguments: rows\.0\.name: Input should be/,
    ],
    ['[{"expression": "1"}]', /case 1 is not a calculation: content: Field required/],
  ])('%s is named in one line', (text, message) => expect(() => check(text)).toThrow(message))

  it('need a file and data', () => {
    expect(() => checkVectors(tiny, [tiny], agentPrompt)).toThrow(/cannot read the vectors/)
    expect(() => checkVectors(join(tiny, 'domains', 'mock'), [], agentPrompt)).toThrow(
      /there is no folder 'domains' in/,
    )
    expect(checkVectors(join(tiny, 'domains'), [], agentPrompt).calls).toBe(0)
  })
})
