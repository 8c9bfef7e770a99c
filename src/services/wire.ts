import { z } from 'zod'
import type { Tool } from '../core/index.ts'
import type { ChatMessage, ChatOptions } from './chat.ts'
import type { ServiceConfig } from './config.ts'

/** The protocol: requests as they are sent, and schemas of what comes back. Fields that we do not read may be anything. */

const text = z.string().nullish()
const count = z.int().min(0).nullish()

const callPartSchema = z.object({
  index: z.int().min(0).nullish(),
  id: text,
  function: z.object({ name: text, arguments: text }).nullish(),
})

const messagePartSchema = z.object({
  content: text,
  /** Older and newer name for the same. */
  reasoning_content: text,
  reasoning: text,
  tool_calls: z.array(callPartSchema).nullish(),
})

/** A chunk of a stream (`delta`) or a whole answer (`message`). */
export const piecesSchema = z.object({
  choices: z.array(
    z.object({ delta: messagePartSchema.nullish(), message: messagePartSchema.nullish(), finish_reason: text }),
  ),
  usage: z
    .object({
      prompt_tokens: count,
      completion_tokens: count,
      prompt_tokens_details: z.object({ cached_tokens: count }).nullish(),
    })
    .nullish(),
})

export type Pieces = z.output<typeof piecesSchema>
export type MessagePart = z.output<typeof messagePartSchema>
export type CallPart = z.output<typeof callPartSchema>

/** What services put into an error, in the forms that are about. */
export const errorSchema = z.object({
  message: z.string().optional().catch(undefined),
  code: z.union([z.string(), z.number()]).nullish().catch(undefined),
})

/** The body of a request. */
export function requestBody(
  { model, extra, maxTokensField }: ServiceConfig,
  messages: readonly ChatMessage[],
  { tools = [], temperature, maxTokens, seed, stop = [] }: ChatOptions,
): Record<string, unknown> {
  const body: Record<string, unknown> = {
    model,
    messages: messages.map(wireMessage),
    ...(tools.length > 0 && { tools: tools.map(wireTool) }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { [maxTokensField]: maxTokens }),
    ...(seed !== undefined && { seed }),
    ...(stop.length > 0 && { stop }),
    stream: true,
    stream_options: { include_usage: true },
    ...extra,
  }
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
}

function wireMessage(message: ChatMessage): object {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.toolCallId, content: message.content }
  if (message.role !== 'assistant' || !message.toolCalls?.length)
    return { role: message.role, content: message.content }
  return {
    role: 'assistant',
    // Some templates write an empty text out.
    content: message.content === '' ? null : message.content,
    tool_calls: message.toolCalls.map(({ id, name, arguments: written }) => ({
      id,
      type: 'function',
      function: { name, arguments: written },
    })),
  }
}

function wireTool({ name, description, parameters = { type: 'object', properties: {} } }: Tool): object {
  return { type: 'function', function: { name, ...(description !== undefined && { description }), parameters } }
}
