/** The protocol: what is sent, and schemas of what comes back. Fields that are not read may be anything. */
import { z } from 'zod'
import { logprobList, openLogprobList, tokenIds } from '../number-lists.ts'

export interface WireTensor {
  data: number[]
  dtype: 'int64' | 'float32'
  shape: number[]
}

export interface WireDatum {
  model_input: ModelInput
  loss_fn_inputs: Record<string, WireTensor>
}

export interface ModelInput {
  chunks: { type: 'encoded_text'; tokens: number[] }[]
}

export function modelInput(tokens: number[]): ModelInput {
  return { chunks: [{ type: 'encoded_text', tokens }] }
}

/** The losses that a server is asked for. */
export type LossName = 'cross_entropy' | 'importance_sampling' | 'ppo' | 'cispo'

/** A pass over some data. */
export interface WirePass {
  data: WireDatum[]
  loss_fn: LossName
  loss_fn_config?: Record<string, number>
}

/** It stands in messages, which are one line. */
const id = z.string().regex(/^[^\s]{1,500}$/, 'must be a name without spaces')

/** Flags of the server; one that knows none is asked for nothing unusual. */
export const clientConfigSchema = z.object({
  fwdbwd_max_chunk_len: z.int().min(1).catch(1024),
  fwdbwd_max_chunk_bytes_count: z.int().min(1).catch(5_000_000),
  sample_max_concurrent_requests: z.int().min(1).catch(2000),
  pjwt_auth_enabled: z.boolean().catch(false),
})
export type ServerFlags = z.output<typeof clientConfigSchema>

export const tokenSchema = z.object({ jwt: id })
export const sessionSchema = z.object({ session_id: id })
export const futureSchema = z.object({ request_id: z.union([id, z.int().transform(String)]) })
export const samplingSessionSchema = z.object({ sampling_session_id: id })
export const anythingSchema = z.unknown()

export const modelSchema = z.object({ model_id: id })
export const pathSchema = z.object({ path: id.regex(/^tinker:\/\//) })
/** Some servers tell where the checkpoint is, some the session that samples from it. */
export const samplerSavedSchema = z.object({ sampling_session_id: id })

/** JSON has no NaN: servers write null, or a text. */
const float = z.union([
  z.number(),
  z.enum(['NaN', 'Infinity', '-Infinity']).transform(Number),
  z.null().transform(() => Number.NaN),
])

const tensorSchema = z.object({ data: z.array(float) })

export const passSchema = z.object({
  loss_fn_outputs: z.array(z.object({ logprobs: tensorSchema })),
})
export type PassOutput = z.output<typeof passSchema>

export const optimSchema = z.object({ metrics: z.record(z.string(), float).nullish() })

export const samplesSchema = z.object({
  sequences: z.array(
    z.object({
      stop_reason: z.enum(['length', 'stop']),
      tokens: tokenIds,
      logprobs: logprobList,
    }),
  ),
  prompt_logprobs: openLogprobList.nullish(),
})
export type SamplesOutput = z.output<typeof samplesSchema>

/** What `retrieve_future` says instead of a result. */
export const pendingSchema = z.object({ type: z.literal('try_again'), queue_state: z.string().optional() })
export const metadataSchema = z.object({ status: z.literal('complete_metadata') })
export const failedSchema = z.object({ error: z.string(), category: z.string().optional() })

/** Errors of a server, in the forms that are about: the first field that is a text. */
export const errorTextSchema = z.union([
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z
    .object({ detail: z.array(z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string() })).min(1) })
    .transform(({ detail: [{ loc, msg }] }) => `${loc.join('.')}: ${msg}`),
])
