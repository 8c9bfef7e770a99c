/** `POST /v1/completions`: text as it stands, without a chat template; with `echo` and `logprobs` it scores given text. */
import { z } from 'zod'
import { MOST_ALTERNATIVES } from '../engines/index.ts'
import { answerRequests } from './answers.ts'
import { ApiError } from './errors.ts'
import { commonFields, commonSettings, completionOnlyFields, parseBody } from './fields.ts'
import type { ScoredToken } from './generation.ts'
import { LIMITS } from './limits.ts'
import type { ServedModel } from './model.ts'
import { finite, type Prepared, responseHead } from './response.ts'

/** OpenAI's own, and what clients count on. */
const DEFAULT_TOKENS = 16

const tokenIds = z.array(z.int().min(0)).min(1)

const completionSchema = z.strictObject({
  ...commonFields,
  ...completionOnlyFields,
  prompt: z.union(
    [
      z.string(),
      tokenIds,
      z.array(z.string()).min(1).max(LIMITS.answers),
      z.array(tokenIds).min(1).max(LIMITS.answers),
    ],
    { error: `must be a text or a list of token ids, or a list of up to ${LIMITS.answers} of them` },
  ),
  max_tokens: z.int().min(0).nullish(),
  echo: z.boolean().nullish(),
  logprobs: z.int().min(0).max(MOST_ALTERNATIVES).nullish(),
})

type Prompt = z.output<typeof completionSchema>['prompt']

function isTokens(prompt: Prompt): prompt is number[] {
  return Array.isArray(prompt) && typeof prompt[0] === 'number'
}

function promptsOf(prompt: Prompt, model: ServedModel): number[][] {
  if (isTokens(prompt)) return [prompt]
  return [prompt].flat().map((one) => (typeof one === 'string' ? model.encode(one, 'prompt') : (one as number[])))
}

function add(entries: Map<string, number>, text: string, logprob: number): void {
  if (!entries.has(text)) entries.set(text, finite(logprob))
}

/**
 * The columns of OpenAI's older format. The token itself is always among its alternatives, so that it can be seen
 * whether it is the most probable; of two tokens with one text the more probable one stands.
 */
function completionLogprobs(model: ServedModel, tokens: readonly ScoredToken[]) {
  const text = (token: number) => model.format.tokenizer.decode([token])
  return {
    tokens: tokens.map(({ token }) => text(token)),
    token_logprobs: tokens.map(({ logprob }) => (logprob === null ? null : finite(logprob))),
    top_logprobs: tokens.map(({ token, logprob, alternatives }) => {
      if (logprob === null) return null
      const entries = new Map<string, number>()
      for (const [i, other] of alternatives.tokens.entries()) add(entries, text(other), alternatives.logprobs[i])
      add(entries, text(token), logprob)
      return Object.fromEntries(entries)
    }),
    text_offset: tokens.map(({ offset }) => offset),
  }
}

/** Checks a body. @throws ApiError */
export function prepareCompletion(body: unknown, model: ServedModel): Prepared {
  const fields = parseBody(completionSchema, body)
  const name = model.nameOf(fields.model)
  const settings = commonSettings(fields)
  const echo = fields.echo ?? false
  const maxTokens = fields.max_tokens ?? DEFAULT_TOKENS
  if (maxTokens === 0 && !echo) {
    throw new ApiError(400, 'max_tokens 0 goes with echo: true', { param: 'max_tokens' })
  }
  const prompts = promptsOf(fields.prompt, model)
  const alternatives = fields.logprobs ?? null
  const logprobs = (tokens: readonly ScoredToken[]) =>
    alternatives === null ? null : completionLogprobs(model, tokens)
  return {
    answers: answerRequests(
      prompts.map((prompt) => ({ prompt, maxTokens: model.roomFor(prompt, maxTokens, 'prompt') })),
      settings,
      { echo, alternatives },
    ),
    promptTokens: prompts.reduce((sum, prompt) => sum + prompt.length, 0),
    stream: settings.stream,
    includeUsage: settings.includeUsage,
    head: responseHead('cmpl', name),
    objects: { chunk: 'text_completion', whole: 'text_completion' },
    chunk: ({ index, text, tokens, finish }) => ({ index, text, logprobs: logprobs(tokens), finish_reason: finish }),
    choice: ({ index, text, tokens, finish }) => ({ index, text, logprobs: logprobs(tokens), finish_reason: finish }),
  }
}
