import { z } from 'zod'
import type { ChatUsage } from './chat.ts'

const price = z.number().min(0)

/** Dollars for a million tokens. */
export const pricesSchema = z.strictObject({
  input: price,
  /** For input that the service still has in its cache; as other input where this is missing. */
  cachedInput: price.optional(),
  output: price,
})

export type Prices = z.output<typeof pricesSchema>

/** In dollars. */
export function costOf(usage: ChatUsage, { input, cachedInput = input, output }: Prices): number {
  const fresh = usage.inputTokens - usage.cachedInputTokens
  return (fresh * input + usage.cachedInputTokens * cachedInput + usage.outputTokens * output) / 1e6
}

/** Enough digits for a thousandth of a cent, and cents where it is dollars. */
export function costText(cost: number): string {
  return `$${cost.toFixed(cost >= 1 ? 2 : 5)}`
}

export interface ExpectedConversation {
  /** Tokens before the first answer: instructions, tools, first message. */
  start: number
  /** Tokens that each turn adds: the answer and what follows it. */
  turn: number
  /** Tokens of one answer. */
  answer: number
  /** How often the model is asked. */
  turns: number
}

/** What a whole conversation takes: everything said before is sent again with each turn. */
export function conversationUsage({ start, turn, answer, turns }: ExpectedConversation): ChatUsage {
  return {
    inputTokens: turns * start + (turn * turns * (turns - 1)) / 2,
    cachedInputTokens: 0,
    outputTokens: turns * answer,
  }
}

/** A rule of thumb for English and JSON. */
const BYTES_PER_TOKEN = 4

/** Tokens of a text, where nobody counted them. */
export function estimatedTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN)
}
