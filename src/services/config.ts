import { z } from 'zod'
import { keepSecret, plainIssue, UserError } from '../core/index.ts'
import { pricesSchema } from './prices.ts'

/** Node's own fetch gives up after this long without a byte, whatever is asked of it. */
const LONGEST_SILENCE = 290

const url = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address, such as http://127.0.0.1:8000/v1' })
  .refine((text) => !/[?#]|\/\/[^/]*@/.test(text), {
    error: 'must hold no name, password or query: a key goes into an environment variable',
  })
  .transform((text) => text.replace(/\/+$/, ''))

/** In capitals, as such names are: many a key is made of letters and digits, and the message that it is not set would tell it. */
export const keyVariableSchema = z
  .string()
  .regex(
    /^[A-Z_][A-Z0-9_]{0,63}$/,
    'must be the name of an environment variable (capitals, digits, _), not the key itself',
  )

/** One service that speaks OpenAI's chat protocol: vLLM, llama.cpp, `rwml serve`, a hosted model. */
export const serviceSchema = z.strictObject({
  /** Up to but without `/chat/completions`; most end in `/v1`. */
  url,
  /** Its name at that service. */
  model: z.string().min(1),
  /** The environment variable that holds the key; none is sent where this is missing. */
  keyVariable: keyVariableSchema.optional(),
  /**
   * Further fields of every request, as the service knows them, e.g. `{ top_p: 0.8, chat_template_kwargs: { enable_thinking:
   * false } }`. Null takes a field out, e.g. `stream_options` or `seed` for services that refuse it.
   */
  extra: z.record(z.string(), z.json()).default({}),
  /** What the service calls `maxTokens`; OpenAI's newer models want the longer name. */
  maxTokensField: z.enum(['max_tokens', 'max_completion_tokens']).default('max_tokens'),
  /** Most requests under way at once. */
  maxConcurrent: z.int().min(1).default(16),
  requestsPerMinute: z.number().positive().optional(),
  /** How often a failed request is sent again, where that can help. */
  retries: z.int().min(0).max(20).default(6),
  /** Wait before the first retry; it doubles with each further one. */
  backoffSeconds: z.number().positive().default(1),
  /** Longest wait for the beginning of an answer: what queues at a busy server waits long. */
  firstByteSeconds: z.number().positive().max(LONGEST_SILENCE).default(120),
  /** Longest silence inside an answer. */
  gapSeconds: z.number().positive().max(LONGEST_SILENCE).default(60),
  /** Longest time for a whole answer. */
  answerSeconds: z.number().positive().default(1200),
  /** What it costs; without, spending is not known and cannot be limited. */
  prices: pricesSchema.optional(),
})

/** As users write it, without what has a default. */
export type ServiceSettings = z.input<typeof serviceSchema>
export type ServiceConfig = z.output<typeof serviceSchema>

/** @throws UserError (bad usage) */
export function parseService(settings: ServiceSettings): ServiceConfig {
  const checked = serviceSchema.safeParse(settings)
  if (checked.success) return checked.data
  throw new UserError(`the settings of a model service: ${plainIssue(checked.error.issues[0])}`, 2)
}

/** The key, from the environment; null where the service needs none. @throws UserError if the variable is not set */
export function serviceKey({ keyVariable, url }: ServiceConfig): string | null {
  if (keyVariable === undefined) return null
  const key = keyIn(keyVariable)
  if (key === null) throw new UserError(`${keyVariable} is not set: export the key for ${url} under that name`, 2)
  return key
}

/** The key in an environment variable, which no message tells from now on; null where it is not set. @throws UserError where it cannot be one */
export function keyIn(variable: string): string | null {
  const key = process.env[variable]?.trim()
  if (!key) return null
  if (/^[\x21-\x7e]+$/.test(key)) {
    keepSecret(key)
    return key
  }
  throw new UserError(`${variable} holds more than a key (spaces, line breaks or letters beyond ASCII): set it anew`, 2)
}
