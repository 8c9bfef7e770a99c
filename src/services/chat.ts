import type { Tool, ToolCall } from '../core/index.ts'

/** One message of a conversation with a chat model. */
export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: readonly ToolCall[] }
  | { role: 'tool'; toolCallId: string; content: string }

export interface ChatOptions {
  tools?: readonly Tool[]
  temperature?: number
  /** Most tokens of the answer, thoughts included. */
  maxTokens?: number
  /** Give each sample of one conversation its own: the same request is answered from the cache, whatever its temperature. */
  seed?: number
  stop?: readonly string[]
}

/** Tokens of one request, or of many. */
export interface ChatUsage {
  inputTokens: number
  /** Those of the input that the service had in its own cache. */
  cachedInputTokens: number
  outputTokens: number
}

export interface ChatAnswer {
  /** Empty where the model only calls tools. */
  text: string
  /** Thoughts, where the service keeps them apart from the text. */
  reasoning: string
  /** Names and arguments exactly as the model wrote them: the arguments may be no JSON at all. */
  toolCalls: ToolCall[]
  /** In the service's words: `stop`, `length`, `tool_calls`, `content_filter` and others. */
  finishReason: string
  usage: ChatUsage
  /** The service told no token counts; these were estimated from the length. */
  usageEstimated: boolean
  /** In dollars; 0 where no prices are known. */
  cost: number
  /** Nothing was sent for this answer: the same request had been answered before. */
  cached: boolean
}

/** A model that goes on with a conversation: an agent, a simulated user, an expert, a judge. */
export interface ChatModel {
  /** As it is called in reports. */
  readonly name: string
  /** @throws UserError when no answer can be had */
  complete(messages: readonly ChatMessage[], options?: ChatOptions): Promise<ChatAnswer>
}
