import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RecordedCall } from '../environment.ts'
import { Tau2World } from '../environment.ts'
import { mock } from '../mock/domain.ts'
import { parseJson } from '../python/json.ts'
import type { PyDict } from '../python/value.ts'
import { retail } from '../retail/domain.ts'
import { type GoldAction, loadTasks, type Party, type Tau2Task } from '../tasks.ts'
import { actionsMade } from './actions.ts'
import { communicated } from './communicate.ts'
import { goldWorld } from './database.ts'
import { evaluate } from './evaluate.ts'

const tiny = join(import.meta.dirname, '..', 'testing', 'tiny', 'domains')
const shop = retail.load(join(tiny, 'retail'))
const shopTasks = loadTasks(join(tiny, 'retail'))
const list = mock.load(join(tiny, 'mock'))
const twoTasks = loadTasks(join(tiny, 'mock')).get('two tasks')!

const dict = (text: string) => parseJson(text) as PyDict

/** The calls with what the world answers. */
function recorded(world: Pick<Tau2World, 'call'>, calls: [Party, string, string][]): RecordedCall[] {
  return calls.map(([party, name, text]) => ({
    party,
    name,
    arguments: dict(text),
    content: world.call(party, name, dict(text)).content,
  }))
}

const inShop = (task: Tau2Task, calls: [Party, string, string][], assistantTexts: string[] = []) =>
  evaluate(
    retail,
    shop,
    task,
    { calls: recorded(new Tau2World(retail, shop), calls), assistantTexts, transcript: '' },
    { judge: 'off' },
  )

const SWAP =
  '{"order_id": "#W2", "item_ids": ["1000000001"], "new_item_ids": ["7000000003"], "payment_method_id": "gift_card_1"}'

describe('the evaluators', () => {
  it('compare the database, whichever way it came there', async () => {
    const told = ['It costs 2.5 more.', 'Order 1,204 is changed.']
    const right = await inShop(shopTasks.get('red mug')!, [['assistant', 'modify_pending_order_items', SWAP]], told)
    expect(right).toMatchObject({
      reward: 1,
      parts: { DB: 1, COMMUNICATE: 1 },
      left: [],
      // Nobody asked for the order that does not exist; only ACTION, which is not in the basis, minds.
      actionsMade: [false, true],
      communicated: [true, true],
    })
    const wrong = await inShop(shopTasks.get('red mug')!, [], told)
    expect(wrong).toMatchObject({ reward: 0, parts: { DB: 0, COMMUNICATE: 1 }, databaseMatches: false })
    const silent = await inShop(
      shopTasks.get('red mug')!,
      [['assistant', 'modify_pending_order_items', SWAP]],
      [told[0]],
    )
    expect(silent).toMatchObject({ reward: 0, parts: { DB: 1, COMMUNICATE: 0 }, communicated: [true, false] })
  })

  it('swallow what fails in the reference', () => {
    expect(goldWorld(retail, shop, shopTasks.get('red mug')!).errors).toEqual(['get_order_details: Order not found'])
  })

  it('say when a conversation cannot be replayed', async () => {
    const calls = [
      { party: 'assistant' as const, name: 'modify_pending_order_items', arguments: dict(SWAP), content: '{}' },
    ]
    const conversation = { calls, assistantTexts: [], transcript: '' }
    const found = await evaluate(retail, shop, shopTasks.get('red mug')!, conversation, { judge: 'off' })
    expect(found).toMatchObject({ reward: 0, databaseMatches: false })
    expect(found.error).toContain("expected '{}'")
  })

  it('leave the judge out, or ask it, and say which', async () => {
    const task = shopTasks.get('old address')!
    expect(await inShop(task, [])).toMatchObject({ reward: 1, parts: { DB: 1 }, left: ['NL_ASSERTION'] })
    for (const met of [true, false]) {
      const judge = {
        judge: async (conversation: string, outcomes: readonly string[]) =>
          outcomes.map((outcome) => ({ outcome, met, reason: conversation })),
      }
      const conversation = { calls: [], assistantTexts: [], transcript: 'user: hm' }
      const found = await evaluate(retail, shop, task, conversation, { judge })
      expect(found).toMatchObject({
        reward: met ? 1 : 0,
        parts: { DB: 1, NL_ASSERTION: met ? 1 : 0 },
        verdicts: [{ outcome: 'Nothing was changed', met, reason: 'user: hm' }],
      })
    }
  })

  it('ask no judge about nothing', async () => {
    const task = shopTasks.get('old address')!
    const found = await inShop({ ...task, criteria: { ...task.criteria!, nlAssertions: [] } }, [])
    expect(found).toMatchObject({ reward: 1, parts: { DB: 1, NL_ASSERTION: 1 }, left: [] })
  })

  it("run assertions on both sides, after the task's own beginning", async () => {
    const both: [Party, string, string][] = [
      ['user', 'check_notifications', '{}'],
      ['assistant', 'update_task_status', '{"task_id": "task_2", "status": "completed"}'],
      ['user', 'dismiss_notification', '{"notification_id": "n1"}'],
    ]
    const judged = (calls: [Party, string, string][]) => {
      const world = new Tau2World(mock, list)
      world.begin(twoTasks.initial)
      const conversation = { calls: recorded(world, calls), assistantTexts: [], transcript: '' }
      return evaluate(mock, list, twoTasks, conversation, { judge: 'off' })
    }
    expect(await judged(both)).toMatchObject({ reward: 1, parts: { DB: 1, ENV_ASSERTION: 1, ACTION: 1 } })
    expect(await judged(both.slice(0, 2))).toMatchObject({
      reward: 0,
      parts: { DB: 0, ENV_ASSERTION: 0, ACTION: 0 },
      assertionsMet: [false, true],
      actionsMade: [true, false],
    })
  })

  it('find nothing to judge where there are no criteria', async () => {
    const none = { ...shopTasks.get('red mug')!, criteria: null }
    expect(await inShop(none, [])).toMatchObject({ reward: 1, parts: {}, left: [] })
  })
})

describe('actions', () => {
  const gold = (text: string, compared: string[] | null = null): GoldAction => ({
    id: '1',
    party: 'assistant',
    name: 'pay',
    arguments: dict(text),
    compared,
  })
  const isMade = (action: GoldAction, text: string) =>
    actionsMade([action], [{ name: 'pay', arguments: dict(text) }])[0]

  it('compare only arguments that the call has, where the task names none', () => {
    expect(isMade(gold('{"a": 1, "b": 2}'), '{"a": 1.0}')).toBe(true)
    expect(isMade(gold('{"a": 1}'), '{"a": 1, "b": 2}')).toBe(false)
    expect(isMade(gold('{"a": 1}'), '{}')).toBe(true)
    expect(isMade(gold('{"a": 1}'), '{"a": 2}')).toBe(false)
  })

  it('compare those that the task names', () => {
    expect(isMade(gold('{"a": 1, "b": 2}', ['b']), '{"a": 9, "b": 2}')).toBe(true)
    expect(isMade(gold('{"a": 1, "b": 2}', ['a']), '{"b": 2}')).toBe(false)
    expect(isMade(gold('{"a": 1}', []), '{"a": 2}')).toBe(true)
  })
})

describe('what was told', () => {
  it('is looked for in any case, and without the commas of what was said', () => {
    expect(communicated(['1204', 'Maine', '1,204'], ['Paid 1,204 in MAINE'])).toEqual([true, true, false])
  })
})
