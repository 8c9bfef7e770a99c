import type { Party } from '../tasks.ts'
import { isBlank, type Message, type Spoken, type ToolMessage } from './message.ts'

/** How a conversation may end. Only the two stops are evaluated; every other end scores 0, and the last counts for nothing. */
export type Termination =
  | 'agent_stop'
  | 'user_stop'
  | 'max_steps'
  | 'too_many_errors'
  | 'agent_error'
  | 'infrastructure_error'

/** Whether it ended as it should. */
export function isStop(termination: Termination | null): boolean {
  return termination === 'user_stop' || termination === 'agent_stop'
}

/** Words by which a user ends the conversation: satisfied, transferred, at a loss. */
export const STOP = '###STOP###'
export const TRANSFER = '###TRANSFER###'
export const OUT_OF_SCOPE = '###OUT-OF-SCOPE###'

/** What the agent opens every conversation with. */
export const GREETING = 'Hi! How can I help you today?'

/** The tool by which an agent that works alone says that it has finished. The environment does not have it. */
export const DONE_TOOL = 'done'

export interface Limits {
  /** Generations and executions, of both parties together. */
  maxSteps: number
  /** Failed tool calls, of both parties together. */
  maxErrors: number
}

/** As upstream's command line has them. */
export const DEFAULT_LIMITS: Limits = { maxSteps: 200, maxErrors: 10 }

export interface ProtocolOptions extends Partial<Limits> {
  /** No user: the agent only calls tools, and any other words of it are an error. */
  solo?: boolean
  /** What was said before, where a task begins in the middle. */
  history?: readonly Message[]
}

/** A party had nothing to say: the conversation cannot go on, and is no result. */
export class BlankTurn extends Error {
  constructor(party: Party) {
    super(`the ${party === 'user' ? 'user' : 'agent'} neither said nor called anything`)
    this.name = 'BlankTurn'
  }
}

/** Whether a message of the user ends the conversation. With tool calls it does not, whatever it says. */
export function isUserStop({ content, calls }: Spoken): boolean {
  return calls.length === 0 && [STOP, TRANSFER, OUT_OF_SCOPE].some((token) => content?.includes(token))
}

/**
 * Whose turn it is, and when it is over: τ²-bench's rules of conversation without anybody who talks, so that thousands fit one
 * process. Who holds it asks `next`, then calls `say` or `answer`.
 */
export class Protocol {
  readonly messages: Message[]
  /** Who has to act now; null when it is over. */
  next: Party | 'environment' | null
  termination: Termination | null = null
  steps = 0
  errors = 0
  private readonly solo: boolean
  private readonly limits: Limits
  /** Upstream does not count the message with which an agent alone begins. */
  private isOpening: boolean

  constructor({ solo = false, history = [], ...limits }: ProtocolOptions = {}) {
    this.solo = solo
    this.limits = {
      maxSteps: limits.maxSteps ?? DEFAULT_LIMITS.maxSteps,
      maxErrors: limits.maxErrors ?? DEFAULT_LIMITS.maxErrors,
    }
    this.isOpening = solo && history.length === 0
    this.messages = [...history]
    if (history.length > 0) {
      this.next = this.after(history[history.length - 1])
    } else if (solo) {
      this.next = 'assistant'
    } else {
      this.messages.push({ role: 'assistant', content: GREETING, calls: [] })
      this.next = 'user'
    }
  }

  /** The calls that wait for the environment. */
  get pending(): Spoken['calls'] {
    const last = this.messages[this.messages.length - 1]
    return this.next === 'environment' && last.role !== 'tool' ? last.calls : []
  }

  /** The party whose turn it is speaks. @throws BlankTurn for nothing said and nothing called; nothing changes then. */
  say(spoken: Spoken): void {
    const party = this.next
    if (party !== 'assistant' && party !== 'user')
      throw new Error(`it is the turn of ${party ?? 'nobody'}, not a party's`)
    if (isBlank(spoken)) throw new BlankTurn(party)
    const message = { role: party, ...(party === 'assistant' ? this.withoutDone(spoken) : spoken) }
    this.messages.push(message)
    this.next = this.after(message)
    if (this.isOpening) this.isOpening = false
    else this.count()
  }

  /** The environment answers every pending call, in order. */
  answer(results: readonly Omit<ToolMessage, 'role' | 'requestor'>[]): void {
    const last = this.messages[this.messages.length - 1]
    if (this.next !== 'environment' || last.role === 'tool') throw new Error('no call waits for an answer')
    const requestor = last.role
    for (const result of results) {
      if (result.error) this.errors++
      this.messages.push({ role: 'tool', requestor, ...result })
    }
    this.next = requestor
    this.count()
  }

  /**
   * The agent wrote what is no turn at all [ours, for training: upstream gives the conversation up]. It costs a step and an
   * error, nobody hears of it, and it is the agent's turn still.
   */
  refuse(): void {
    if (this.next !== 'assistant') throw new Error('it is not the turn of the agent')
    this.errors++
    this.count()
  }

  /** It cannot go on: what talks or computes has failed. */
  fail(): void {
    this.end('infrastructure_error')
  }

  /** Who acts after a message; ends the conversation where the message does. */
  private after(message: Message): Protocol['next'] {
    if (message.role === 'tool') return message.requestor
    if (message.calls.length > 0) return 'environment'
    if (message.role === 'user') {
      if (!isUserStop(message)) return 'assistant'
      this.termination = 'user_stop'
      return null
    }
    if (this.solo) {
      this.termination = message.content?.includes(STOP) ? 'agent_stop' : 'agent_error'
      return null
    }
    return 'user'
  }

  /**
   * Limits are looked at after each step, unless the environment is next. They take precedence over a stop in the same step,
   * and errors over steps.
   */
  private count(): void {
    this.steps++
    if (this.next === 'environment') return
    if (this.steps >= this.limits.maxSteps) this.end('max_steps')
    if (this.errors >= this.limits.maxErrors) this.end('too_many_errors')
  }

  private end(termination: Termination): void {
    this.termination = termination
    this.next = null
  }

  /** A call of `done` stands for the word that stops; other calls beside it are dropped, as upstream does. */
  private withoutDone(spoken: Spoken): Spoken {
    if (!this.solo || !spoken.calls.some((call) => call.name === DONE_TOOL)) return spoken
    return { content: STOP, calls: [] }
  }
}
