import type { ToolCall } from '../../../core/index.ts'
import { parseJson } from '../python/json.ts'
import { isDict, type PyDict } from '../python/value.ts'
import type { Party } from '../tasks.ts'
import type { UserSession } from '../users/user.ts'
import { heardBy, type Spoken } from './message.ts'
import type { Protocol } from './protocol.ts'

/** What answers calls: the state of one task. */
export interface CallRunner {
  call(requestor: Party, name: string, args: PyDict): { content: string; error: boolean }
  /** Brings both sides' views of the world together, where a domain has two. */
  sync(): void
}

/** One conversation: everything but the agent, which is outside and speaks through `act`. */
export class Conversation {
  readonly protocol: Protocol
  private readonly environment: CallRunner
  private readonly user: UserSession | null

  /** @param user null where the agent works alone. */
  constructor(protocol: Protocol, environment: CallRunner, user: UserSession | null) {
    this.protocol = protocol
    this.environment = environment
    this.user = user
  }

  /**
   * Goes on until the agent has to act or it is over.
   * @throws BlankTurn where the user says nothing, and whatever the user's model throws.
   */
  async proceed(): Promise<void> {
    const { protocol, environment } = this
    while (protocol.next === 'user' || protocol.next === 'environment') {
      if (protocol.next === 'user') {
        if (!this.user) throw new Error('a conversation without a user waits for one')
        protocol.say(await this.user.speak(heardBy('user', protocol.messages)))
      } else {
        const requestor = protocol.messages[protocol.messages.length - 1].role as Party
        protocol.answer(
          protocol.pending.map((call) => ({ id: call.id, name: call.name, ...this.answerTo(requestor, call) })),
        )
      }
      environment.sync()
    }
  }

  /** The agent speaks, and the others until it is its turn again. @throws as `proceed`; BlankTurn too where it says nothing. */
  async act(spoken: Spoken): Promise<void> {
    this.protocol.say(spoken)
    this.environment.sync()
    await this.proceed()
  }

  private answerTo(requestor: Party, call: ToolCall): { content: string; error: boolean } {
    const args = readArguments(call.arguments)
    return typeof args === 'string' ? { content: args, error: true } : this.environment.call(requestor, call.name, args)
  }
}

/**
 * Arguments as a model wrote them; where they cannot be read, what the environment answers instead of running the call [ours:
 * upstream gives the whole conversation up]. No text at all stands for no arguments.
 */
export function readArguments(text: string): PyDict | string {
  // A player may be anybody's code.
  if (typeof text !== 'string') return 'Error: the arguments are not JSON text'
  if (text.trim() === '') return new Map()
  try {
    const value = parseJson(text)
    return isDict(value) ? value : 'Error: the arguments are not a JSON object'
  } catch (error) {
    return `Error: the arguments are not valid JSON: ${(error as Error).message}`
  }
}
