/** What both kinds of requests hold, and how a body is checked. */
import { randomInt } from 'node:crypto'
import { z } from 'zod'
import { fieldName, plainFault, plainIssue } from '../core/index.ts'
import { ApiError } from './errors.ts'
import { LIMITS } from './limits.ts'

/** A field that would change the answer in a way this server cannot: only the value that changes nothing is taken. */
function only(neutral: z.ZodType) {
  const accepted = (value: unknown) => value === null || value === undefined || neutral.safeParse(value).success
  return z.unknown().refine(accepted, { error: 'is not supported here: leave it out' }).optional()
}

/** A field that changes nothing about the answer. */
const ignored = z.unknown().optional()

const none = only(z.never())

/** Below this, probabilities overflow; 0 says the same. */
const LOWEST_TEMPERATURE = 1e-6

const temperature = z
  .number()
  .min(0)
  .max(2)
  .refine((value) => value === 0 || value >= LOWEST_TEMPERATURE, {
    error: `is below ${LOWEST_TEMPERATURE}: 0 takes the most probable token`,
  })

const stopString = z.string().min(1)

export const commonFields = {
  model: z.string().nullish(),
  temperature: temperature.nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  n: z.int().min(1).max(LIMITS.answers).nullish(),
  seed: z.int().nullish(),
  stop: z
    .union([stopString, z.array(stopString).max(LIMITS.stops)], {
      error: `must be a text, or a list of up to ${LIMITS.stops} texts, none of them empty`,
    })
    .nullish(),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({ include_usage: z.boolean().optional(), include_obfuscation: z.literal(false).optional() })
    .nullish(),
  frequency_penalty: only(z.literal(0)),
  presence_penalty: only(z.literal(0)),
  logit_bias: only(z.strictObject({})),
  user: ignored,
  metadata: ignored,
  store: ignored,
  service_tier: ignored,
  safety_identifier: ignored,
  prompt_cache_key: ignored,
  prompt_cache_retention: ignored,
} as const

/** Fields of chats that ask for more than text. */
export const chatOnlyFields = {
  tools: only(z.tuple([])),
  tool_choice: only(z.literal('none')),
  parallel_tool_calls: ignored,
  functions: only(z.tuple([])),
  function_call: only(z.literal('none')),
  response_format: only(z.strictObject({ type: z.literal('text') })),
  modalities: only(z.tuple([z.literal('text')])),
  audio: none,
  prediction: none,
  reasoning_effort: only(z.literal('none')),
  verbosity: none,
  web_search_options: none,
} as const

export const completionOnlyFields = {
  best_of: only(z.literal(1)),
  suffix: only(z.literal('')),
} as const

export interface CommonSettings {
  temperature: number
  topP: number
  n: number
  seed: number
  stop: string[]
  stream: boolean
  includeUsage: boolean
}

type CommonFields = z.output<z.ZodObject<typeof commonFields>>

/** Defaults as everybody has them. Without a seed every request is answered anew. */
export function commonSettings(fields: CommonFields): CommonSettings {
  if (fields.stream_options && !fields.stream) {
    throw new ApiError(400, 'stream_options goes with stream: true', { param: 'stream_options' })
  }
  const stop = fields.stop ?? []
  return {
    temperature: fields.temperature ?? 1,
    topP: fields.top_p ?? 1,
    n: fields.n ?? 1,
    seed: fields.seed ?? randomInt(2 ** 32),
    stop: typeof stop === 'string' ? [stop] : stop,
    stream: fields.stream ?? false,
    includeUsage: fields.stream_options?.include_usage ?? false,
  }
}

/** A checked body. @throws ApiError that names the first field that is wrong. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const checked = schema.safeParse(body)
  if (checked.success) return checked.data
  const [issue] = checked.error.issues
  throw new ApiError(400, plainIssue(issue, 'the body'), { param: fieldName(plainFault(issue).path) || undefined })
}
