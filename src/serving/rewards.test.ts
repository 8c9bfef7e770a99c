import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { transcriptAgent } from '../agents/index.ts'
import { refereeAnswer, refereeHas } from '../core/testing/python.ts'
import { EmbeddingService } from '../embedders/index.ts'
import {
  embeddingReward,
  exactReward,
  hybridReward,
  jsonReward,
  rougeReward,
  type WorldModelReward,
} from '../rewards/index.ts'
import { REWARD_LIMITS } from './limits.ts'
import { type RewardServer, type RewardServerOptions, startRewardServer } from './reward-server.ts'

const agent = transcriptAgent()
const servers: RewardServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function start(reward: WorldModelReward, more: Partial<RewardServerOptions> = {}): Promise<string> {
  const server = await startRewardServer({ reward, agent, port: 0, ...more })
  servers.push(server)
  return server.url
}

async function ask(url: string, body: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(`${url}/v1/rewards`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const { error, ...rest } = (await answer.json()) as { error?: { message: string; param: string | null } }
  return { status: answer.status, said: error?.message, param: error?.param, ...rest }
}

const told = (state: string) => `<thinking>so</thinking><next_state>${state}</next_state>`

describe('a reward behind HTTP', () => {
  it('scores completions as training does', async () => {
    const url = await start(exactReward())
    const completions = [
      told('a'),
      'a',
      [{ role: 'assistant', content: told('b') }],
      '<thinking><next_state>a</next_state>',
    ]
    expect(await ask(url, { completions, ground_truth: ['a', 'a', 'b', 'a'], prompts: [1] })).toMatchObject({
      status: 200,
      reward: exactReward().name,
      rewards: [1, 0, 1, 1],
      parsed: [true, false, true, true],
    })
    const health = await fetch(`${url}/health`)
    expect(await health.json()).toEqual({ status: 'ok', reward: exactReward().name, agent: agent.name })
  })

  it('scores what a tool answered as such', async () => {
    const url = await start(
      hybridReward({ user: exactReward(), environment: exactReward(), tool: jsonReward(rougeReward()) }),
    )
    const completions = [told('{"a": 1}'), told('{"a": 1}')]
    const body = { completions, ground_truth: ['{"a":1}', '{"a":1}'], answered_by: ['tool', 'environment'] }
    expect(await ask(url, body)).toMatchObject({ rewards: [1, 0] })
  })

  it.each([
    [{ completions: ['x'], ground_truth: [] }, 400, 'ground_truth must have as many entries as completions'],
    [{ completions: ['x'], ground_truth: ['x'], answered_by: [] }, 400, 'answered_by must have as many entries'],
    [{ completions: ['x'], ground_truth: ['x'], answered_by: ['me'] }, 400, 'answered_by[0]'],
    [{ completions: [3], ground_truth: ['x'] }, 400, 'completions[0] must be a text, or a list of messages'],
    [{ completions: [], ground_truth: [] }, 400, 'completions'],
    [{ completions: ['x'], ground_truth: ['x'], model: 'm' }, 400, 'model is not known'],
    [
      { completions: ['x'.repeat(REWARD_LIMITS.text + 1)], ground_truth: ['x'] },
      400,
      'completions[0] must have at most',
    ],
    [{ completions: ['x'], ground_truth: ['x'.repeat(REWARD_LIMITS.text + 1)] }, 400, 'ground_truth[0]'],
    ['{', 400, 'the body is not JSON'],
    [{ completions: Array(REWARD_LIMITS.completions + 1).fill('x'), ground_truth: [] }, 400, 'completions'],
    ['x'.repeat(REWARD_LIMITS.body + 1), 413, 'the body is larger than'],
  ])('refuses %#', async (body, status, said) => {
    const answer = await ask(await start(exactReward()), body)
    expect(answer.status).toBe(status)
    expect(answer.said).toContain(said)
  })

  it('answers no other machine, no other path, and nobody without its key', async () => {
    const log: string[] = []
    const url = await start(exactReward(), { key: 'secret', log: (line) => void log.push(line) })
    const body = { completions: ['x'], ground_truth: ['x'] }
    expect(await ask(url, body)).toMatchObject({ status: 401 })
    expect((await fetch(`${url}/health`)).status).toBe(200)
    expect(await ask(url, body, { Authorization: 'Bearer other' })).toMatchObject({ status: 401 })
    expect(await ask(url, body, { Authorization: 'Bearer secret' })).toMatchObject({ status: 200 })
    expect((await fetch(`${url}/v1/rewards`, { headers: { Authorization: 'Bearer secret' } })).status).toBe(405)
    expect(log.join('\n')).not.toContain('secret')
  })

  it('answers others while it compares the longest texts', async () => {
    const url = await start(rougeReward())
    const words = Array.from({ length: 40_000 }, (_, at) => `w${at % 997}`)
    const body = {
      completions: Array(16).fill(told(words.join(' '))),
      ground_truth: Array(16).fill(words.toReversed().join(' ')),
    }
    let isScored = false
    const asked = ask(url, body).finally(() => {
      isScored = true
    })
    while (servers[0].openRequests() === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await fetch(`${url}/health`)).status).toBe(200)
    expect(isScored).toBe(false)
    expect(await asked).toMatchObject({ status: 200 })
  })

  it('says that it is not the request where the embedding model is not there', async () => {
    const embedder = new EmbeddingService({ url: 'http://127.0.0.1:9/v1', model: 'm', retries: 0 })
    const url = await start(embeddingReward(embedder, { mode: 'continuous' }))
    const answer = await ask(url, { completions: [told('a')], ground_truth: ['b'] })
    expect(answer).toMatchObject({ status: 503, said: expect.stringContaining('m at http://127.0.0.1:9/v1 cannot be') })
  })

  it('ends once what it scores is scored', async () => {
    let finish = () => {}
    const slow: WorldModelReward = {
      name: 'slow',
      score: (predictions) =>
        new Promise((resolve) => {
          finish = () => resolve(predictions.map(() => ({ reward: 0.5, distance: 0 })))
        }),
    }
    const server = await startRewardServer({ reward: slow, agent, port: 0 })
    const answer = ask(server.url, { completions: ['x'], ground_truth: ['x'] })
    while (server.openRequests() === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const closed = server.close()
    finish()
    expect(await answer).toMatchObject({ status: 200, rewards: [0.5] })
    expect(await closed).toBe(true)
  })

  it.skipIf(!refereeHas('json'))(
    'is called by the lines of the document as TRL and verl call them',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'rwml-rewards-'))
      const url = `${await start(hybridReward({ user: exactReward(), environment: exactReward(), tool: jsonReward(rougeReward()) }))}/v1/rewards`
      const rows = [
        { completion: told('a'), ground_truth: 'a', answered_by: 'environment' },
        { completion: told('{"a": 1}'), ground_truth: '{"a":1}', answered_by: 'tool' },
        { completion: told('b'), ground_truth: 'a', answered_by: 'user' },
      ]
      const examples = join(folder, 'examples.json')
      writeFileSync(examples, JSON.stringify(rows))
      const document = join(import.meta.dirname, '../../docs/other-trainers.md')
      const answer = await refereeAnswer('reward_client.py', document, url, examples)
      expect(answer).toEqual({ trl_text: [1, 1, 0], trl_messages: [1, 1, 0], verl: [1, 1, 0] })
      rmSync(folder, { recursive: true })
    },
    120_000,
  )
})
