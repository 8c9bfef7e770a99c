import {
  type Action,
  actionText,
  type Observation,
  type PastTurn,
  type ToolCall,
  type ToolResult,
  type Turn,
  UserError,
} from '../../core/index.ts'
import type { ChatMessage, LoggedMessage } from './messages.ts'
import { isToolError } from './tool-error.ts'

/** A chat log as an attempt at a task: what it starts from, and each thing the assistant did with what followed. */
export interface Recording {
  /** The system messages. */
  instruction: string
  /** What the user said before the assistant's first message; empty where the assistant begins. */
  initial: Observation
  turns: Turn[]
}

type Logged<Role> = Extract<LoggedMessage, { role: Role }>

/** What the assistant did, and all up to its next message. */
interface Step {
  assistant: Logged<'assistant'>[]
  results: { at: number; message: Logged<'tool' | 'function'> }[]
  user: string[]
  /** Place of its last message. */
  end: number
}

/**
 * Each assistant message is an action (several in a row are one); what follows until the next is its observation. A user
 * who speaks right after tool results adds a turn without an action. An action that nothing follows is left out.
 * @throws UserError for an order that no conversation can have, with the place of the message.
 */
export function conversationOf(messages: readonly LoggedMessage[]): Recording {
  const { system, opening, steps } = stepsOf(messages)
  const turns: Turn[] = []
  for (const [index, step] of steps.entries()) {
    const action = actionOf(step, index)
    const calls = action.kind === 'tools' ? action.calls : []
    const results = resultsOf(step, calls)
    const missing = results.indexOf(null)
    if (missing >= 0) {
      if (index === steps.length - 1 && step.user.length === 0) break
      throw misplaced(step.end, `the call to ${calls[missing].name} has no result up to here`)
    }
    const found = results.filter((result) => result !== null)
    if (found.length > 0) {
      turns.push(turnOf(action, { from: 'tool', results: found }, !found.some((result) => result.error)))
    }
    if (step.user.length > 0) {
      turns.push(turnOf(found.length > 0 ? null : action, { from: 'user', text: step.user.join('\n') }, true))
    }
  }
  return { instruction: system.join('\n\n'), initial: { from: 'user', text: opening.join('\n') }, turns }
}

const misplaced = (at: number, why: string) => new UserError(`messages[${at}]: ${why}`)

function stepsOf(messages: readonly LoggedMessage[]): { system: string[]; opening: string[]; steps: Step[] } {
  const system: string[] = []
  const opening: string[] = []
  const steps: Step[] = []
  for (const [at, message] of messages.entries()) {
    const last = steps.at(-1)
    if (message.role === 'system' || message.role === 'developer') {
      if (last || opening.length > 0) {
        throw misplaced(at, 'a system message may only stand before the conversation')
      }
      system.push(message.content)
    } else if (message.role === 'assistant') {
      if (last && last.results.length + last.user.length === 0) last.assistant.push(message)
      else steps.push({ assistant: [message], results: [], user: [], end: at })
    } else if (message.role === 'user') {
      ;(last?.user ?? opening).push(message.content)
    } else {
      if (!last) throw misplaced(at, 'a tool result before any call')
      if (last.user.length > 0) {
        throw misplaced(at, 'a tool result after a user message: it must follow its call')
      }
      last.results.push({ at, message })
    }
    if (steps.length > 0) steps[steps.length - 1].end = at
  }
  if (steps.length === 0) throw new UserError('no message is the assistant’s: there is no action to learn of')
  return { system, opening, steps }
}

function actionOf({ assistant, end }: Step, index: number): Action {
  const text = assistant
    .map(({ content }) => content)
    .filter((content) => content !== '')
    .join('\n')
  const calls = assistant
    .flatMap(({ tool_calls, function_call }) => [
      ...(tool_calls ?? []),
      ...(function_call ? [{ id: null, function: function_call }] : []),
    ])
    .map(({ id, function: called }, at): ToolCall => ({ id: id ?? `call-${index}-${at}`, ...called }))
  if (calls.length > 0) return { kind: 'tools', calls, ...(text === '' ? {} : { text }) }
  if (text === '') throw misplaced(end, 'up to here the assistant neither says nor calls anything')
  return { kind: 'text', text }
}

/** The result of each call, null where there is none. */
function resultsOf({ results }: Step, calls: readonly ToolCall[]) {
  const found = calls.map((): ToolResult | null => null)
  for (const { at, message } of results) {
    const { content, tool_call_id: id, name, error, is_error } = message
    // Without an id: the first call of that name, or the first of all, that has no result yet.
    const place = calls.findIndex(
      (call, index) => found[index] === null && (id ? call.id === id : !name || call.name === name),
    )
    if (place < 0) {
      const which = id ? ` with the id "${id}"` : name ? ` to ${name}` : ''
      throw misplaced(at, `a tool result without a call${which} right before it`)
    }
    const failed = error === true || is_error === true || isToolError(content)
    found[place] = { id: calls[place].id, name: calls[place].name, content, ...(failed ? { error: true } : {}) }
  }
  return found
}

function turnOf(action: Action | null, observation: Observation, valid: boolean): Turn {
  return { reply: action ? actionText(action) : '', action, observation, valid, tokens: [], logprobs: [] }
}

/** The same as messages of OpenAI's chat format: what `conversationOf` reads. */
export function messagesOf(
  conversation: Omit<Recording, 'turns'> & { turns: readonly Pick<PastTurn, 'action' | 'observation'>[] },
): ChatMessage[] {
  const messages: ChatMessage[] = []
  const { instruction, initial, turns } = conversation
  if (instruction !== '') messages.push({ role: 'system', content: instruction })
  if (initial.from === 'tool' || initial.text !== '') messages.push(...observed(initial))
  for (const { action, observation } of turns) {
    if (action?.kind === 'text') messages.push({ role: 'assistant', content: action.text })
    if (action?.kind === 'tools') {
      const calls = action.calls.map(({ id, ...called }) => ({ id, type: 'function' as const, function: called }))
      messages.push({ role: 'assistant', content: action.text ?? '', tool_calls: calls })
    }
    messages.push(...observed(observation))
  }
  return messages
}

function observed(observation: Observation): ChatMessage[] {
  if (observation.from !== 'tool') return [{ role: 'user', content: observation.text }]
  return observation.results.map(({ id, content, error }) => ({
    role: 'tool',
    tool_call_id: id,
    content,
    ...(error ? { error } : {}),
  }))
}
