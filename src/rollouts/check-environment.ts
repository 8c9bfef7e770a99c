import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import {
  type Action,
  actionText,
  locatedMessage,
  plainIssue,
  Random,
  type Task,
  type Transition,
  transitionsOf,
  UserError,
} from '../core/index.ts'
import { type Environment, HELD_OUT, type StepResult, taskSchema, unusedSplits } from '../environments/index.ts'
import { GuardedEpisode } from './guarded-episode.ts'

export interface CheckOptions {
  /**
   * Commands to try in a task. Needed where episodes do not list their `actions()`: without any, only the environment's way
   * with commands that it does not know is checked.
   */
  commands?(task: Task): string[]
  /** Tasks tried in each split. Default 5. */
  tasks?: number
  /** Steps of an episode. Default 20. */
  steps?: number
  /** Longest wait for one answer, milliseconds. Default 10 000, or the environment's own where that is longer. */
  deadline?: number
}

/** What a check found in an environment that keeps its word. */
export interface EnvironmentCheck {
  /** Number of tasks by split. */
  splits: Record<string, number>
  episodes: number
  steps: number
  /** Of these, admissible ones. */
  valid: number
  rewarded: boolean
  /** What is allowed and yet may not be meant. */
  notes: string[]
}

interface Played {
  initial: GuardedEpisode['initial']
  actions: Action[]
  results: StepResult[]
}

/** What a small model also writes: an environment answers it, and says that it is not valid. */
const NONSENSE = ['', 'xyzzy', '<next_state>']
const DEADLINE = 10_000
const SEED = 7

/**
 * Holds an environment to what training counts on: tasks that are complete, the same at every call and in one split only;
 * episodes that answer every text, that replay alike from the same seed and actions, and that leave each other alone. Plays a
 * few episodes of each split with random actions.
 * @throws UserError for the first thing that is not so: the task, the step, and what was found there.
 */
export async function checkEnvironment(
  environment: Environment,
  options: CheckOptions = {},
): Promise<EnvironmentCheck> {
  const lists = tasksBySplit(environment)
  const played: Played[] = []
  for (const [split, list] of lists) {
    for (const task of new Random('check', split).shuffle(list).slice(0, options.tasks ?? 5)) {
      const first = await play(environment, task, options)
      await replay(environment, task, first, options)
      checkTransitions(environment, task, first)
      played.push(first)
    }
  }
  const results = played.flatMap((one) => one.results)
  const rewarded = played.filter((one) => one.results.some(({ reward }) => reward !== undefined)).length
  const valid = results.filter((one) => one.valid).length
  const notes: string[] = []
  if (!HELD_OUT.some((split) => lists.has(split))) {
    notes.push('no split "unseen": a tenth of the training tasks will be held out for evaluation')
  }
  const unused = unusedSplits([...lists.keys()])
  if (unused !== null) notes.push(unused)
  if (valid === 0) notes.push('no action was valid: give some commands to try (`--commands`; in code, `commands`)')
  if (rewarded > 0 && rewarded < played.length) {
    notes.push('some episodes have a reward and some have none: those without count as failed')
  }
  const splits = Object.fromEntries([...lists].map(([split, list]) => [split, list.length]))
  return { splits, episodes: played.length, steps: results.length, valid, rewarded: rewarded > 0, notes }
}

function tasksBySplit(environment: Environment): Map<string, Task[]> {
  const { name } = environment
  const splits = held(z.array(z.string().min(1)), environment.splits(), `${name}: splits()`)
  if (!splits.includes('train')) {
    throw new UserError(`${name}: splits() names ${splits.join(', ') || 'none'}; training needs one called "train"`)
  }
  const known = new Map<string, string>()
  const lists = new Map<string, Task[]>()
  for (const split of splits) {
    const what = `${name}: tasks("${split}")`
    const [list, again] = [0, 1].map(() => held(z.array(taskSchema), environment.tasks(split), what))
    if (list.length === 0) throw new UserError(`${what} is empty: list its tasks, or leave the split out`)
    if (!isDeepStrictEqual(list, again)) {
      throw new UserError(`${what} is another list at the second call: it must be the same each time`)
    }
    for (const { id } of list) {
      const other = known.get(id)
      if (other !== undefined) {
        const where = other === split ? `twice in "${split}"` : `in "${other}" and in "${split}"`
        throw new UserError(`${name}: task ${id} is ${where}: an id names one task of one split`)
      }
      known.set(id, split)
    }
    lists.set(split, list)
  }
  return lists
}

const openEpisode = (
  environment: Environment,
  task: Task,
  { steps = 20, deadline = Math.max(DEADLINE, environment.deadline ?? 0) }: CheckOptions,
) => GuardedEpisode.open(environment, task, { seed: SEED, maxSteps: steps }, { deadline })

/** Nonsense first, then what the episode lists or the caller knows, at random. */
async function play(environment: Environment, task: Task, options: CheckOptions): Promise<Played> {
  const episode = await openEpisode(environment, task, options)
  try {
    return await playRandomly(episode, task, options)
  } finally {
    await episode.close()
  }
}

async function playRandomly(episode: GuardedEpisode, task: Task, options: CheckOptions): Promise<Played> {
  const random = new Random('check actions', task.id)
  const known = options.commands?.(task) ?? []
  const played: Played = { initial: episode.initial, actions: [], results: [] }
  for (let step = 0; step < (options.steps ?? 20); step++) {
    const listed = episode.actions() ?? known
    const text = step < NONSENSE.length || listed.length === 0 ? NONSENSE[step % NONSENSE.length] : random.pick(listed)
    const action: Action = { kind: 'text', text }
    const result = await episode.step(action)
    played.actions.push(action)
    played.results.push(result)
    if (result.done || result.truncated) break
  }
  return played
}

/** The same once more, while another episode of the same task, where two can be open, goes another way. */
async function replay(environment: Environment, task: Task, first: Played, options: CheckOptions): Promise<void> {
  const again = await openEpisode(environment, task, options)
  let beside: GuardedEpisode | undefined
  try {
    if (environment.concurrent !== 1) beside = await openEpisode(environment, task, options)
    await playAgain(again, beside, task, first)
  } finally {
    await Promise.all([again.close(), beside?.close()])
  }
}

async function playAgain(
  again: GuardedEpisode,
  beside: GuardedEpisode | undefined,
  task: Task,
  first: Played,
): Promise<void> {
  compare(first.initial, again.initial, `task ${task.id}: the initial observation`, beside)
  const others = [...first.actions].reverse()
  let isOver = false
  for (const [step, action] of first.actions.entries()) {
    if (beside && !isOver) {
      const { done, truncated } = await beside.step(others[step])
      isOver = done || truncated
    }
    const what = `task ${task.id}, step ${step + 1} ("${actionText(action)}"): the answer`
    compare(first.results[step], await again.step(action), what, beside)
  }
}

function compare(first: unknown, second: unknown, what: string, beside: GuardedEpisode | undefined): void {
  if (isDeepStrictEqual(first, second)) return
  const when = beside ? ' while another episode was open' : ''
  throw new UserError(
    `${what} was ${JSON.stringify(first)}, and then, from the same seed and actions${when}, ${JSON.stringify(second)}: take chance from the seed alone, and share nothing between episodes`,
  )
}

/** What the environment says of a transition. */
function checkTransitions(environment: Environment, task: Task, { initial, actions, results }: Played): void {
  const turns = results.map((result, step) => ({
    ...result,
    reply: '',
    action: actions[step],
    tokens: [],
    logprobs: [],
  }))
  const trajectory = { task, sample: 0, seed: SEED, initial, turns, done: false, truncated: false, sequences: [] }
  const ask = (one: Transition, name: 'transitionKind' | 'grounded', schema: z.ZodType) => {
    if (environment[name] === undefined) return
    const what = `task ${task.id}: ${name}() of "${actionText(one.action)}"`
    try {
      held(schema, environment[name](one), what)
    } catch (error) {
      throw error instanceof UserError ? error : new UserError(`${what} failed: ${locatedMessage(error)}`)
    }
  }
  for (const one of transitionsOf(trajectory)) {
    ask(one, 'transitionKind', z.string().min(1))
    ask(one, 'grounded', z.boolean().nullable())
  }
}

function held<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const checked = schema.safeParse(value)
  if (checked.success) return checked.data
  throw new UserError(`${what} is not as it should be: ${plainIssue(checked.error.issues[0])}`)
}
