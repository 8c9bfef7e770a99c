import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type EpisodeFacts, plainIssue, type Task, type Transition, UserError } from '../../core/index.ts'
import type { ChatModel } from '../../services/index.ts'
import type { Environment, OpenOptions } from '../environment.ts'
import { DOMAINS } from './domains.ts'
import { Tau2Episode } from './episode.ts'
import type { Evaluation } from './evaluator/evaluate.ts'
import type { NlJudge } from './evaluator/nl.ts'
import { findTau2Folder } from './folder.ts'
import { recordOf } from './history.ts'
import { judgedConversation } from './judged.ts'
import type { JsonSchema } from './model.ts'
import { type OpenedDomain, openDomain } from './opened.ts'
import { DONE_TOOL, type Limits } from './protocol/protocol.ts'
import { dumps } from './python/json.ts'
import type { Party, Tau2Task } from './tasks.ts'
import { userFor, type WeightedUser } from './users/mixed.ts'
import { modelUser } from './users/model-user.ts'
import { type Guidelines, readGuidelines } from './users/prompt.ts'
import { scriptedUser } from './users/scripted.ts'

/** Who may play the user, and how often against the others. */
export interface Tau2User {
  /** A chat model with upstream's prompt, or the one without a model. */
  user: ChatModel | 'scripted'
  /** Default 1. */
  weight?: number
  /** Of a chat model. Default 0. */
  temperature?: number
  /** Most tokens of one turn of a chat model; a spending limit needs it. */
  maxTokens?: number
}

export interface Tau2Options extends Partial<Limits> {
  /** Upstream's data, or a folder above it; `$TAU2_DATA_DIR` when absent. */
  data?: string
  /** Default: retail, airline and telecom. */
  domains?: readonly string[]
  /** Default: the scripted one alone. */
  users?: readonly Tau2User[]
  /** No user: the agent has both sides' tools and works on a ticket. Telecom and mock only. */
  solo?: boolean
  /** Who judges assertions in words. `off`, the default, leaves them out of the reward, and every episode says so. */
  judge?: NlJudge | 'off'
}

const isModel = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'complete' in value && typeof value.complete === 'function'

/** What decides who plays and what: a mistake there would show late or never. */
const optionsSchema = z.object({
  domains: z.array(z.string()).min(1).optional(),
  users: z
    .array(
      z.object({
        user: z.custom<Tau2User['user']>(
          (value) => value === 'scripted' || isModel(value),
          "must be 'scripted' or a chat model, an object with complete()",
        ),
        weight: z.number('must be a finite number above 0').positive().optional(),
      }),
    )
    .min(1)
    .optional(),
})

/** The solution that a task comes with, for players that replay it. No user and no agent sees it. */
export interface Tau2Gold {
  /** `arguments` is JSON text. */
  actions: { requestor: Party; name: string; arguments: string }[]
  /** What the agent has to tell. */
  communicate: string[]
}

export interface Tau2Environment extends Environment {
  gold(task: Task): Tau2Gold
  /** JSON Schema of what each tool returns; of tools that two domains mean differently, none. */
  returns(): ReadonlyMap<string, JsonSchema>
  open(task: Task, options: OpenOptions): Promise<Tau2Episode>
}

/** Whether an environment is τ²-bench, guarded or not. */
export function isTau2(environment: Environment): environment is Tau2Environment {
  return environment.name === NAME && 'gold' in environment
}

const NAME = 'tau2'

/** Upstream's splits under the names that they have here: its test tasks are held out. */
const SPLITS: Record<string, string> = { train: 'train', unseen: 'test' }

/** A model user may have to wait for its service, which waits and tries again by itself. */
const MODEL_DEADLINE = 3_600_000

const DONE = {
  name: DONE_TOOL,
  description: 'Call this function when you are done with the task.',
  parameters: { type: 'object', properties: {}, title: 'parameters' },
}

/**
 * τ²-bench: splits `train` and `unseen` (upstream's `test`) of all its domains; a task's kind is its domain, and its instruction
 * the policy. The reward is the task's own, at the end.
 * @throws UserError where data is missing or broken, for options that are not as they should be, and for domains that have no
 * solo mode.
 */
export function tau2Environment(options: Tau2Options = {}): Tau2Environment {
  const { error } = optionsSchema.safeParse(options)
  if (error) throw new UserError(`τ²-bench's options: ${plainIssue(error.issues[0], 'they')}`, 2)
  const { solo = false, judge = 'off', users = [{ user: 'scripted' }] } = options
  const folder = findTau2Folder(options.data)
  const names = options.domains ?? [...DOMAINS.keys()].filter((name) => name !== 'mock')
  const domains = new Map(names.map((name) => [name, openNamed(name, folder)]))
  const without = [...domains.values()].find(({ soloPolicy }) => soloPolicy === null)
  if (solo && without) throw new UserError(`τ²-bench: ${without.name} has no solo mode; leave it out of domains`, 2)
  const simulators = simulatorsOf(users, folder)
  const tools = new Map([...domains.values()].map((domain) => [domain.name, agentTools(domain, solo)]))
  const splits = Object.keys(SPLITS).filter((split) =>
    [...domains.values()].some((one) => idsOf(one, split).length > 0),
  )
  const known = new Map<string, Task[]>()

  const listed = (split: string): Task[] =>
    [...domains.values()].flatMap((domain) =>
      idsOf(domain, split).flatMap((id): Task[] => {
        const task = domain.tasks.get(id)
        if (!task) throw new UserError(`τ²-bench: ${domain.name} has no task "${id}", which its split_tasks.json names`)
        if (solo && task.ticket === null) return []
        const instruction = solo ? domain.soloPolicy! : domain.policy
        return [{ id: `${domain.name}/${id}`, split, kind: domain.name, instruction, tools: tools.get(domain.name) }]
      }),
    )

  /** The domain and the task that an id means. */
  const found = ({ id }: Task): { domain: OpenedDomain; task: Tau2Task } => {
    const slash = id.indexOf('/')
    const domain = domains.get(id.slice(0, slash))
    const task = domain?.tasks.get(id.slice(slash + 1))
    if (domain && task) return { domain, task }
    throw new UserError(`τ²-bench has no task "${id}": ids are like retail/0, of ${[...domains.keys()].join(', ')}`)
  }

  return {
    name: NAME,
    deadline: users.some(({ user }) => user !== 'scripted') ? MODEL_DEADLINE : undefined,
    splits: () => splits,
    tasks(split) {
      if (!splits.includes(split)) {
        throw new UserError(`τ²-bench has no split "${split}"; it has ${splits.join(', ')}`)
      }
      const tasks = known.get(split) ?? listed(split)
      known.set(split, tasks)
      return tasks
    },
    gold(task) {
      const { criteria } = found(task).task
      const actions = criteria?.actions ?? []
      return {
        actions: actions.map(({ party, name, arguments: args }) => ({
          requestor: party,
          name,
          arguments: dumps(args),
        })),
        communicate: [...(criteria?.communicate ?? [])],
      }
    },
    returns: () => unambiguous([...domains.values()].map(({ returns }) => returns)),
    open(opened, { seed, maxSteps = Number.POSITIVE_INFINITY }) {
      const { domain, task } = found(opened)
      const history = recordOf(task.initial.history)
      const { maxSteps: steps, maxErrors } = options
      const simulator = userFor(simulators, seed)
      const setting = { scenario: task.scenario, tools: domain.userTools, seed }
      return Tau2Episode.open({
        runner: domain.begin(task, solo),
        user: solo ? null : { name: simulator.name, session: simulator.open(setting) },
        ticket: task.ticket ?? '',
        protocol: { solo, history, maxSteps: steps, maxErrors },
        tools: new Map(
          (tools.get(domain.name) ?? []).map(({ name }) => [name, { mutates: domain.mutates(name) ?? false }]),
        ),
        maxTurns: maxSteps,
        async evaluate(messages) {
          const conversation = judgedConversation(messages, history.length, solo)
          const evaluation = await domain.judge(task, conversation, { judge })
          return { reward: evaluation.reward, facts: judgedFacts(evaluation, task, judge) }
        },
      })
    },
    transitionKind,
  }
}

/** A domain that is not split is there to train with. */
function idsOf({ splits }: OpenedDomain, split: string): readonly string[] {
  return splits.get(SPLITS[split]) ?? (split === 'train' ? splits.get('base') : undefined) ?? []
}

/** What all that name a tool say of it, if they say the same. */
function unambiguous(all: readonly ReadonlyMap<string, JsonSchema>[]): Map<string, JsonSchema> {
  const schemas = new Map<string, JsonSchema>()
  for (const [name, schema] of all.flatMap((one) => [...one])) {
    const others = all.flatMap((one) => one.get(name) ?? [])
    if (others.every((other) => isDeepStrictEqual(other, schema))) schemas.set(name, schema)
  }
  return schemas
}

function openNamed(name: string, folder: string): OpenedDomain {
  const domain = DOMAINS.get(name)
  if (domain) return openDomain(domain, join(folder, 'domains', name))
  throw new UserError(`τ²-bench has no domain "${name}"; there are ${[...DOMAINS.keys()].join(', ')}`, 2)
}

/** By who answered: what tools return and what users say are two things to learn. */
function transitionKind({ next, valid }: Transition): string {
  return valid ? next.from : 'invalid'
}

/** What the reward was made of. */
function judgedFacts({ parts, left, error }: Evaluation, task: Tau2Task, judge: NlJudge | 'off'): EpisodeFacts {
  return {
    basis: (task.criteria?.basis ?? []).join(' + ') || 'none',
    judge: judge === 'off' ? (left.length > 0 ? 'off: a part of the basis was left out' : 'not needed') : 'on',
    ...Object.fromEntries(Object.entries(parts).map(([type, met]) => [`met ${type}`, met])),
    ...(error === null ? {} : { replayError: error }),
  }
}

function agentTools(domain: OpenedDomain, solo: boolean) {
  return solo ? [...domain.tools, ...(domain.userTools ?? []), DONE] : domain.tools
}

function simulatorsOf(users: readonly Tau2User[], folder: string): WeightedUser[] {
  const isScripted = users.every(({ user }) => user === 'scripted')
  const guidelines: Guidelines = isScripted ? { plain: '', withTools: '' } : readGuidelines(folder)
  return users.map(({ user, weight, temperature, maxTokens }) => ({
    user: user === 'scripted' ? scriptedUser : modelUser(user, { guidelines, temperature, maxTokens }),
    weight,
  }))
}
