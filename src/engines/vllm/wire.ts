import { z } from 'zod'

/** What is read of a vLLM server's answers (seen: 0.32). Fields that we do not read may be anything. */

const tokenIds = z.array(z.int().min(0))

/** Log-probabilities by `token_id:N`, as `return_tokens_as_token_ids` has it. */
const byToken = z.record(z.string().regex(/^token_id:\d+$/), z.number())

const choiceSchema = z.object({
  index: z.int().min(0),
  finish_reason: z.enum(['stop', 'length']),
  token_ids: tokenIds.nullish(),
  logprobs: z
    .object({ token_logprobs: z.array(z.number()), top_logprobs: z.array(byToken), tokens: z.array(z.string()) })
    .nullish(),
  /** By token id, one entry a token of the prompt; nothing predicts the first. */
  prompt_logprobs: z
    .array(z.record(z.string().regex(/^\d+$/), z.object({ logprob: z.number(), rank: z.int().nullish() })).nullable())
    .nullish(),
})

export const completionSchema = z.object({ choices: z.array(choiceSchema).min(1) })
export type Choice = z.output<typeof choiceSchema>

export const modelsSchema = z.object({
  data: z.array(z.object({ id: z.string(), max_model_len: z.int().min(1).nullish() })),
})

/** `token_id:5` → 5. */
export const tokenOf = (name: string): number => Number(name.slice(name.indexOf(':') + 1))
