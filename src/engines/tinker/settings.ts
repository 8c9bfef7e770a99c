import { z } from 'zod'
import { plainIssue, UserError } from '../../core/index.ts'
import { keyVariableSchema } from '../../services/index.ts'

/** What servers do differently and cannot be asked: it is declared, so that one config means the same gradient everywhere. */
export interface ServerTraits {
  /**
   * How token losses add up to what is differentiated: `sum`, over all tokens of all data; `mean`, of each datum
   * Σ weight × loss / Σ weight, then the mean over all data since the last step.
   */
  reduction: 'sum' | 'mean'
  /** Whether `grad_clip_norm` is heeded. */
  clips: boolean
  /** What adapters are scaled by, over their rank; the protocol has no word for it. */
  alpha: number
  /** Whether a request that comes twice under one sequence number is done once: only then can it be sent again blindly. */
  idempotent: boolean
  /**
   * Whether to sample from a checkpoint puts it in the place of the weights being trained: then only those of the moment are
   * sampled from, nothing is trained meanwhile, and a frozen copy is a model of its own.
   */
  samplesInPlace: boolean
  /** Whether a model that is unloaded leaves the gradient it has not used to the next one in its place. */
  keepsGradients: boolean
}

export const TINKER_SERVERS = {
  /** The hosted service, and what follows it closely. */
  tinker: { reduction: 'sum', clips: true, alpha: 32, idempotent: true, samplesInPlace: false, keepsGradients: false },
  /** SkyRL 0.3 and 0.4 with its JAX backend. */
  'skyrl-jax': {
    reduction: 'mean',
    clips: false,
    alpha: 32,
    idempotent: false,
    samplesInPlace: true,
    keepsGradients: true,
  },
} as const satisfies Record<string, ServerTraits>

const seconds = z.number().positive()

const settingsSchema = z.strictObject({
  /** Up to but without `/api/v1`; without, the environment's TINKER_BASE_URL. */
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address, such as http://127.0.0.1:8000' })
    .refine((text) => !/[?#]|\/\/[^/]*@/.test(text), {
      error: 'must hold no name, password or query: a key goes into an environment variable',
    })
    .transform((text) => text.replace(/(\/api\/v1)?\/*$/, ''))
    .optional(),
  /** The environment variable that holds the key; where it is not set, none is sent. */
  keyVariable: keyVariableSchema.default('TINKER_API_KEY'),
  server: z.enum(['tinker', 'skyrl-jax']),
  /** How passes are sent, all else being JSON. Without, the server is asked. */
  codec: z.enum(['json', 'protobuf']).optional(),
  /** The base model's name at the server. */
  model: z.string().min(1),
  /** A folder with the same model's config and tokenizer here: the protocol tells neither vocabulary nor context. */
  folder: z.string().min(1),
  lora: z.strictObject({
    rank: z.int().min(1),
    seed: z
      .int()
      .min(0)
      .max(2 ** 31 - 1)
      .default(0),
    attention: z.boolean().default(true),
    mlp: z.boolean().default(true),
    unembedding: z.boolean().default(false),
  }),
  /** Most prompts that are sampled from at once. */
  maxConcurrent: z.int().min(1).max(2000).default(64),
  /** Longest wait for one reply over HTTP. */
  requestSeconds: seconds.max(290).default(60),
  /** Longest wait for what a request asked for, its place in the server's queue included. */
  resultSeconds: seconds.default(3600),
  /** Longest time without a reply from the server before it is taken to be gone. */
  unreachableSeconds: seconds.default(300),
})

/** As users write it, without what has a default. */
export type TinkerSettings = z.input<typeof settingsSchema>
export type TinkerConfig = z.output<typeof settingsSchema> & { url: string }

/** @throws UserError (bad usage) */
export function parseTinkerSettings(settings: TinkerSettings): TinkerConfig {
  const url = settings.url ?? process.env.TINKER_BASE_URL
  const checked = settingsSchema.safeParse({ ...settings, url })
  if (!checked.success) {
    throw new UserError(`the settings of a Tinker server: ${plainIssue(checked.error.issues[0])}`, 2)
  }
  if (checked.data.url === undefined) {
    throw new UserError('no Tinker server is named: give url, or set TINKER_BASE_URL', 2)
  }
  return { ...checked.data, url: checked.data.url }
}

/** How long the small waits are, in seconds. Tests are in more of a hurry. */
export interface Pace {
  /** Before the first retry of a request; it doubles up to `longestBackoff`. */
  backoff: number
  longestBackoff: number
  /** The same while a result is waited for. */
  longestPollBackoff: number
  /** A result is asked for again after so long without a reply. */
  poll: number
  /** Between two looks at a result that is pending. */
  pending: number
  heartbeat: number
  /** After "too many samples at once", for a usual prompt and for a very long one. */
  crowded: number
  crowdedLong: number
  /** Between two looks while the account is empty. */
  unpaid: number
}

export const PACE: Pace = {
  backoff: 0.5,
  longestBackoff: 10,
  longestPollBackoff: 30,
  poll: 45,
  pending: 1,
  heartbeat: 10,
  crowded: 1,
  crowdedLong: 5,
  unpaid: 5,
}
