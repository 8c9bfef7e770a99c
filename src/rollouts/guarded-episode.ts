import { z } from 'zod'
import {
  type Action,
  actionText,
  type HiddenCall,
  locatedMessage,
  type Observation,
  plainIssue,
  type Task,
  UserError,
} from '../core/index.ts'
import {
  actionsSchema,
  type Environment,
  type Episode,
  hiddenSchema,
  type OpenOptions,
  observationSchema,
  type StepResult,
  stepResultSchema,
  taskSchema,
} from '../environments/index.ts'
import { ServiceError } from '../services/index.ts'

const episodeSchema = z.custom<Episode>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    'step' in value &&
    typeof value.step === 'function' &&
    'initial' in value,
  'must be an object with `initial` and `step(action)`',
)

/** Longest wait for one answer of an environment, milliseconds, where nothing else is said. */
const STEP_DEADLINE = 60_000

/** What ends the wait for one answer of an environment. */
export interface Wait {
  /** In milliseconds; the environment's own where it is missing. */
  deadline?: number
  signal?: AbortSignal
}

type BoundedWait = Wait & { deadline: number }

/**
 * An episode of anybody's environment, held to its word: an environment that throws, does not answer or answers with something
 * else is a `UserError` that names task and step. A service that it asks speaks for itself: nothing is to be mended here.
 *
 * It stops the run; the episode is neither dropped nor counted as failed nor tried again. What an environment fails at may
 * depend on the clock or on luck, and a run must not: without that episode every figure and every weight after it would be
 * others than those of a run in which it went well. Nothing is lost by stopping: the wave is the unit, and `--resume`
 * plays it again from its beginning.
 */
export class GuardedEpisode {
  readonly initial: Observation
  readonly hidden: HiddenCall[] | undefined
  private readonly task: Task
  private readonly episode: Episode
  private readonly wait: BoundedWait
  private steps = 0

  private constructor(task: Task, episode: Episode, wait: BoundedWait) {
    this.task = task
    this.episode = episode
    this.wait = wait
    this.initial = checked(episode.initial, observationSchema, `${named(task)}: its initial observation`)
    this.hidden = checked(episode.hidden, hiddenSchema.optional(), `${named(task)}: its hidden calls`)
  }

  /** The wait bounds opening and every step. */
  static async open(
    environment: Environment,
    task: Task,
    options: OpenOptions,
    { deadline = environment.deadline ?? STEP_DEADLINE, signal }: Wait,
  ): Promise<GuardedEpisode> {
    const wait: BoundedWait = { deadline, signal }
    checked(task, taskSchema, `a task of the environment ${environment.name}`)
    const opened = await answered(() => environment.open(task, options), wait, `${named(task)}: opening it`)
    return new GuardedEpisode(task, checked(opened, episodeSchema, `${named(task)}: its episode`), wait)
  }

  async step(action: Action): Promise<StepResult> {
    this.steps++
    const what = `${named(this.task)}, step ${this.steps} (${shown(action)}): the environment`
    const result = await answered(() => this.episode.step(action), this.wait, what)
    return checked(result, stepResultSchema, `${what}'s answer`)
  }

  /** Admissible commands now; undefined where the environment does not list them. */
  actions(): string[] | undefined {
    if (this.episode.actions === undefined) return undefined
    const what = `${named(this.task)}, step ${this.steps + 1}: the environment's list of actions`
    let actions: unknown
    try {
      actions = this.episode.actions()
    } catch (error) {
      throw failed(what, error)
    }
    return checked(actions, actionsSchema, what)
  }

  /** It is over, or given up. What goes wrong now changes nothing of what the episode was. */
  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    try {
      const closed = this.episode.close?.()
      if (!(closed instanceof Promise)) return
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSING)
      })
      await Promise.race([closed, late])
    } catch {
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Longest wait for an episode to give back what it holds, milliseconds. */
const CLOSING = 10_000

const REMEDY = 'mend the environment'

const named = (task: Task): string => `task ${task.id}`

/** Longest part of an action in messages, in characters. */
const SHOWN = 60

function shown(action: Action): string {
  const text = actionText(action)
  return text.length > SHOWN ? `"${text.slice(0, SHOWN)}…"` : `"${text}"`
}

function failed(what: string, error: unknown): UserError {
  // A service says itself what to do about it.
  const remedy = error instanceof ServiceError ? '' : `; ${REMEDY}`
  const wrapped = new UserError(`${what} failed: ${locatedMessage(error)}${remedy}`)
  // Where in the environment it went wrong: shown after --debug.
  wrapped.cause = error
  return wrapped
}

function checked<T>(value: unknown, schema: z.ZodType<T>, what: string): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new UserError(`${what} is not as it should be: ${plainIssue(result.error.issues[0])}; ${REMEDY}`)
}

/** What `ask` returns or promises. Every wait has a deadline and says what it waited for; Ctrl-C ends it at once. */
async function answered<T>(ask: () => T | Promise<T>, { deadline, signal }: BoundedWait, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  let stop = () => {}
  try {
    const answer = ask()
    if (!(answer instanceof Promise)) return answer
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${deadline / 1000} s`)), deadline)
      stop = () => reject(signal?.reason)
      signal?.addEventListener('abort', stop)
    })
    return await Promise.race([answer, late])
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (error instanceof ServiceError) throw error
    throw failed(what, error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
