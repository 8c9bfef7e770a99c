import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { tau2Player } from '../src/agents/index.ts'
import { tau2Environment } from '../src/environments/index.ts'
import { playWith } from '../src/rollouts/index.ts'
import type { ChatServer, Received, Script } from '../src/services/testing/chat-server.ts'
import { answer, type Reply } from '../src/services/testing/reply.ts'
import { closeAfterEach, serverFor, serviceAt } from '../src/services/testing/service.ts'

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

const write = tau2Environment({ data, domains: ['mock'] })
  .tasks('train')
  .filter(({ id }) => id === 'mock/write')

/** One conversation in which both sides are models behind a service. */
async function play(script: Script, settings: Parameters<typeof serviceAt>[1] = {}, tasks = write) {
  const server = await serverFor(script)
  const [agent, user] = ['agent', 'user'].map((model) => serviceAt(server.url, { model, ...settings }))
  const environment = tau2Environment({ data, domains: ['mock'], users: [{ user }] })
  const played = playWith(
    tasks.map((task, sample) => ({ task, sample })),
    { environment, player: (_, seed) => tau2Player(agent, { seed }), seed: 1, maxSteps: 9, concurrency: 1, retries: 0 },
  )
  return { server, agent, user, played: await played }
}

describe('a conversation of two models behind a service', () => {
  it('is streamed, with tools and tool calls, and judged', async () => {
    const { played, server } = await play(actor)
    expect(played[0]).toMatchObject({ done: true, reward: 1, facts: { user: 'user', player: 'agent' } })
    const [first, second] = server.requests.map(({ body }) => body)
    expect(first).toMatchObject({ model: 'user', stream: true })
    expect(second).toMatchObject({ model: 'agent' })
    expect(second.tools?.length).toBeGreaterThan(3)
  })

  it.each(FAULTS.map((fault) => [JSON.stringify(fault), fault] as const))(
    'goes on as if nothing had been after %s',
    async (_, fault) => {
      const { played, agent, user } = await play((request, index) => (index % 2 === 0 ? fault : actor(request)))
      expect(played[0]).toMatchObject({ done: true, reward: 1 })
      const retries = [agent, user].reduce((sum, one) => sum + one.counters().retries, 0)
      // Two answers of the user and two of the agent.
      expect(retries).toBe(4)
    },
  )

  it('ends with one line where another try would not help', async () => {
    const refuses =
      (status: number): Script =>
      (request, index) =>
        index === 1 ? { kind: 'status', status } : actor(request)
    await expect(play(refuses(401))).rejects.toThrow(/^agent at \S+ wants a key \(401\): [^\n]+$/)
    await expect(play(refuses(400))).rejects.toThrow(/^agent at \S+ refuses the request \(400[^\n]+$/)
  })

  it('is left out, and counted, where it alone cannot go on', async () => {
    // The second answer of the agent: a conversation that has grown too long.
    const script: Script = (request, index) => (index === 2 ? { kind: 'status', status: 400 } : actor(request))
    const { played } = await play(script, { retries: 1 }, [...write, ...write])
    expect(played[0]).toMatchObject({ failed: expect.stringMatching(/refuses the request/), truncated: true })
    expect(played[0].reward).toBeUndefined()
    expect(played[1]).toMatchObject({ reward: 1 })
    const silent = await play(({ body }) => (body.model === 'agent' ? answer('') : actor({ body } as Received)), {
      retries: 1,
    })
    expect(silent.played[0]).toMatchObject({ failed: expect.stringMatching(/empty answer/) })
  })

  it('answers arguments that are no JSON as the environment answers', async () => {
    const script: Script = (request, index) =>
      index === 1
        ? { kind: 'answer', calls: [{ id: 'c0', name: 'create_task', arguments: '{"user_id": ' }] }
        : actor(request)
    const { played } = await play(script)
    expect(JSON.stringify(played[0].turns[0].observation)).toContain('not valid JSON')
    expect(played[0].done).toBe(true)
  })
})

/** The whole loop: the miniature with scripted and model users, then an agent behind the service, several times. */
const experiment = (url: string) => `
import { ChatService, collectStage, defineConfig, evaluateStage, filterStage, playersStage, rewardStage, tau2Environment,
  tau2Player, worldModelStage } from 'rwml'
const service = (model: string) =>
  new ChatService({ url: '${url}', model }, { cacheFolder: ${JSON.stringify(join(root, 'answers'))} })
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

const bodies = ({ requests }: ChatServer) => requests.map(({ body }) => JSON.stringify(body))

describe('a run with models behind a service', () => {
  it('that is killed keeps every finished conversation, pays for nothing twice, and ends with a report', async () => {
    const server = await serverFor(actor)
    const [file, out] = [join(root, 'loop.ts'), join(root, 'loop')]
    writeFileSync(file, experiment(server.url))
    const train = join(out, 'rollouts', 'players-agent-train.jsonl')
    const stored = () => (existsSync(train) ? readFileSync(train, 'utf8') : '')

    const killed = rwmlRun(file, out)
    while (stored().split('\n').length < 4 && killed.child.exitCode === null) {
      await new Promise((done) => setTimeout(done, 2))
    }
    killed.child.kill('SIGKILL')
    await killed.ending
    const before = stored()
    const paid = server.requests.length
    const finished = before.split('\n').length - 1
    expect(finished).toBeGreaterThanOrEqual(3)
    expect(finished).toBeLessThan(10)

    const { status, text } = await rwmlRun(file, out).ending
    expect([status, text]).toEqual([0, expect.stringContaining('Report: ')])
    expect(stored().startsWith(before.slice(0, before.lastIndexOf('\n') + 1))).toBe(true)
    expect(stored().trim().split('\n')).toHaveLength(10)
    // What was under way when it died may be asked again: two conversations at once, one request each.
    const repeated = bodies(server).length - new Set(bodies(server)).size
    expect(repeated).toBeLessThanOrEqual(2)
    expect(server.requests.length).toBeGreaterThan(paid)

    const report = readFileSync(join(out, 'report.md'), 'utf8')
    expect(report).toMatch(/\| Kind \|.*base.*agent/)
    expect(report).toMatch(/user: user \|/)
    const models = server.requests.map(({ body }) => body.model)
    expect(new Set(models)).toEqual(new Set(['agent', 'user']))

    // Once more, when all is done: nothing is asked at all.
    const all = server.requests.length
    expect((await rwmlRun(file, out).ending).status).toBe(0)
    expect(server.requests.length).toBe(all)
  }, 600_000)
})
