import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type Action, plainIssue, type Task, UserError } from '../../core/index.ts'
import { quotable, ServiceError } from '../../services/index.ts'
import type { Episode, StepResult } from '../environment.ts'
import type { Answer } from './frames.ts'
import { failure, RefusedByServer, type Server, Session } from './session.ts'
import type { OpenEnvView } from './text.ts'

/** How an environment is spoken with. */
export interface Speech {
  action(action: Action, task: Task): Record<string, unknown>
  observe(observation: Record<string, unknown>, task: Task): string | OpenEnvView
  score(rewards: readonly number[]): number
}

/** What an episode is made of. */
export interface EpisodeParts extends Speech {
  server: Server
  task: Task
  /** Of the reset. */
  data: Record<string, unknown>
  /** Sessions that are ours at most. */
  sessions: number
  /** The same reset and actions give the same answers. */
  deterministic: boolean
}

const viewSchema: z.ZodType<OpenEnvView> = z.union([
  z.string().transform((text) => ({ text })),
  z.object({ text: z.string(), valid: z.boolean().optional(), actions: z.array(z.string()).optional() }),
])

const actionObject = z.record(z.string(), z.json())

/** Between two tries for a place on a server that is full. */
const AGAIN = 200

/** Faults of an action that no action of the agent's is free of: its fields are not those that the environment knows. */
const WRONG_FIELDS: readonly string[] = ['missing', 'extra_forbidden']

/** An episode that is lost for no reason of the agent's. */
const isLost = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && ['dropped', 'stalled', 'server'].includes(error.kind)

/** One session, from its reset on. */
export class OpenEnvEpisode implements Episode {
  readonly initial
  readonly actions?: () => string[]
  private readonly parts: EpisodeParts
  private session: Session
  private view: OpenEnvView
  private readonly first: Answer
  private readonly done: { data: Record<string, unknown>; answer: Answer }[] = []
  private isSecond = false

  private constructor(parts: EpisodeParts, session: Session, first: Answer) {
    this.parts = parts
    this.session = session
    this.first = first
    this.view = viewed(parts, first)
    this.initial = { from: 'environment' as const, text: this.view.text }
    if (this.view.actions) this.actions = () => this.view.actions ?? []
  }

  /** @throws ServiceError where the server gives no session, or no first observation */
  static async open(parts: EpisodeParts): Promise<OpenEnvEpisode> {
    const { session, answer } = await begun(parts, parts.server.answerWithin)
    try {
      if (answer.done) throw failure(parts.server, 'malformed', 'says that an episode is over as it begins', 'mend it')
      return new OpenEnvEpisode(parts, session, answer)
    } catch (error) {
      await session.close()
      throw error
    }
  }

  async step(action: Action): Promise<StepResult> {
    const { task, server } = this.parts
    const checked = actionObject.safeParse(this.parts.action(action, task))
    if (!checked.success) {
      throw new UserError(`\`action\` must return an object of JSON: ${plainIssue(checked.error.issues[0])}`)
    }
    const data = checked.data
    let answer: Answer
    try {
      answer = await this.answerTo(data)
    } catch (error) {
      if (error instanceof RefusedByServer) return this.refused(error, data)
      if (isLost(error)) return broken(error)
      throw error
    }
    this.done.push({ data, answer })
    this.view = viewed(this.parts, answer)
    const rewards = this.done.flatMap((one) => one.answer.reward ?? [])
    if (rewards.some((reward) => !Number.isFinite(reward))) {
      throw failure(server, 'malformed', 'gives a reward that is no number', 'mend it')
    }
    return {
      observation: { from: 'environment', text: this.view.text },
      done: answer.done,
      truncated: false,
      valid: this.view.valid ?? true,
      ...(rewards.length > 0 && { reward: this.parts.score(rewards) }),
    }
  }

  close(): Promise<void> {
    return this.session.close()
  }

  /** Where the connection is lost, and the environment answers alike twice, once more from the beginning. */
  private async answerTo(data: Record<string, unknown>): Promise<Answer> {
    const { parts } = this
    try {
      return await this.session.ask({ type: 'step', data })
    } catch (error) {
      if (!isLost(error) || !parts.deterministic || this.isSecond) throw error
      this.isSecond = true
      const until = Date.now() + parts.server.answerWithin
      await this.session.close()
      const { session, answer } = await begun(parts, parts.server.answerWithin)
      this.session = session
      const same = (now: Answer, then: Answer) => {
        if (isDeepStrictEqual(now, then)) return
        throw failure(parts.server, 'server', 'does not answer as it did before it was lost', 'leave out deterministic')
      }
      same(answer, this.first)
      for (const one of this.done)
        same(await session.ask({ type: 'step', data: one.data }, until - Date.now()), one.answer)
      return session.ask({ type: 'step', data }, until - Date.now())
    }
  }

  /** An action that is none to this environment is invalid; one whose fields it does not know is a mistake of `action`. */
  private refused({ error }: RefusedByServer, data: Record<string, unknown>): StepResult {
    const { server } = this.parts
    const { code, message, errors = [] } = error
    if (code !== 'VALIDATION_ERROR') {
      return broken(failure(server, 'server', `failed at a step (${code}, "${quotable(message)}")`, 'look at its log'))
    }
    const faults = errors.map(({ loc, msg }) => [...loc, msg].join(': ')).join('; ')
    if (errors.length === 0 || errors.some(({ type }) => WRONG_FIELDS.includes(type))) {
      throw failure(
        server,
        'refused',
        `does not know such actions: ${quotable(JSON.stringify(data))} (${quotable(faults || message)})`,
        'give openEnvEnvironment an `action` that makes its action objects; GET /schema shows them',
      )
    }
    return { observation: told(`Invalid action: ${faults}`), done: false, truncated: false, valid: false }
  }
}

const told = (text: string) => ({ from: 'environment' as const, text })

const broken = (error: ServiceError): StepResult => ({
  observation: told('The episode broke off.'),
  done: false,
  truncated: true,
  valid: false,
  failed: error.message,
})

function viewed({ observe, task }: EpisodeParts, { observation }: Answer): OpenEnvView {
  const { success, data, error } = viewSchema.safeParse(observe(observation, task))
  if (success) return data
  throw new UserError(`\`observe\` must return a text, or an object with \`text\`: ${plainIssue(error.issues[0])}`)
}

/** A session that has been reset. Waits for its place where the server is full: those of sessions that ended are free soon. */
async function begun(parts: EpisodeParts, within: number): Promise<{ session: Session; answer: Answer }> {
  const { server, data, sessions } = parts
  const until = Date.now() + within
  for (;;) {
    const session = await Session.connect(server)
    try {
      return { session, answer: await session.ask({ type: 'reset', data }) }
    } catch (error) {
      await session.close()
      if (!(error instanceof RefusedByServer)) throw error
      const { code, message, max_sessions: most } = error.error
      if (code !== 'CAPACITY_REACHED') {
        const what = `does not begin an episode (${code}, "${quotable(message)}")`
        throw failure(server, 'refused', what, 'look at its log, and at the `reset` of the task')
      }
      if (most !== undefined && most < sessions) {
        throw failure(server, 'rate', `lets ${most} in at once, and not ${sessions}`, `set sessions to ${most}`)
      }
      if (Date.now() > until) {
        const advice = 'end other clients, or set sessions to fewer'
        throw failure(server, 'rate', `has no session free within ${within / 1000} s`, advice)
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN))
    }
  }
}
