/** `POST /v1/chat/completions`. */
import { z } from 'zod'
import { MOST_ALTERNATIVES } from '../engines/index.ts'
import type { Message } from '../tokens/index.ts'
import { answerRequests } from './answers.ts'
import { ApiError } from './errors.ts'
import { chatOnlyFields, commonFields, commonSettings, parseBody } from './fields.ts'
import type { ScoredToken } from './generation.ts'
import type { ServedModel } from './model.ts'
import { finite, type Prepared, responseHead } from './response.ts'

const part = z.strictObject({ type: z.literal('text', { error: 'only text is supported' }), text: z.string() })

const messageSchema = z.strictObject({
  role: z.enum(['system', 'developer', 'user', 'assistant']),
  content: z.union([z.string(), z.array(part)], { error: 'must be a text, or a list of text parts' }),
  /** In answers of this server, which may be sent back as they came. */
  refusal: z.null().optional(),
})

const chatSchema = z.strictObject({
  ...commonFields,
  ...chatOnlyFields,
  messages: z.array(messageSchema).min(1),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(MOST_ALTERNATIVES).nullish(),
})

function toMessage({ role, content }: z.output<typeof messageSchema>): Message {
  return {
    role: role === 'developer' ? 'system' : role,
    content: typeof content === 'string' ? content : content.map(({ text }) => text).join(''),
  }
}

/** Bytes are unknown where a token is only a part of a character. */
function tokenEntry(model: ServedModel, token: number, logprob: number) {
  const text = model.format.tokenizer.decode([token])
  const bytes = text.includes('\uFFFD') ? null : [...Buffer.from(text)]
  return { token: text, logprob: finite(logprob), bytes }
}

function chatLogprobs(model: ServedModel, tokens: readonly ScoredToken[]) {
  const content = tokens.map(({ token, logprob, alternatives }) => ({
    ...tokenEntry(model, token, logprob ?? 0),
    top_logprobs: alternatives.tokens.map((other, i) => tokenEntry(model, other, alternatives.logprobs[i])),
  }))
  return { content, refusal: null }
}

/** Checks a body. @throws ApiError */
export function prepareChat(body: unknown, model: ServedModel): Prepared {
  const fields = parseBody(chatSchema, body)
  const name = model.nameOf(fields.model)
  const settings = commonSettings(fields)
  if (fields.top_logprobs && !fields.logprobs) {
    throw new ApiError(400, 'top_logprobs goes with logprobs: true', { param: 'top_logprobs' })
  }
  const prompt = model.chatPrompt(fields.messages.map(toMessage))
  const maxTokens = model.roomFor(prompt, fields.max_completion_tokens ?? fields.max_tokens ?? null, 'messages')
  const wanted = fields.logprobs === true
  const logprobs = (tokens: readonly ScoredToken[]) => (wanted ? chatLogprobs(model, tokens) : null)
  return {
    answers: answerRequests([{ prompt, maxTokens }], settings, {
      echo: false,
      alternatives: wanted ? (fields.top_logprobs ?? 0) : null,
    }),
    promptTokens: prompt.length,
    stream: settings.stream,
    includeUsage: settings.includeUsage,
    head: responseHead('chatcmpl', name),
    objects: { chunk: 'chat.completion.chunk', whole: 'chat.completion' },
    chunk: ({ index, text, tokens, finish }, first) => ({
      index,
      delta: { ...(first && { role: 'assistant' }), ...((first || text !== '') && { content: text }) },
      logprobs: logprobs(tokens),
      finish_reason: finish,
    }),
    choice: ({ index, text, tokens, finish }) => ({
      index,
      message: { role: 'assistant', content: text, refusal: null },
      logprobs: logprobs(tokens),
      finish_reason: finish,
    }),
  }
}
