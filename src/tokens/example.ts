import { type TokenSequence, UserError } from '../core/index.ts'
import { Conversation } from './conversation.ts'
import type { ChatFormat } from './format.ts'
import type { Message } from './template.ts'

/** A labelled example for SFT: the last message is the reply to learn, everything before it is context (mask 0). */
export function renderExample(format: ChatFormat, messages: readonly Message[]): TokenSequence {
  const reply = messages.at(-1)
  if (reply?.role !== 'assistant') throw new UserError('a labelled example must end with an assistant message')
  const conversation = new Conversation(format)
  conversation.prompt(messages.slice(0, -1))
  acceptLabel(conversation, format, reply.content)
  return conversation.sequence
}

/**
 * A whole conversation for SFT, every assistant message a reply to learn. Usually one sequence; several where the template
 * rewrites earlier turns, just as in a rollout.
 */
export function renderConversation(format: ChatFormat, messages: readonly Message[]): TokenSequence[] {
  const conversation = new Conversation(format)
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue
    conversation.prompt(messages.slice(0, index))
    acceptLabel(conversation, format, message.content)
  }
  const sequences = conversation.sequences()
  if (sequences.length === 0) throw new UserError('a labelled conversation needs at least one assistant message')
  return sequences
}

/**
 * Throws unless some tokens are trained on and some are not: an all-zero mask teaches nothing, an all-one mask trains on
 * the prompt, and both are signs of a template that was not understood. `where` names the example.
 */
export function checkMask(mask: readonly number[], where: string): void {
  const ones = mask.reduce((sum, value) => sum + (value === 0 ? 0 : 1), 0)
  if (ones > 0 && ones < mask.length) return
  const what =
    mask.length === 0 ? 'is empty' : ones === 0 ? 'trains on no token' : 'trains on every token, the prompt included'
  throw new UserError(`${where}: the loss mask ${what}; look at the rendered example and its chat template`)
}

function acceptLabel(conversation: Conversation, format: ChatFormat, content: string): void {
  const tokens = format.replyTokens(content)
  conversation.accept(tokens, new Array<number>(tokens.length).fill(0))
}
