import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { tau2Player } from '../agents/index.ts'
import { tau2Environment } from '../environments/index.ts'
import { ChatService } from '../services/index.ts'
import { type ChatRequest, ChatServer, type Script } from '../services/testing/chat-server.ts'
import type { Reply } from '../services/testing/reply.ts'
import { playWith } from './play-with.ts'

const data = join(import.meta.dirname, '..', 'environments', 'tau2', 'testing', 'talks')
const servers: ChatServer[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

const isUser = ({ messages }: ChatRequest): boolean => messages[0].content?.startsWith('# Play a customer') ?? false
/** How often this side has spoken: what a stateless service can count. */
const spoken = ({ messages }: ChatRequest): number => messages.filter(({ role }) => role === 'assistant').length
const say = (text: string): Reply => ({ kind: 'answer', text })
const call = (name: string, args: string): Reply => ({
  kind: 'answer',
  calls: [{ id: `call-${name}`, name, arguments: args }],
})

const AGENT = [
  call('create_task', '{"user_id": "user_1", "title": '),
  call('create_task', '{"user_id": "user_1", "title": "Buy soil"}'),
  say('You have 2 tasks. Is there anything else?'),
]
const USER = [say('A task called Buy soil, please. I am user_1.'), say('No, thank you. ###STOP###')]

/** Plays the task as agent and as user, with what `between` puts in the way. */
async function play(between: (index: number, body: ChatRequest) => Reply | undefined) {
  const script: Script = ({ body }, index) =>
    between(index, body) ?? (isUser(body) ? USER[spoken(body)] : AGENT[spoken(body) - 1])
  const server = await ChatServer.start(script)
  servers.push(server)
  const service = new ChatService({ url: server.url, model: 'both', retries: 2, backoffSeconds: 0.01, gapSeconds: 0.2 })
  const environment = tau2Environment({ data, domains: ['mock'], users: [{ user: service }] })
  const [task] = environment.tasks('train')
  const options = { environment, player: () => tau2Player(service), seed: 1, maxSteps: 20, concurrency: 1, retries: 1 }
  const played = await playWith([{ task, sample: 0 }], options)
  return { played: played[0], server }
}

it('a conversation of two services earns its reward, unreadable arguments included', async () => {
  const { played, server } = await play(() => undefined)
  expect(played).toMatchObject({ done: true, reward: 1, facts: { user: 'both', player: 'both', toolErrors: 1 } })
  expect(played.turns[0].observation).toMatchObject({
    results: [{ error: true, content: expect.stringContaining('not valid JSON') }],
  })
  const agents = server.requests.map(({ body }) => body).filter((body) => !isUser(body))
  expect(agents[0].tools).toHaveLength(4)
  expect(agents[1].messages.map(({ role }) => role)).toEqual(['system', 'assistant', 'user', 'assistant', 'tool'])
})

it.each<[string, Reply]>([
  ['a busy service', { kind: 'status', status: 429 }],
  ['a failing service', { kind: 'status', status: 500 }],
  ['a broken connection', { kind: 'dropped' }],
  ['an answer that is cut off', { kind: 'cutOff', text: 'A task' }],
  ['an empty answer', say('')],
])('%s is asked again, and nothing of it is seen', async (_, fault) => {
  const failed = new Set<string>()
  const { played } = await play((_, body) => {
    const turn = `${isUser(body)} ${spoken(body)}`
    if (failed.has(turn)) return undefined
    failed.add(turn)
    return fault
  })
  expect(played).toMatchObject({ done: true, reward: 1, facts: { attempts: 1 } })
})

it('a user that never says anything makes an episode that is no result', async () => {
  const { played } = await play((_, body) => (isUser(body) && spoken(body) === 1 ? say('') : undefined))
  expect(played).toMatchObject({
    truncated: true,
    failed: expect.stringMatching(/neither said nor called/),
    facts: { attempts: 2, userEmpty: 4 },
  })
  expect(played.reward).toBeUndefined()
})

it('an agent that never says anything, or whose conversation becomes too long, makes no result either', async () => {
  const silent = await play((_, body) => (!isUser(body) && spoken(body) === 2 ? say('') : undefined))
  expect(silent.played).toMatchObject({
    truncated: true,
    failed: expect.stringMatching(/empty answer/),
    facts: { attempts: 2 },
  })
  const long = await play((_, body) =>
    spoken(body) === 2 && !isUser(body) ? { kind: 'status', status: 400 } : undefined,
  )
  expect(long.played).toMatchObject({ failed: expect.stringMatching(/refuses the request \(400/) })
})

it('a user whose first answers are bad makes an episode that is no result', async () => {
  const { played } = await play((_, body) => (isUser(body) ? { kind: 'status', status: 500 } : undefined))
  expect(played).toMatchObject({
    truncated: true,
    failed: expect.stringMatching(/failed \(500.*after 3 tries/),
    facts: { attempts: 2, termination: 'infrastructure_error' },
  })
})

it('a key that is refused ends the run, in the service’s own words', async () => {
  await expect(play((_, body) => (isUser(body) ? { kind: 'status', status: 401 } : undefined))).rejects.toThrow(
    /^both at \S+ wants a key \(401\): name the environment variable that holds one as keyVariable$/,
  )
  await expect(play(() => ({ kind: 'status', status: 401 }))).rejects.toThrow(/wants a key/)
})
