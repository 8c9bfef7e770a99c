import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { assertSameVectors, checkVectors } from './check.ts'
import { mock } from './mock/domain.ts'
import { loadTasks } from './tasks.ts'

const tiny = join(import.meta.dirname, 'testing', 'tiny')

const agentPrompt = (policy: string) => `Follow this: ${policy}`
const check = (vectors: unknown, data = tiny) => {
  const file = join(mkdtempSync(join(tmpdir(), 'rwml-')), 'vectors.json')
  writeFileSync(file, typeof vectors === 'string' ? vectors : JSON.stringify(vectors))
  return checkVectors(data, [file], agentPrompt)
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
const judged = (change: object) => check({ domain: 'retail', simulations: [{ ...transcript, ...change }] })
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
/** A task that has assertions, which its recording leaves out. */
const todo = mock.load(join(tiny, 'domains', 'mock')).open()
const hashes = { db_hash: todo.db.hash(), user_db_hash: todo.userDb?.hash() ?? null }
const taskOfMock = {
  domain: 'mock',
  initial_db_hash: hashes.db_hash,
  initial_user_db_hash: hashes.user_db_hash,
  tasks: [
    {
      id: 'two tasks',
      init: hashes,
      steps: loadTasks(join(tiny, 'domains', 'mock'))
        .get('two tasks')!
        .criteria!.actions.map((one) => ({
          requestor: one.party,
          name: one.name,
          arguments: Object.fromEntries(one.arguments),
          content: '',
          error: false,
        })),
      live_final: hashes,
      env_assertions: [],
      gold_env: { ...hashes, errors: [] },
      reward_basis: ['DB', 'ENV_ASSERTION', 'ACTION'],
    },
  ],
}

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

  it.each([
    // With the rewards of the recording, which a change of one entry contradicts.
    [{ communicate_met: [true, true] }, 'communicate_met'],
    [{ communicate_met: [false, false] }, 'communicate_met'],
    [{ communicate_met: [true, true], communicate_reward: 1, recorded_reward: 0 }, 'communicate_met'],
    [{ communicate_met: [false, false], recorded_reward: 1 }, 'communicate_met'],
    [{ communicate_reward: 1 }, 'communicate_reward'],
    [{ communicate_met: [true], communicate_reward: 0 }, 'communicate_reward'],
    [{ action_matches: [true, true] }, 'action_matches'],
    [{ action_matches: [true] }, 'action_matches'],
    [{ db_match: null, action_matches: [true, true] }, 'action_reward'],
  ])('but for %j, which is a difference', (change, field) => {
    expect(judged(change)).toMatchObject({ differences: 1, first: { field } })
  })

  it.each([
    ['another number of information', { communicate_met: [false] }, 1],
    ['what stands in a message, recorded as untold', { communicate_met: [false, false], recorded_reward: 0 }, 1],
    ['other gold actions', { db_match: null, action_matches: [false, true] }, 2],
    ['other gold actions, made alike', { db_match: null }, 1],
  ])('but for those of another version of the task: %s', (_, change, otherVersions) => {
    expect(judged(change)).toMatchObject({ transcripts: 1, differences: 0, otherVersions })
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
    expect(check(old).otherVersions).toBe(1)
    // Each task for itself, and only where versions once left it unsaid.
    const mixed = { ...old, tasks: [...old.tasks, ...taskVectors('old address', { reward_basis: ['DB'] }).tasks] }
    expect(check(mixed)).toMatchObject({ tasks: 2, otherVersions: 1, differences: 1, first: { field: 'reward_basis' } })
    const elsewhere = check({ ...taskOfMock, tasks: [{ ...taskOfMock.tasks[0], reward_basis: ['DB', 'COMMUNICATE'] }] })
    expect(elsewhere.first).toMatchObject({ unit: 'task two tasks', field: 'reward_basis' })
  })

  it('in the assertions of a task', () => {
    const found = check(taskOfMock)
    expect(found).toMatchObject({ tasks: 1, differences: 1, first: { field: 'env_assertions', expected: '[]' } })
  })

  it('in an exception of the task itself', () => {
    const data = mkdtempSync(join(tmpdir(), 'rwml-'))
    cpSync(tiny, data, { recursive: true })
    const tasks = join(data, 'domains', 'retail', 'tasks.json')
    const assertion = { env_type: 'assistant', func_name: 'assert_moon', arguments: { full: true } }
    const changed = readFileSync(tasks, 'utf8').replace(
      '"actions": [],',
      `$&"env_assertions": [${JSON.stringify(assertion)}],`,
    )
    writeFileSync(tasks, changed)
    const env_assertions = [{ ...assertion, assert_value: true, met: true }]
    expect(check(taskVectors('old address', { env_assertions }), data)).toMatchObject({
      differences: 1,
      first: {
        unit: 'task old address',
        field: 'exception',
        got: "AttributeError: 'RetailTools' object has no attribute 'assert_moon'",
      },
    })
    expect(check(taskVectors('old address', { env_assertions })).first).toMatchObject({ field: 'env_assertions' })
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

const shared = process.env.RWML_SHARED ?? '../shared'

describe.skipIf(!existsSync(join(shared, 'oracle', 'tau2')))('public transcripts', () => {
  it('agree in all but other versions, and one inverted entry of any is reported', () => {
    const recording = JSON.parse(readFileSync(join(shared, 'oracle', 'tau2', 'traj_retail.json'), 'utf8'))
    const simulations: (typeof transcript)[] = recording.simulations
    const data = join(shared, 'data', 'tau2')
    expect(check(recording, data)).toMatchObject({ transcripts: 57, differences: 0, otherVersions: 12 })
    const inverted = simulations.flatMap((one) =>
      (one.communicate_met ?? []).map((_, at) => ({
        ...one,
        communicate_met: one.communicate_met.map((met, index) => met !== (index === at)),
      })),
    )
    expect(inverted).toHaveLength(38)
    expect(check({ ...recording, simulations: inverted }, data).differences).toBe(38)
  })
})
