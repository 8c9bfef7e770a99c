import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { ChatMessage } from './chat.ts'
import { conversationUsage, costOf } from './prices.ts'
import { Spending } from './spending.ts'
import { answer, inTurn } from './testing/reply.ts'
import { closeAfterEach, serverFor, serviceAt } from './testing/service.ts'

closeAfterEach()
const root = mkdtempSync(join(tmpdir(), 'rwml-services-'))
afterAll(() => rmSync(root, { recursive: true }))
let folders = 0
const newFolder = () => join(root, String(folders++))

const user = (content: string): ChatMessage[] => [{ role: 'user', content }]
/** A dollar for every 1,000 tokens read and 100 tokens written. */
const PRICES = { input: 1000, cachedInput: 100, output: 10_000 }

describe('the cache', () => {
  it('asks for nothing twice, also in a later process', async () => {
    const server = await serverFor((_, i) => answer(`answer ${i}`))
    const cacheFolder = newFolder()
    const first = serviceAt(server.url, {}, { cacheFolder })
    const got = await first.complete(user('a'), { seed: 1 })
    expect(await first.complete(user('a'), { seed: 1 })).toEqual({ ...got, cached: true })
    const second = serviceAt(server.url, {}, { cacheFolder })
    expect(await second.complete(user('a'), { seed: 1 })).toEqual({ ...got, cached: true })
    expect(second.counters()).toMatchObject({ calls: 1, cached: 1, requests: 0, inputTokens: 0 })
    for (const [content, options] of [
      ['b', { seed: 1 }],
      ['a', { seed: 2 }],
      ['a', { seed: 1, temperature: 0 }],
      ['a', { seed: 1, tools: [{ name: 'look' }] }],
    ] as const) {
      expect((await second.complete(user(content), options)).cached).toBe(false)
    }
    expect(
      (await serviceAt(server.url, { extra: { top_p: 0.5 } }, { cacheFolder }).complete(user('a'), { seed: 1 })).cached,
    ).toBe(false)
    expect(server.requests.length).toBe(6)
  })

  it('asks once for what is wanted twice at the same time', async () => {
    const server = await serverFor((_, i) => answer(`answer ${i}`, { waitMs: 20 }))
    const service = serviceAt(server.url, {}, { cacheFolder: newFolder() })
    const answers = await Promise.all([1, 2, 3].map(() => service.complete(user('a'))))
    expect(answers.map(({ text }) => text)).toEqual(Array(3).fill('answer 0'))
    expect(server.requests.length).toBe(1)
  })

  it('asks anew where a file is damaged, and keeps no failures', async () => {
    const server = await serverFor(inTurn({ kind: 'status', status: 400 }, answer('one'), answer('two')))
    const cacheFolder = newFolder()
    const service = serviceAt(server.url, {}, { cacheFolder })
    await expect(service.complete(user('a'))).rejects.toThrow('refuses')
    expect((await service.complete(user('a'))).text).toBe('one')
    const [name] = readdirSync(cacheFolder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.json'),
    )
    writeFileSync(join(cacheFolder, name), '{"text": "o')
    expect((await service.complete(user('a'))).text).toBe('two')
    expect((await service.complete(user('a'))).text).toBe('two')
  })

  it('holds no key', async () => {
    process.env.RWML_TEST_KEY = 'planted-key-4712'
    const server = await serverFor(inTurn(answer('ok')))
    const folder = newFolder()
    const spending = new Spending(join(folder, 'spending.jsonl'), 100)
    const settings = { prices: PRICES, keyVariable: 'RWML_TEST_KEY' }
    await serviceAt(server.url, settings, { cacheFolder: join(folder, 'cache'), spending }).complete(user('a'), {
      maxTokens: 9,
    })
    delete process.env.RWML_TEST_KEY
    const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    // An answer, what was spent, and its lock.
    expect(paths.length).toBe(3)
    for (const { parentPath, name } of paths)
      expect(readFileSync(join(parentPath, name), 'utf8')).not.toContain('planted')
  })
})

describe('the spending limit', () => {
  const usage = { prompt_tokens: 40, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 20 } }
  const cost = (20 * 1000 + 20 * 100 + 10 * 10_000) / 1e6

  it('refuses the request that could pass it, and counts on when resumed', async () => {
    const server = await serverFor(inTurn(answer('ok', { usage })))
    const path = join(newFolder(), 'spending.jsonl')
    const ask = async (limit: number) => {
      const spending = new Spending(path, limit)
      const service = serviceAt(server.url, { prices: PRICES }, { spending })
      let asked = 0
      try {
        for (;;) {
          expect((await service.complete(user(`${limit} ${asked}`), { maxTokens: 10 })).cost).toBeCloseTo(cost)
          asked++
        }
      } catch (error) {
        const spent = spending.spent
        spending.close()
        expect(service.counters()).toMatchObject({ requests: asked, errors: { spending: 1 } })
        return { asked, spent, error: error as Error }
      }
    }
    const first = await ask(1)
    expect(first.asked).toBeGreaterThan(3)
    expect(first.spent).toBeCloseTo(first.asked * cost)
    expect(first.spent).toBeLessThanOrEqual(1)
    expect(first.error.message).toMatch(
      /^m at \S+ was not asked, since that could pass the spending limit of \$1\.00 \(\$0\.\d+ are spent and this request may cost \$0\.\d+\): raise the limit, then resume$/,
    )
    expect((await ask(1)).asked).toBe(0)
    const raised = await ask(2)
    expect(raised.asked).toBeGreaterThan(3)
    expect(raised.spent).toBeCloseTo((first.asked + raised.asked) * cost)
    expect(raised.spent).toBeLessThanOrEqual(2)
  })

  it('holds with many requests at once, which wait for each other', async () => {
    const server = await serverFor(inTurn(answer('ok', { usage, waitMs: 5 })))
    const spending = new Spending(join(newFolder(), 'spending.jsonl'), 1)
    const service = serviceAt(server.url, { prices: PRICES }, { spending })
    const all = await Promise.allSettled(
      Array.from({ length: 30 }, (_, i) => service.complete(user(`${i}`), { maxTokens: 10 })),
    )
    const answered = all.filter(({ status }) => status === 'fulfilled').length
    expect(answered).toBe(server.requests.length)
    expect(spending.spent).toBeCloseTo(answered * cost)
    expect(spending.spent).toBeLessThanOrEqual(1)
    // No more than one request's room is left.
    expect(spending.spent).toBeGreaterThan(0.7)
    spending.close()
  })

  it('counts what was under way when the process was killed', async () => {
    const path = join(newFolder(), 'spending.jsonl')
    const killed = new Spending(path, 10)
    ;(await killed.reserve(2, 'm'))(1.5)
    await killed.reserve(3, 'm')
    killed.close()
    const resumed = new Spending(path, 10)
    expect(resumed.spent).toBe(4.5)
    await expect(resumed.reserve(6, 'm')).rejects.toThrow('$4.50 are spent')
    ;(await resumed.reserve(5, 'm'))(0)
    resumed.close()
    expect(new Spending(path, null).spent).toBe(4.5)
  })

  it('is for one at a time', () => {
    const path = join(newFolder(), 'spending.jsonl')
    const first = new Spending(path, 1)
    expect(() => new Spending(path, 1)).toThrow(
      new RegExp(`^${path} is in use by process ${process.pid} on .*: wait for it or stop it$`),
    )
    first.close()
    new Spending(path, 1).close()
  })

  it('charges answers that broke off, and not those that never began', async () => {
    const server = await serverFor(
      inTurn(
        { kind: 'status', status: 500 },
        { kind: 'cutOff', text: 'x'.repeat(400) },
        answer('', { usage }),
        answer('ok', { usage }),
      ),
    )
    const spending = new Spending(join(newFolder(), 'spending.jsonl'), 1000)
    const service = serviceAt(server.url, { prices: PRICES }, { spending })
    await service.complete(user('a'), { maxTokens: 10 })
    const { cost: counted, outputTokens, requests, estimated } = service.counters()
    expect({ requests, estimated, outputTokens }).toEqual({ requests: 4, estimated: 1, outputTokens: 120 })
    expect(spending.spent).toBeCloseTo(counted)
    spending.close()
  })

  it('wants to know what a request may cost', async () => {
    const spending = new Spending(join(newFolder(), 'spending.jsonl'), 1)
    const url = 'http://127.0.0.1:1/v1'
    expect(() => serviceAt(url, {}, { spending })).toThrow('m at http://127.0.0.1:1/v1 has no prices')
    await expect(serviceAt(url, { prices: PRICES }, { spending }).complete(user('a'))).rejects.toThrow(
      'needs maxTokens',
    )
    for (const limit of [-1, Number.NaN, '10' as unknown as number]) {
      expect(() => new Spending(join(newFolder(), 'x'), limit)).toThrow('a spending limit must be')
    }
    spending.close()
  })
})

it('estimates a conversation, whose beginning is paid with every turn', () => {
  const usage = conversationUsage({ start: 1000, turn: 100, answer: 50, turns: 3 })
  expect(usage).toEqual({ inputTokens: 1000 + 1100 + 1200, cachedInputTokens: 0, outputTokens: 150 })
  expect(costOf(usage, { input: 2, output: 10 })).toBeCloseTo((3300 * 2 + 150 * 10) / 1e6)
})
