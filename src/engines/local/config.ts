import { z } from 'zod'

/** Stretches the rotary embeddings of a model beyond the context it was first trained on; see `rope.ts`. */
export const ropeScalingSchema = z.discriminatedUnion('rope_type', [
  z.object({ rope_type: z.literal('linear'), factor: z.number().positive() }),
  z.object({
    rope_type: z.literal('llama3'),
    factor: z.number().positive(),
    low_freq_factor: z.number().positive(),
    high_freq_factor: z.number().positive(),
    original_max_position_embeddings: z.number().positive(),
  }),
  z.object({
    rope_type: z.literal('yarn'),
    factor: z.number().positive(),
    original_max_position_embeddings: z.number().positive(),
    attention_factor: z.number().positive().optional(),
    beta_fast: z.number().positive().optional(),
    beta_slow: z.number().positive().optional(),
    mscale: z.number().optional(),
    mscale_all_dim: z.number().optional(),
    truncate: z.boolean().optional(),
  }),
])

export type RopeScaling = z.infer<typeof ropeScalingSchema>

/** Far more than any model has: a damaged file must not make us count to four billion. */
const MOST_LAYERS = 4096
const LONGEST_CONTEXT = 2 ** 26

/**
 * Shape of a dense decoder, in Hugging Face `config.json` names. Three architectures that differ in little: `llama` (SmolLM2
 * too), `qwen2` (biases on queries, keys and values) and `qwen3` (queries and keys normalised head by head).
 */
export const modelConfigSchema = z
  .object({
    model_type: z.enum(['llama', 'qwen2', 'qwen3']),
    vocab_size: z.int().min(2),
    hidden_size: z.int().min(2),
    intermediate_size: z.int().min(1),
    num_hidden_layers: z.int().min(1).max(MOST_LAYERS),
    num_attention_heads: z.int().min(1),
    num_key_value_heads: z.int().min(1),
    /** Width of one head. Default: hidden_size / num_attention_heads; Qwen3 has others. */
    head_dim: z.int().min(2).optional(),
    max_position_embeddings: z.int().min(2).max(LONGEST_CONTEXT),
    rms_norm_eps: z.number().positive().default(1e-5),
    rope_theta: z.number().positive().default(10000),
    /** Absent: plain rotary embeddings. */
    rope_scaling: ropeScalingSchema.optional(),
    tie_word_embeddings: z.boolean().default(true),
    /** Standard deviation of new weights; 0.02 suits wide models, 1/√width narrow ones. */
    initializer_range: z.number().positive().optional(),
    bos_token_id: z.int().nullish(),
    eos_token_id: z.union([z.int(), z.array(z.int())]).nullish(),
  })
  .transform(({ head_dim, ...config }) => ({
    ...config,
    head_dim: head_dim ?? config.hidden_size / config.num_attention_heads,
  }))
  .refine(({ head_dim }) => head_dim % 2 === 0, {
    message: 'heads do not divide the width evenly (rotary embeddings turn pairs: a head has an even whole width)',
    path: ['num_attention_heads'],
  })
  .refine((config) => config.num_attention_heads % config.num_key_value_heads === 0, {
    message: 'heads for queries are no multiple of those for keys',
    path: ['num_key_value_heads'],
  })

export type ModelConfig = z.infer<typeof modelConfigSchema>

/** Whether queries, keys and values have a bias (`self_attn.{q,k,v}_proj.bias`). */
export function hasAttentionBias({ model_type }: ModelConfig): boolean {
  return model_type === 'qwen2'
}

/** Whether each head's queries and keys are normalised before they are turned (`self_attn.{q,k}_norm.weight`). */
export function hasQueryKeyNorm({ model_type }: ModelConfig): boolean {
  return model_type === 'qwen3'
}

/** One weight: its Hugging Face name and shape. Linear weights are [out, in], as on disk. */
export interface ParameterSpec {
  name: string
  shape: number[]
}

/**
 * All parameters in a fixed order: the order of gradients, optimiser state and files. Weights, then biases, of queries, keys
 * and values are adjacent: each three are one matrix, or one vector, of all heads.
 */
export function parameterSpecs(config: ModelConfig): ParameterSpec[] {
  const { hidden_size: d, intermediate_size: ff, vocab_size: v, head_dim: head } = config
  const q = head * config.num_attention_heads
  const kv = head * config.num_key_value_heads
  const specs: ParameterSpec[] = [{ name: 'model.embed_tokens.weight', shape: [v, d] }]
  for (let i = 0; i < config.num_hidden_layers; i++) {
    const layer = `model.layers.${i}`
    const attention = `${layer}.self_attn`
    specs.push(
      { name: `${layer}.input_layernorm.weight`, shape: [d] },
      { name: `${attention}.q_proj.weight`, shape: [q, d] },
      { name: `${attention}.k_proj.weight`, shape: [kv, d] },
      { name: `${attention}.v_proj.weight`, shape: [kv, d] },
    )
    if (hasAttentionBias(config)) {
      specs.push(
        { name: `${attention}.q_proj.bias`, shape: [q] },
        { name: `${attention}.k_proj.bias`, shape: [kv] },
        { name: `${attention}.v_proj.bias`, shape: [kv] },
      )
    }
    if (hasQueryKeyNorm(config)) {
      specs.push(
        { name: `${attention}.q_norm.weight`, shape: [head] },
        { name: `${attention}.k_norm.weight`, shape: [head] },
      )
    }
    specs.push(
      { name: `${attention}.o_proj.weight`, shape: [d, q] },
      { name: `${layer}.post_attention_layernorm.weight`, shape: [d] },
      { name: `${layer}.mlp.gate_proj.weight`, shape: [ff, d] },
      { name: `${layer}.mlp.up_proj.weight`, shape: [ff, d] },
      { name: `${layer}.mlp.down_proj.weight`, shape: [d, ff] },
    )
  }
  specs.push({ name: 'model.norm.weight', shape: [d] })
  if (!config.tie_word_embeddings) specs.push({ name: 'lm_head.weight', shape: [v, d] })
  return specs
}

export function parameterCount(config: ModelConfig): number {
  return parameterSpecs(config).reduce((sum, spec) => sum + spec.shape.reduce((a, b) => a * b, 1), 0)
}
