import { z } from 'zod'
import { logprobList, textList, tokenIds } from '../number-lists.ts'

/** What is read of a vLLM server's answers (seen: 0.32). Fields that we do not read may be anything. */

/** Log-probabilities by `token_id:N`, as `return_tokens_as_token_ids` has it; read where somebody asked for alternatives. */
export const byToken = z.record(z.string().regex(/^token_id:\d+$/), z.number())

const choiceSchema = z.object({
  index: z.int().min(0),
  finish_reason: z.enum(['stop', 'length']),
  token_ids: tokenIds.nullish(),
  logprobs: z
    .object({ token_logprobs: logprobList, top_logprobs: z.array(z.unknown()).nullish(), tokens: textList })
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
