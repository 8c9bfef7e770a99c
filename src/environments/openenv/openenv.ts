import { z } from 'zod'
import { plainIssue, type Task, UserError } from '../../core/index.ts'
import { keyIn, keyVariableSchema } from '../../services/index.ts'
import type { Environment } from '../environment.ts'
import { OpenEnvEpisode, type Speech } from './episode.ts'
import type { Server } from './session.ts'
import { messageOf, observedText } from './text.ts'

/** One thing to do in an environment that is reset to it. */
export interface OpenEnvTask {
  /** Default: made of the seed. */
  id?: string
  /** Of the reset. Without one, each attempt has its own. */
  seed?: number
  /** Default `train`. */
  split?: string
  /** What the agent is told. Default: nothing, where the first observation says all. */
  instruction?: string
  /** For tables. Default: the environment's name. */
  kind?: string
  /** Further fields of the reset, as this environment knows them. */
  reset?: Record<string, unknown>
}

export interface OpenEnvOptions extends Partial<Speech> {
  /** `http://host:port` or `ws://host:port`; its `/ws` is spoken to. */
  url: string
  /** Default `openenv`. */
  name?: string
  /** Or how many: the seeds from 0 on. Default 100. */
  tasks?: number | readonly OpenEnvTask[]
  /** Sessions at once: what the server was started with (`max_concurrent_envs`). Default 1, as theirs. */
  sessions?: number
  /** The same reset and actions give the same answers: a connection that is lost is then made good once an episode. */
  deterministic?: boolean
  /** Longest wait for a connection. Default 10. */
  connectSeconds?: number
  /** Longest wait for an answer. Default 60. */
  answerSeconds?: number
  /** The environment variable that holds a key, sent as `Authorization: Bearer`. */
  keyVariable?: string
  /** The environment variable that holds what is sent as `Host`, where a proxy goes by it. */
  hostVariable?: string
}

const taskSchema = z.strictObject({
  id: z.string().min(1).optional(),
  seed: z.int().min(0).optional(),
  split: z.string().min(1).default('train'),
  instruction: z.string().default(''),
  kind: z.string().min(1).optional(),
  reset: z.record(z.string(), z.json()).default({}),
})

const isFunction = (value: unknown): boolean => typeof value === 'function'
const speech = <Name extends keyof Speech>() => z.custom<Speech[Name]>(isFunction, 'must be a function').optional()

const optionsSchema = z.strictObject({
  url: z
    .url({ protocol: /^(http|ws)s?$/, error: 'must be an address such as http://127.0.0.1:8000' })
    .refine(
      (text) => !/[?#]|\/\/[^/]*@/.test(text),
      'must hold no name, password or query: a key goes into keyVariable',
    ),
  name: z.string().min(1).default('openenv'),
  tasks: z
    .union([z.int().min(1), z.array(taskSchema).min(1)], 'must be a number of seeds, or a list of tasks')
    .default(100),
  sessions: z.int().min(1).default(1),
  deterministic: z.boolean().default(false),
  connectSeconds: z.number().positive().default(10),
  answerSeconds: z.number().positive().default(60),
  keyVariable: keyVariableSchema.optional(),
  hostVariable: keyVariableSchema.optional(),
  action: speech<'action'>(),
  observe: speech<'observe'>(),
  score: speech<'score'>(),
})

interface Planned {
  task: Task
  seed?: number
  reset: Record<string, unknown>
}

/** Longest `episode_id` that servers take. */
const LONGEST_ID = 255

const sum = (rewards: readonly number[]): number => rewards.reduce((total, one) => total + one, 0)

/**
 * An OpenEnv server (openenv-core 0.3) as an environment, over its WebSocket: one session an episode. A connection that is lost,
 * or a server that fails in the middle, makes an episode that is no result (`failed`); a server that cannot be reached at all,
 * or speaks otherwise, stops the run.
 * @throws UserError (bad usage) for options that are not as they should be
 */
export function openEnvEnvironment(options: OpenEnvOptions): Environment {
  const checked = optionsSchema.safeParse(options)
  if (!checked.success) throw new UserError(`openEnvEnvironment: ${plainIssue(checked.error.issues[0])}`, 2)
  const { url, name, tasks, sessions, deterministic, connectSeconds, answerSeconds, ...rest } = checked.data
  const { action = messageOf, observe = observedText, score = sum, keyVariable, hostVariable } = rest
  const list =
    typeof tasks === 'number' ? Array.from({ length: tasks }, (_, seed) => taskSchema.parse({ seed })) : tasks
  const planned = new Map<string, Planned>()
  for (const [
    index,
    { id = idOf(index, list[index].seed), split, kind = name, instruction, ...reset },
  ] of list.entries()) {
    if (planned.has(id)) {
      throw new UserError(`openEnvEnvironment: tasks: two have the id "${id}": an id names one task of one split`, 2)
    }
    planned.set(id, { task: { id, split, kind, instruction }, ...reset })
  }
  const all = [...planned.values()].map(({ task }) => task)
  const [connectWithin, answerWithin] = [connectSeconds * 1000, answerSeconds * 1000]
  return {
    name,
    concurrent: sessions,
    // Never the first to give up: what is lost is first made good, or told as what it was.
    deadline: 2 * (connectWithin + 2 * answerWithin),
    splits: () => [...new Set(all.map(({ split }) => split))],
    tasks: (split) => all.filter((task) => task.split === split),
    open(task, { seed }) {
      const { seed: own, reset } = planned.get(task.id) ?? { reset: {} }
      const episode_id = `${task.id}#${seed}`.slice(-LONGEST_ID)
      const server: Server = {
        url: webSocketUrl(url),
        headers: headersFrom(keyVariable, hostVariable),
        connectWithin,
        answerWithin,
      }
      const data = { ...reset, seed: own ?? seed, episode_id }
      return OpenEnvEpisode.open({ server, task, data, sessions, deterministic, action, observe, score })
    },
  }
}

const idOf = (index: number, seed: number | undefined): string =>
  seed === undefined ? `task-${index}` : `seed-${seed}`

const webSocketUrl = (url: string): string =>
  `${url.replace(/^http/, 'ws').replace(/\/+$/, '').replace(/\/ws$/, '')}/ws`

function headersFrom(keyVariable: string | undefined, hostVariable: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {}
  if (keyVariable !== undefined) headers.Authorization = `Bearer ${set(keyVariable, keyIn(keyVariable))}`
  // A host's name is no secret: messages may say it.
  if (hostVariable !== undefined) headers.Host = set(hostVariable, process.env[hostVariable] || null)
  return headers
}

function set(variable: string, value: string | null): string {
  if (value === null) throw new UserError(`${variable} is not set: export it for the OpenEnv server`, 2)
  return value
}
