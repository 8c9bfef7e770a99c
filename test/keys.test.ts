import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { EmbeddingServer, vectors } from '../src/embedders/testing/embedding-server.ts'
import { writeBase } from '../src/engines/tinker/testing/base.ts'
import { FakeTinker } from '../src/engines/tinker/testing/fake-server.ts'
import { openFake } from '../src/engines/tinker/testing/open.ts'
import type { Received } from '../src/services/testing/chat-server.ts'
import { answer, type Reply } from '../src/services/testing/reply.ts'
import { closeAfterEach, serverFor } from '../src/services/testing/service.ts'

/** Keys have what has to be escaped in JSON, in addresses and in HTML. */
const KEYS = {
  AGENT_KEY: 'agent-"planted"\\4711/+=',
  USER_KEY: 'user-"planted"\\4712/&<>',
  JUDGE_KEY: 'judge-"planted"\\4713/%3D',
  EMBEDDING_KEY: 'embedding-planted-4714',
  TINKER_API_KEY: 'tml-"planted"\\4715/+=',
}
const TOKEN = 'jwt-"planted"\\4716/+='

const root = mkdtempSync(join(tmpdir(), 'rwml-keys-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
afterEach(() => vi.unstubAllEnvs())
closeAfterEach()

const asJson = (text: string) => JSON.stringify(text).slice(1, -1)

/** Every way in which a text could hold a key; of base64, the letters that hang on the key alone. */
function writtenForms(key: string): string[] {
  const base64 = ['', 'B', 'Be'].map((before) => {
    const whole = Buffer.from(before + key).toString('base64')
    return whole.slice(before === '' ? 0 : before.length + 1, Math.floor((before + key).length / 3) * 4)
  })
  const plain = [key, encodeURIComponent(key), encodeURIComponent(key).toLowerCase(), Buffer.from(key).toString('hex')]
  return [...new Set([...plain, ...plain.map(asJson), ...plain.map((one) => asJson(asJson(one))), ...base64])]
}

/** What a careless server says of a request that it does not like: all that it was sent, in every writing. */
function echo(headers: IncomingHttpHeaders): string {
  const sent = String(headers.authorization ?? headers['x-api-key'])
  const key = sent.replace('Bearer ', '')
  const encoded = [
    encodeURIComponent(sent),
    Buffer.from(sent).toString('base64'),
    Buffer.from(key).toString('base64url'),
  ]
  return [`you sent ${sent}`, JSON.stringify({ sent }), JSON.stringify(JSON.stringify(sent)), ...encoded].join(' ')
}

/** Errors in the forms that are about: under `error`, as a detail, as bare text, in a header, in the middle of an answer. */
function refusal({ headers }: Pick<Received, 'headers'>, status: number, form: number): Reply {
  const said = echo(headers)
  const forms: Reply[] = [
    { kind: 'status', status, body: { error: { message: said, code: 'x' } } },
    { kind: 'status', status, body: { detail: said } },
    { kind: 'status', status, body: said },
    { kind: 'status', status, headers: { 'x-request': Buffer.from(said).toString('hex') } },
    { kind: 'told', error: { message: said, code: status } },
  ]
  return forms[form % forms.length]
}

/** Nothing that was written or said holds a key. */
function expectNoKey(text: string, folders: readonly string[]): void {
  const forms = [...Object.values(KEYS), TOKEN].flatMap(writtenForms)
  const found = (what: string, content: string) =>
    forms.flatMap((form) => (content.includes(form) ? [`${what} holds ${form}`] : []))
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile()),
  )
  expect(files.length).toBeGreaterThan(0)
  const leaks = files.flatMap((path) => [...found(path, readFileSync(path, 'latin1')), ...found('its name', path)])
  expect([...found('the output', text), ...leaks]).toEqual([])
}

const data = join(import.meta.dirname, '..', 'src', 'environments', 'tau2', 'testing', 'talks')
const MAIN = join(import.meta.dirname, '..', 'src', 'cli', 'main.ts')

/** An agent that makes the task at once, a user that is content with that, a judge that likes all. */
function actor({ body, headers }: Received): Reply {
  const last = body.messages[body.messages.length - 1]
  if (body.model === 'judge') return answer('Score: 1')
  if (body.model === 'user') {
    const ends = /anything else/i.test(last.content ?? '')
    return answer(ends ? 'No. ###STOP###' : `I am user_1. I want a task: Buy soil, ${body.messages.length} bags.`)
  }
  // What is stored holds no key either, where a server writes it into its answer.
  if (last.role === 'tool') return answer(`You sent ${headers.authorization}. You have 2 tasks. Anything else?`)
  return {
    kind: 'answer',
    calls: [{ id: 'c1', name: 'create_task', arguments: '{"user_id": "user_1", "title": "Buy soil"}' }],
  }
}

const experiment = (chat: string, embedding: string, kind: 'judge' | 'embedding') => `
import { ChatService, collectStage, defineConfig, EmbeddingService, evaluateStage, filterStage, playersStage, rewardBy,
  tau2Environment, tau2Player, worldModelStage } from 'rwml'
const cacheFolder = ${JSON.stringify(join(root, 'cache'))}
const service = (model: string) => new ChatService(
  { url: '${chat}', model, keyVariable: model.toUpperCase() + '_KEY', backoffSeconds: 0.01 }, { cacheFolder })
const agent = service('agent')
const environment = tau2Environment({ data: ${JSON.stringify(data)}, domains: ['mock'], users: [{ user: service('user') }] })
const embedder = new EmbeddingService(
  { url: '${embedding}', model: 'embedding', keyVariable: 'EMBEDDING_KEY', backoffSeconds: 0.01 }, { cacheFolder })
export default defineConfig({
  environment,
  method: { name: 'loop', stages: [
    playersStage({ players: { agent: (_, seed) => tau2Player(agent, { seed }) }, splits: ['train', 'unseen'],
      settings: { runs: 2 }, concurrency: 2 }),
    collectStage, rewardBy(${kind === 'judge' ? "{ judge: service('judge') }" : '{ embedder }'}), filterStage,
    worldModelStage(), evaluateStage(),
  ] },
  settings: {
    model: { threads: 1 },
    collect: { tasks: 2, rollouts: 2, maxSteps: 4, maxTokens: 16, wave: 4, filterShare: 0.5 },
    reward: { kind: '${kind}', mode: 'continuous' },
    filter: { rule: 'none' },
    worldModel: { batch: 2, groupSize: 2, maxTokens: 24, maxSteps: 1 },
    evaluate: { maxSteps: 4, runs: 1, transitions: 4 },
  },
})
`

async function rwmlRun(file: string, out: string): Promise<{ status: number; text: string }> {
  const words = ['--import', 'tsx', MAIN, '--debug', 'run', file, '--out', out, '--json']
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...KEYS } })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk))
  const [status] = await once(child, 'close')
  return { status, text }
}

describe('keys', () => {
  it('are in nothing that a run says or writes, whatever servers say', async () => {
    /** The model that is refused for good; null: every fourth request fails once and is tried again. */
    let refused: string | null = null
    const heard = new Set<string | undefined>()
    const chat = await serverFor((request, index) => {
      heard.add(request.headers.authorization)
      if (request.body.model === refused) return refusal(request, 403, index % 3)
      // One conversation that breaks, and why is written down.
      if (request.body.model === 'user' && index % 9 === 5) return refusal(request, 400, index)
      return index % 4 === 1 ? refusal(request, 500, index) : actor(request)
    })
    const embedding = await EmbeddingServer.start(({ input }, index, headers) => {
      heard.add(headers.authorization)
      const body = { error: { message: echo(headers) } }
      if (refused === 'embedding') return { status: 403, body }
      return index % 2 === 1 ? { status: 500, body } : vectors(input)
    })
    let said = ''
    const outs: string[] = []
    for (const model of ['agent', 'user', 'judge', 'embedding', null]) {
      const [file, out] = [join(root, `${model}.ts`), join(root, `${model}`)]
      outs.push(out)
      writeFileSync(file, experiment(chat.url, embedding.url, model === 'embedding' ? 'embedding' : 'judge'))
      refused = model
      const { status, text } = await rwmlRun(file, out)
      said += text
      const ending = model === null ? /Report: / : new RegExp(`${model} at \\S+ forbids this \\(403`)
      expect([status, text]).toEqual([model === null ? 0 : 1, expect.stringMatching(ending)])
    }
    await embedding.close()
    const services = ['AGENT_KEY', 'USER_KEY', 'JUDGE_KEY', 'EMBEDDING_KEY'] as const
    expect([...heard].sort()).toEqual(services.map((name) => `Bearer ${KEYS[name]}`).sort())
    expect(said).toContain('[key]')
    expectNoKey(said, [...outs, join(root, 'cache')])
  })

  it('are in nothing that the Tinker engine says or writes, the token for the key included', async () => {
    vi.stubEnv('TINKER_API_KEY', KEYS.TINKER_API_KEY)
    const folder = mkdtempSync(join(root, 'tinker-'))
    const base = await writeBase(folder)
    const fake = await FakeTinker.start({ base, reduction: 'sum', key: KEYS.TINKER_API_KEY, token: TOKEN })
    const headers = { 'x-api-key': TOKEN }
    const both = `${echo(headers)} ${echo({ 'x-api-key': KEYS.TINKER_API_KEY })}`
    const said: string[] = []
    const failing = async (work: Promise<unknown>) => {
      const error = await work.then(
        () => null,
        (thrown: unknown) => thrown,
      )
      expect(error).toBeInstanceOf(Error)
      const { message, stack } = error as Error
      expect(message).not.toContain('\n')
      said.push(message, stack ?? '', JSON.stringify(error))
    }
    const datum = { tokens: [1, 2, 3], weights: [0, 1, 1] }
    const engine = await openFake(fake, base)
    const trainer = engine.trainer()
    for (const [status, body] of [
      [400, { detail: both }],
      [403, { error: { message: both } }],
      [422, { detail: [{ loc: ['header', both], msg: both }] }],
      [307, { message: both }],
      [200, { error: both, category: both }],
      [200, { loss_fn_outputs: both }],
    ] as const) {
      fake.faults.add({
        path: 'retrieve_future',
        times: 9,
        reply: { status, body, headers: { location: encodeURI(both) } },
      })
      await failing(trainer.forwardBackward([datum], { kind: 'cross_entropy' }))
      while (fake.faults.take('retrieve_future'));
      await trainer.loadWeights(base)
    }
    fake.faults.add({ path: 'save_weights', reply: { status: 403, body: { detail: both } } })
    await failing(trainer.save(join(folder, 'refused')))
    await trainer.loadWeights(base)
    fake.faults.add({ path: 'download', reply: { status: 404, body: { detail: both } } })
    await failing(trainer.save(join(folder, 'missing')))
    await trainer.save(join(folder, 'saved'))
    await engine.close()
    vi.stubEnv('TINKER_API_KEY', `${KEYS.TINKER_API_KEY}-wrong`)
    await failing(openFake(fake, base))
    await fake.close()
    expect(said.join()).toContain('[key]')
    expectNoKey(said.join('\n'), [folder])
  })
})
