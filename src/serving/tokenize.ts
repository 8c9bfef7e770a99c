/** The model's tokenizer over HTTP, as vLLM offers it: evaluation harnesses that find it need no tokenizer of their own. */
import { z } from 'zod'
import { parseBody } from './fields.ts'
import type { ServedModel } from './model.ts'

const tokenizeSchema = z.strictObject({
  model: z.string().nullish(),
  prompt: z.string(),
  /** Nothing is ever added: a chat template writes its special tokens as text. */
  add_special_tokens: z.boolean().nullish(),
})

const detokenizeSchema = z.strictObject({ model: z.string().nullish(), tokens: z.array(z.int().min(0)) })

/** `POST /tokenize`. @throws ApiError */
export function tokenize(body: unknown, model: ServedModel) {
  const { model: name, prompt } = parseBody(tokenizeSchema, body)
  model.nameOf(name)
  const tokens = model.format.tokenizer.encode(prompt)
  return { tokens, count: tokens.length, max_model_len: model.contextLength }
}

/** `POST /detokenize`. @throws ApiError */
export function detokenize(body: unknown, model: ServedModel) {
  const { model: name, tokens } = parseBody(detokenizeSchema, body)
  model.nameOf(name)
  return { prompt: model.format.tokenizer.decode(tokens) }
}

/** `GET /tokenizer_info`. */
export function tokenizerInfo({ format: { tokenizer } }: ServedModel) {
  return { bos_token: tokenizer.bosToken, eos_token: tokenizer.eosToken }
}
