import { z } from 'zod'
import { plainIssue, UserError } from '../../core/index.ts'
import { readJson } from '../../store/index.ts'
import { hasAttentionBias, type ModelConfig, modelConfigSchema, ropeScalingSchema } from './config.ts'

/**
 * `config.json` of Hugging Face's transformers, old and new layout, to the shape of a decoder and back. Whatever in it would
 * change the computation and is not known here is refused: silently ignored, it would give nonsense.
 */

/** What each architecture assumes where its `config.json` does not say. */
const DEFAULTS = {
  llama: {},
  qwen2: {},
  qwen3: { head_dim: 128 },
} satisfies Record<ModelConfig['model_type'], Partial<ModelConfig>>

const ARCHITECTURES = { llama: 'LlamaForCausalLM', qwen2: 'Qwen2ForCausalLM', qwen3: 'Qwen3ForCausalLM' }

const SUPPORTED = 'Llama, SmolLM2, Qwen2.5 and Qwen3 models can be read'

const ropeSchema = z.looseObject({
  rope_type: z.string().nullish(),
  /** As older files call it. */
  type: z.string().nullish(),
  rope_theta: z.number().nullish(),
  factor: z.number().nullish(),
  original_max_position_embeddings: z.number().nullish(),
  partial_rotary_factor: z.number().nullish(),
})

/** The entries that are looked at here; those of the shape are checked by `modelConfigSchema`. */
const fileSchema = z.looseObject({
  model_type: z.string(),
  architectures: z.array(z.string()).nullish(),
  hidden_act: z.string().nullish(),
  attention_bias: z.boolean().nullish(),
  mlp_bias: z.boolean().nullish(),
  partial_rotary_factor: z.number().nullish(),
  quantization_config: z.looseObject({ quant_method: z.string().optional() }).nullish(),
  num_experts: z.number().nullish(),
  num_local_experts: z.number().nullish(),
  sliding_window: z.number().nullish(),
  use_sliding_window: z.boolean().nullish(),
  max_window_layers: z.number().nullish(),
  layer_types: z.array(z.string()).nullish(),
  num_hidden_layers: z.number().optional(),
  num_attention_heads: z.number().optional(),
  max_position_embeddings: z.number().optional(),
  rope_theta: z.number().nullish(),
  /** Older layout. */
  rope_scaling: ropeSchema.nullish(),
  /** Newer layout: with the base frequency inside. */
  rope_parameters: ropeSchema.nullish(),
})

type ConfigFile = z.infer<typeof fileSchema>

/** The shape in a `config.json`. @throws UserError if it is missing, malformed, or of a model that is not computed here. */
export function readConfigFile(path: string): ModelConfig {
  return parseConfig(readJson(path, z.unknown()), path)
}

/** The same from its content; `path` names it in messages. */
export function parseConfig(content: unknown, path: string): ModelConfig {
  const checked = fileSchema.safeParse(content)
  if (!checked.success) {
    const [issue] = checked.error.issues
    throw new UserError(`${path}: ${plainIssue(issue, 'the file')}`)
  }
  const file = checked.data
  refuseOthers(file, path)
  const { type, rope_scaling, rope_theta } = ropeOf(file, path)
  const scaling = type === 'default' ? undefined : ropeScalingSchema.safeParse(rope_scaling)
  if (scaling?.success === false) {
    const [issue] = scaling.error.issues
    throw new UserError(`${path}: rotary embeddings of type ${type}: ${plainIssue(issue)}`)
  }
  // For a token, null says that there is none; elsewhere it says nothing.
  const stated = Object.fromEntries(
    Object.entries(file).filter(([key, value]) => value !== null || key.endsWith('_token_id')),
  )
  const config = modelConfigSchema.safeParse({
    num_key_value_heads: file.num_attention_heads,
    rms_norm_eps: 1e-6,
    tie_word_embeddings: false,
    ...DEFAULTS[file.model_type as ModelConfig['model_type']],
    ...stated,
    rope_theta,
    rope_scaling: scaling?.data,
  })
  if (config.success) return config.data
  const [issue] = config.error.issues
  throw new UserError(`${path}: ${plainIssue(issue, 'the file')}`)
}

function refuseOthers(file: ConfigFile, path: string): void {
  refuseExperts(file.model_type, (file.num_experts ?? 0) > 1 || (file.num_local_experts ?? 0) > 1, path)
  refuseArchitecture(file.model_type, path)
  const method = file.quantization_config && (file.quantization_config.quant_method ?? 'an unknown method')
  if (method) {
    throw new UserError(`${path}: its weights are quantised (${method}): take the original model, or a GGUF file of it`)
  }
  const activation = file.hidden_act ?? 'silu'
  if (activation !== 'silu' && activation !== 'swish') {
    throw new UserError(`${path}: its activation is ${activation}; silu is computed here`)
  }
  // In these two architectures it would put a bias on the output projection, too.
  if (file.attention_bias && file.model_type !== 'qwen2') {
    throw new UserError(`${path}: attention_bias in a ${file.model_type} model is not computed here; ${SUPPORTED}`)
  }
  if (file.mlp_bias) throw new UserError(`${path}: mlp_bias is not computed here; ${SUPPORTED}`)
  const turned = file.rope_parameters?.partial_rotary_factor ?? file.partial_rotary_factor ?? 1
  if (turned !== 1) throw new UserError(`${path}: partial_rotary_factor ${turned} is not computed here; ${SUPPORTED}`)
  refuseWindow(file, path)
}

/** @throws UserError for mixtures of experts, with where to go. */
export function refuseExperts(architecture: string, experts: boolean, path: string): void {
  if (!experts && !/moe|mixtral|deepseek|gpt.?oss/i.test(architecture)) return
  throw new UserError(
    `${path}: ${architecture} is a mixture of experts, and the local engine computes dense models only: such models train on a distributed engine that speaks the Tinker API`,
  )
}

/** @throws UserError for an architecture that is not one of ours. */
export function refuseArchitecture(architecture: string, path: string): void {
  if (Object.hasOwn(ARCHITECTURES, architecture)) return
  throw new UserError(`${path}: the architecture ${architecture} is not known here; ${SUPPORTED}`)
}

/** A window as wide as the context hides nothing, and Qwen2 names one that it does not use. */
function refuseWindow(file: ConfigFile, path: string): void {
  const narrow = (file.sliding_window ?? Number.POSITIVE_INFINITY) < (file.max_position_embeddings ?? 0)
  const layers = file.layer_types
    ? file.layer_types.includes('sliding_attention')
    : file.model_type !== 'llama' &&
      file.use_sliding_window === true &&
      (file.max_window_layers ?? 0) < (file.num_hidden_layers ?? 0)
  if (!narrow || !layers) return
  throw new UserError(
    `${path}: its attention has a sliding window of ${file.sliding_window} tokens, which is not computed here: take a model with full attention`,
  )
}

/** Base frequency and scaling, wherever the file has them. */
function ropeOf(
  file: ConfigFile,
  path: string,
): { type: string; rope_theta: number | undefined; rope_scaling: Record<string, unknown> } {
  const given = file.rope_parameters ?? file.rope_scaling ?? {}
  const type = given.rope_type ?? given.type ?? (given.factor ? 'unknown' : 'default')
  if (!['default', 'linear', 'llama3', 'yarn'].includes(type)) {
    throw new UserError(
      `${path}: rotary embeddings of type ${type} are not computed here; default, linear, llama3 and yarn are`,
    )
  }
  const context = given.original_max_position_embeddings ?? file.max_position_embeddings
  const factor =
    given.factor ?? (type === 'yarn' && context ? (file.max_position_embeddings ?? 0) / context : undefined)
  const stated = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
  return {
    type,
    rope_theta: given.rope_theta ?? file.rope_theta ?? undefined,
    rope_scaling: { ...stated, rope_type: type, factor, original_max_position_embeddings: context },
  }
}

/** A shape as the `config.json` that transformers reads, in its older layout, which old and new versions understand. */
export function configFile(config: ModelConfig, dtype: 'float32' | 'float16' | 'bfloat16'): Record<string, unknown> {
  return {
    architectures: [ARCHITECTURES[config.model_type]],
    hidden_act: 'silu',
    ...(config.model_type === 'llama' ? { attention_bias: hasAttentionBias(config), mlp_bias: false } : {}),
    torch_dtype: dtype,
    ...config,
  }
}
