import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Received } from '../src/services/testing/chat-server.ts'
import { answer, type Reply } from '../src/services/testing/reply.ts'
import { closeAfterEach, serverFor } from '../src/services/testing/service.ts'

const root = mkdtempSync(join(tmpdir(), 'rwml-tau2-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
closeAfterEach()

const data = join(import.meta.dirname, '..', 'src', 'environments', 'tau2', 'testing', 'talks')

/** Both sides, by the name of the model: an agent that makes the task at once, and a user that is content with that. */
function actor({ body }: Received): Reply {
  const last = body.messages[body.messages.length - 1]
  if (body.model === 'user') {
    return answer(
      /anything else/i.test(last.content ?? '') ? 'No. ###STOP###' : 'I am user_1. I want a task: Buy soil.',
    )
  }
  if (last.role === 'tool') return answer('You have 2 tasks. Anything else?')
  const call = { id: 'c1', name: 'create_task', arguments: '{"user_id": "user_1", "title": "Buy soil"}' }
  return { kind: 'answer', calls: [call], waitMs: 2 }
}

/** Everything that may go wrong with one answer and is tried again. */
const FAULTS: Reply[] = [
  { kind: 'status', status: 408 },
  { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
  { kind: 'status', status: 500 },
  { kind: 'cutOff', text: 'I am us' },
  { kind: 'broken', text: 'I am us' },
  { kind: 'dropped' },
  { kind: 'told', error: { message: 'overloaded' } },
  { kind: 'raw', type: 'application/json', body: '{"choices": []}' },
  answer(''),
]

/** The whole loop: the miniature with scripted and model users, then an agent behind the service, several times. */
const experiment = (url: string) => `
import { ChatService, collectStage, defineConfig, evaluateStage, filterStage, playersStage, rewardStage, tau2Environment,
  tau2Player, worldModelStage } from 'rwml'
const service = (model: string) =>
  new ChatService({ url: '${url}', model, backoffSeconds: 0.01 }, { cacheFolder: ${JSON.stringify(join(root, 'answers'))} })
const agent = service('agent')
const environment = tau2Environment({
  data: ${JSON.stringify(data)}, domains: ['mock'], users: [{ user: 'scripted' }, { user: service('user') }],
})
export default defineConfig({
  environment,
  method: { name: 'loop', stages: [
    playersStage({ players: { agent: (_, seed) => tau2Player(agent, { seed }) }, splits: ['train', 'unseen'],
      settings: { runs: 5 }, concurrency: 2 }),
    collectStage, rewardStage, filterStage, worldModelStage(), evaluateStage(),
  ] },
  settings: {
    model: { threads: 1 },
    collect: { tasks: 2, rollouts: 4, maxSteps: 4, maxTokens: 16, wave: 4, filterShare: 0.5 },
    reward: { kind: 'hybrid', embedder: 'lexical', mode: 'continuous' },
    filter: { rule: 'none' },
    worldModel: { batch: 2, groupSize: 2, maxTokens: 24, maxSteps: 2 },
    evaluate: { maxSteps: 4, runs: 1, transitions: 4 },
  },
})
`

const MAIN = join(import.meta.dirname, '..', 'src', 'cli', 'main.ts')

function rwmlRun(file: string, out: string) {
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, 'run', file, '--out', out, '--resume'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk))
  return { child, ending: once(child, 'close').then(([status]) => ({ status, text })) }
}

describe('a run with models behind a service', () => {
  it('that fails, then is killed, keeps finished conversations, pays for nothing twice, and ends with a report', async () => {
    // Requests that were answered, and so would be paid for.
    const paid: string[] = []
    let keyIsWrong = true
    const server = await serverFor((request, index) => {
      if (keyIsWrong && index >= 8) return { kind: 'status', status: 401 }
      if (index % 4 === 1) return FAULTS[((index - 1) / 4) % FAULTS.length]
      paid.push(JSON.stringify(request.body))
      return actor(request)
    })
    const [file, out] = [join(root, 'loop.ts'), join(root, 'loop')]
    writeFileSync(file, experiment(server.url))
    const train = join(out, 'rollouts', 'players-agent-train.jsonl')
    const stored = () => (existsSync(train) ? readFileSync(train, 'utf8') : '')
    const finished = () => stored().split('\n').length - 1

    const failed = await rwmlRun(file, out).ending
    expect(failed.status).toBe(1)
    expect(failed.text.split('\n').filter((line) => line.startsWith('rwml: '))).toEqual([
      // A request that met a fault of the server before is one that was tried again.
      expect.stringMatching(/^rwml: .*(?:agent|user) at \S+ wants a key \(401\)(?:, after \d tries)?: /),
    ])
    keyIsWrong = false

    const killed = rwmlRun(file, out)
    while (finished() < 4 && killed.child.exitCode === null) await new Promise((done) => setTimeout(done, 2))
    killed.child.kill('SIGKILL')
    await killed.ending
    const before = stored().slice(0, stored().lastIndexOf('\n') + 1)
    expect(finished()).toBeGreaterThanOrEqual(4)
    expect(finished()).toBeLessThan(10)

    const { status, text } = await rwmlRun(file, out).ending
    expect([status, text]).toEqual([0, expect.stringContaining('Report: ')])
    expect(stored().startsWith(before)).toBe(true)
    expect(finished()).toBe(10)
    // What was under way when it ended had no answer to keep: twice, of two conversations at once.
    expect(paid.length - new Set(paid).size).toBeLessThanOrEqual(4)

    const report = readFileSync(join(out, 'report.md'), 'utf8')
    expect(report).toMatch(/\| Kind \|.*base.*agent/)
    expect(report).toMatch(/user: user \|/)
    expect(report).toMatch(/user: scripted \|/)

    // Once more, when all is done: nothing is asked at all.
    const all = server.requests.length
    expect((await rwmlRun(file, out).ending).status).toBe(0)
    expect(server.requests.length).toBe(all)
  }, 600_000)
})

/** Others play, each with a user behind the service; nothing is trained. */
const collecting = (url: string, cacheFolder?: string) => `
import { ChatService, collectByStage, defineConfig, goldPlayer, tau2Environment } from 'rwml'
const user = new ChatService({ url: '${url}', model: 'user' }, ${JSON.stringify({ cacheFolder })})
const environment = tau2Environment({ data: ${JSON.stringify(data)}, domains: ['mock'], users: [{ user }] })
export default defineConfig({
  environment,
  method: { name: 'collect', stages: [
    collectByStage({ players: { gold: (task) => goldPlayer(environment.gold(task)) }, concurrency: 2 }),
  ] },
  settings: { collect: { tasks: 2, rollouts: 6, maxSteps: 8 } },
})
`

describe('collection with models as users', () => {
  it.each([
    ['with a folder of answers pays for nothing twice', true],
    ['without one plays no finished conversation again', false],
  ])(
    'killed in the middle and resumed, %s',
    async (_, isCached) => {
      const name = isCached ? 'cached' : 'uncached'
      const paid: { seed?: number; body: string }[] = []
      const server = await serverFor((request) => {
        paid.push({ seed: request.body.seed, body: JSON.stringify(request.body) })
        return { ...actor(request), waitMs: 30 }
      })
      const [file, out] = [join(root, `${name}.ts`), join(root, name)]
      writeFileSync(file, collecting(server.url, isCached ? join(root, 'users') : undefined))
      const path = join(out, 'rollouts', 'collect-gold.jsonl')
      const stored = () => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [])

      const killed = rwmlRun(file, out)
      while (stored().length < 3 && killed.child.exitCode === null) await new Promise((done) => setTimeout(done, 2))
      killed.child.kill('SIGKILL')
      await killed.ending
      const [before, asked] = [stored(), paid.length]
      expect(before.length).toBeGreaterThanOrEqual(3)
      expect(before.length).toBeLessThan(12)

      const { status, text } = await rwmlRun(file, out).ending
      expect([status, text]).toEqual([0, expect.stringContaining('play by gold  12/12')])
      expect(stored()).toHaveLength(12)
      expect(stored().slice(0, before.length)).toEqual(before)
      const finished = new Set(before.map((line) => (JSON.parse(line) as { seed: number }).seed))
      const seeds = new Set(paid.slice(0, asked).map(({ seed }) => seed))
      expect([...finished].filter((seed) => !seeds.has(seed))).toEqual([])
      expect(paid.slice(asked).filter(({ seed }) => finished.has(seed ?? -1))).toEqual([])
      // Two conversations were under way: what had no answer yet is asked again, and without a folder all that was said in them.
      const twice = paid.length - new Set(paid.map(({ body }) => body)).size
      expect(twice).toBeLessThanOrEqual(isCached ? 2 : 4)
      const facts = stored().map((line) => (JSON.parse(line) as { facts: Record<string, unknown> }).facts)
      expect(new Set(facts.map(({ user }) => user))).toEqual(new Set(['user']))
    },
    120_000,
  )
})
