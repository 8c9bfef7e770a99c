import type { Domain, DomainData, DomainState } from './domain.ts'
import { PyError, valueError } from './python/errors.ts'
import { parseJson } from './python/json.ts'
import { repr } from './python/number.ts'
import { equals, type PyDict, type PyValue, typeName } from './python/value.ts'
import type { Assertion, FunctionCall, InitialState, Party } from './tasks.ts'
import { bindArguments, resultText, type Toolkit } from './tool.ts'

/** What the environment answers to a call. */
export interface CallResult {
  content: string
  error: boolean
}

/** A call that was made, with what it got: what a replay needs. */
export interface RecordedCall {
  party: Party
  name: string
  arguments: PyDict
  content: string
}

/** Where upstream's own call takes a name, no tool can have it: what Python says then. */
function takenName(args: PyDict): PyError | undefined {
  const method = 'Environment.make_tool_call() got multiple values for'
  if (args.has('requestor')) {
    return new PyError('TypeError', `tau2.environment.environment.${method} keyword argument 'requestor'`)
  }
  for (const key of args.keys()) {
    if (key === 'self' || key === 'tool_name') return new PyError('TypeError', `${method} argument '${key}'`)
  }
  return undefined
}

/** One task's world: both sides' databases, and the calls that read and change them. */
export class Tau2World<State extends DomainState = DomainState> {
  readonly state: State

  /** @param solo the assistant has the user's tools too, and there is no user */
  constructor(
    readonly domain: Domain<State>,
    data: DomainData<State>,
    readonly solo = false,
  ) {
    this.state = data.open()
    this.sync()
  }

  /** Carries what one side's state means for the other. Upstream does so after every step. */
  sync(): void {
    this.domain.sync?.(this.state)
  }

  /** Runs a tool and answers as upstream's environment does; what a failed call changed before it failed stays. */
  call(party: Party, name: string, args: PyDict): CallResult {
    try {
      const result = this.run(party, name, args)
      this.sync()
      return { content: resultText(result), error: false }
    } catch (error) {
      if (!(error instanceof PyError)) throw error
      return { content: `Error: ${error.message}`, error: true }
    }
  }

  /**
   * Runs a tool without what follows a step.
   * @throws PyError whatever the tool raises, and ValueError for a tool that the party does not have
   */
  run(party: Party, name: string, args: PyDict): PyValue {
    const taken = takenName(args)
    if (taken) throw taken
    const toolkit = this.#toolkitFor(party, name)
    const one = toolkit.tools.get(name)
    if (!one) throw valueError(`Tool '${name}' not found.`)
    return one.call(this.state, ...bindArguments(toolkit.className, one, args))
  }

  #toolkitFor(party: Party, name: string): Toolkit<State> {
    const { tools, userTools } = this.domain
    if (party === 'assistant') return this.solo && userTools?.tools.has(name) ? userTools : tools
    if (this.solo) throw valueError('User tool calls are not allowed in solo mode')
    if (!userTools) throw valueError('User tools not available')
    return userTools
  }

  /**
   * Runs any method of a side by its name, as tasks' initial actions and assertions do.
   * @throws PyError whatever it raises, and AttributeError when there is none of this name
   */
  runMethod({ party, name, arguments: args }: FunctionCall): PyValue {
    const { tools, userTools } = this.domain
    const toolkit = party === 'user' ? userTools : tools
    const method = toolkit?.methods.get(name)
    if (!toolkit || !method) {
      throw new PyError('AttributeError', `'${toolkit?.className ?? 'NoneType'}' object has no attribute '${name}'`)
    }
    const result = method.call(this.state, ...bindArguments(toolkit.className, method, args))
    this.sync()
    return result
  }

  /**
   * Whether an assertion holds now.
   * @throws PyError when its method raises or returns no bool
   */
  holds(assertion: Assertion): boolean {
    const result = this.runMethod(assertion)
    if (typeof result === 'boolean') return result === assertion.expected
    throw valueError(`Function ${assertion.name} returned <class '${typeName(result)}'> instead of bool`)
  }

  /** Whether a call may change a database: not one of a tool that neither side has. */
  #mutates(name: string): boolean {
    const one = this.domain.tools.tools.get(name) ?? this.domain.userTools?.tools.get(name)
    return one?.mutates ?? false
  }

  /**
   * Brings the world to a task's beginning: data, then actions, then the history.
   * @throws PyError when data, an action or the history does not fit
   */
  begin({ data, actions, history }: InitialState): void {
    if (data.assistant) this.state.db = this.state.db.updated(data.assistant)
    if (data.user && this.state.userDb) this.state.userDb = this.state.userDb.updated(data.user)
    for (const action of actions) this.runMethod(action)
    this.replay(recordedCalls(history))
  }

  /**
   * Runs the calls of a conversation again that may have changed something; calls of unknown tools are left out.
   * @throws PyError ValueError when one answers otherwise than it did
   */
  replay(calls: Iterable<RecordedCall>): void {
    for (const { party, name, arguments: args, content } of calls) {
      if (!this.#mutates(name)) continue
      const result = this.call(party, name, args)
      if (equals(readResult(result.content), readResult(content))) continue
      throw valueError(`Tool call: ${name}(${repr(args)}) returned ${repr(result.content)}, expected ${repr(content)}`)
    }
    this.sync()
  }

  hash(): string {
    return this.state.db.hash()
  }

  userHash(): string | null {
    return this.state.userDb?.hash() ?? null
  }

  /** Whether both sides' databases hold the same as another world's of the same domain and data. */
  sameAs(other: Tau2World<State>): boolean {
    const { db, userDb } = this.state
    const theirs = other.state
    return db.sameAs(theirs.db) && (userDb === null || (theirs.userDb !== null && userDb.sameAs(theirs.userDb)))
  }
}

/** A result as replays compare it: JSON by value, other text as it is. */
function readResult(content: string): PyValue {
  try {
    return parseJson(content)
  } catch {
    return content
  }
}

/**
 * The calls of a task's history with their results.
 * @throws PyError ValueError when a call has no result, or a result no call
 */
function recordedCalls(history: InitialState['history']): RecordedCall[] {
  const calls: RecordedCall[] = []
  const pending = [...history]
  for (let message = pending.shift(); message !== undefined; message = pending.shift()) {
    if (message.role === 'tool') {
      throw valueError('Tool message not expected. Tool messages should always follow a tool call.')
    }
    for (const call of message.calls) {
      const result = pending.shift()
      if (!result) throw valueError('Tool message expected. Got None.')
      if (result.role !== 'tool') throw valueError(`Tool message expected. Got a message of the ${result.role}.`)
      if (result.id !== call.id) {
        throw valueError(`Tool call id mismatch. Got ${call.id} and ${result.id}`)
      }
      const { name, party, arguments: args } = call
      calls.push({ party, name, arguments: args, content: result.content ?? '' })
    }
  }
  return calls
}
