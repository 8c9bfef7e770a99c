import type { Action, EpisodeFacts, HiddenCall, Observation, ToolResult } from '../../core/index.ts'
import { isConversationFailure } from '../../services/index.ts'
import type { Episode, StepResult } from '../environment.ts'
import { UnreadableVerdict } from './evaluator/model-judge.ts'
import { conductOf } from './protocol/conduct.ts'
import { type CallRunner, Conversation, readArguments } from './protocol/conversation.ts'
import {
  answeredCalls,
  isBlank,
  type Message,
  type Spoken,
  type SpokenMessage,
  type ToolMessage,
} from './protocol/message.ts'
import { BlankTurn, DONE_TOOL, isStop, Protocol, type ProtocolOptions } from './protocol/protocol.ts'
import { PatientUser } from './users/patient.ts'
import { simulatorErrors } from './users/simulator-errors.ts'
import type { UserSession } from './users/user.ts'

/** What one conversation is made of. */
export interface EpisodeParts {
  runner: CallRunner
  /** Null: the agent works alone, on `ticket`. */
  user: { name: string; session: UserSession } | null
  ticket: string
  protocol: ProtocolOptions
  /** What the agent can call, and whether that changes anything. */
  tools: ReadonlyMap<string, { mutates: boolean }>
  /** Turns of the agent. */
  maxTurns: number
  /** Of a conversation that ended as it should: the reward, and what it is made of. */
  evaluate(messages: readonly Message[]): Promise<Judgement>
}

interface Judgement {
  reward: number
  facts: EpisodeFacts
}

/** What the agent comes to see of a step. */
type Seen = Pick<StepResult, 'observation' | 'valid' | 'hidden'>

/**
 * One attempt at a τ²-bench task. A step is one turn of the agent [ours]: all that the user and the environment do until the
 * agent has to act again belongs to it. The agent sees its own results and the user's words, and nothing else.
 */
export class Tau2Episode implements Episode {
  readonly initial: Observation
  readonly hidden: HiddenCall[]
  private readonly parts: EpisodeParts
  private readonly conversation: Conversation
  private readonly user: PatientUser | null
  private turns = 0
  private failed: string | undefined

  private constructor(parts: EpisodeParts, conversation: Conversation, user: PatientUser | null) {
    this.parts = parts
    this.conversation = conversation
    this.user = user
    const { messages } = conversation.protocol
    this.initial = parts.user === null ? { from: 'environment', text: parts.ticket } : openingOf(messages)
    this.hidden = hiddenCalls(messages)
  }

  /** The user has spoken when it opens, or has failed to: then the first step ends it. @throws ServiceError where the user's model cannot be had at all. */
  static async open(parts: EpisodeParts): Promise<Tau2Episode> {
    const protocol = new Protocol(parts.protocol)
    const user = parts.user && new PatientUser(parts.user.session)
    const conversation = new Conversation(protocol, parts.runner, user)
    let failed: string | undefined
    try {
      await conversation.proceed()
    } catch (error) {
      if (!isOwnFailure(error, false)) throw error
      protocol.fail()
      failed = error.message
    }
    const episode = new Tau2Episode(parts, conversation, user)
    episode.failed = failed
    return episode
  }

  /** The whole record so far, both parties' tool calls included. */
  get messages(): readonly Message[] {
    return this.conversation.protocol.messages
  }

  async step(action: Action): Promise<StepResult> {
    this.turns++
    const { protocol } = this.conversation
    if (protocol.next === null) return this.ended({ observation: told('The conversation is over.'), valid: false })
    const spoken = spokenOf(action)
    if (isBlank(spoken)) {
      protocol.refuse()
      return this.ended({
        observation: told('Error: neither a message nor a tool call that can be read'),
        valid: false,
      })
    }
    // The agent's own message, which is not news to it, comes first.
    const before = protocol.messages.length + 1
    try {
      await this.conversation.act(spoken)
    } catch (error) {
      this.fail(error)
    }
    return this.ended(this.outcome(spoken, protocol.messages.slice(before)))
  }

  /** What the agent comes to see of what happened. */
  private outcome(spoken: Spoken, added: readonly Message[]): Seen {
    const { tools, user } = this.parts
    const { protocol } = this.conversation
    const results = added.filter((one): one is ToolMessage => one.role === 'tool' && one.requestor === 'assistant')
    if (results.length > 0) {
      const isKnown = spoken.calls.every(
        (call) => tools.has(call.name) && typeof readArguments(call.arguments) !== 'string',
      )
      return { observation: { from: 'tool', results: results.map(resultOf) }, valid: isKnown }
    }
    const reply = added.findLast((one): one is SpokenMessage => one.role === 'user' && one.calls.length === 0)
    const hidden = hiddenCalls(added)
    if (reply) return { observation: { from: 'user', text: reply.content ?? '' }, valid: true, hidden }
    // Nobody answered: the agent ended it, or a limit did.
    const isDone = user === null && spoken.calls.some(({ name }) => name === DONE_TOOL)
    return { observation: told(`The conversation is over: ${protocol.termination}.`), valid: isDone, hidden }
  }

  private async ended(seen: Seen): Promise<StepResult> {
    const { protocol } = this.conversation
    const result: StepResult = { ...seen, done: false, truncated: false }
    if (result.hidden?.length === 0) delete result.hidden
    if (protocol.termination === null && this.turns < this.parts.maxTurns) return result
    let judged: Judgement = { reward: 0, facts: {} }
    if (isStop(protocol.termination)) {
      try {
        judged = await this.parts.evaluate(this.messages)
      } catch (error) {
        this.fail(error)
      }
    }
    const { termination } = protocol
    result.done = isStop(termination)
    result.truncated = !result.done
    result.facts = { ...this.facts(termination ?? 'max_turns'), ...judged.facts }
    if (this.failed === undefined) result.reward = judged.reward
    else result.failed = this.failed
    return result
  }

  /** What is this conversation's own failure ends it without a result; everything else goes on up. */
  private fail(error: unknown): void {
    if (!isOwnFailure(error, true)) throw error
    this.conversation.protocol.fail()
    this.failed = error.message
  }

  private facts(termination: string): EpisodeFacts {
    const { steps, errors } = this.conversation.protocol
    const { wrongRole, earlyStop } = simulatorErrors(this.messages)
    return {
      user: this.parts.user?.name ?? 'none',
      termination,
      turns: this.turns,
      steps,
      toolErrors: errors,
      userEmpty: this.user?.empty ?? 0,
      userWrongRole: wrongRole,
      userEarlyStop: earlyStop,
      ...conductOf(this.messages, this.parts.tools),
    }
  }
}

const told = (text: string): Observation => ({ from: 'environment', text })

function isOwnFailure(error: unknown, begun: boolean): error is Error {
  return error instanceof BlankTurn || error instanceof UnreadableVerdict || isConversationFailure(error, begun)
}

function spokenOf(action: Action): Spoken {
  return action.kind === 'text'
    ? { content: action.text, calls: [] }
    : { content: action.text ?? null, calls: action.calls }
}

function resultOf({ id, name, content, error }: ToolMessage): ToolResult {
  return { id, name, content, ...(error ? { error } : {}) }
}

/** The user's own calls with what they got. */
function hiddenCalls(messages: readonly Message[]): HiddenCall[] {
  return answeredCalls(messages).flatMap(({ party, call, result }) =>
    party === 'user' ? [{ ...call, content: result.content, ...(result.error && { error: true }) }] : [],
  )
}

/** What the agent knows when it first acts: what the user said, after the greeting or after a whole history. */
function openingOf(messages: readonly Message[]): Observation {
  const seen = messages.filter((one) =>
    one.role === 'tool' ? one.requestor === 'assistant' : one.role !== 'user' || one.calls.length === 0,
  )
  const last = seen[seen.length - 1]
  if (seen.length <= 2) return { from: 'user', text: last?.role === 'user' ? (last.content ?? '') : '' }
  return { from: 'user', text: seen.map(line).join('\n') }
}

function line(message: Message): string {
  if (message.role === 'tool') return `${message.name} returned: ${message.content}`
  const calls = message.calls.map((call) => `${call.name}(${call.arguments})`).join('; ')
  const who = message.role === 'user' ? 'User' : 'Assistant'
  return calls === '' ? `${who}: ${message.content}` : `${who} calls: ${calls}`
}
