import { z } from 'zod'

/** Shape of a Llama-style decoder, in Hugging Face `config.json` names. */
export const modelConfigSchema = z.object({
  model_type: z.literal('llama'),
  vocab_size: z.int().min(2),
  hidden_size: z.int().min(2),
  intermediate_size: z.int().min(1),
  num_hidden_layers: z.int().min(1),
  num_attention_heads: z.int().min(1),
  num_key_value_heads: z.int().min(1),
  max_position_embeddings: z.int().min(2),
  rms_norm_eps: z.number().positive().default(1e-5),
  rope_theta: z.number().positive().default(10000),
  tie_word_embeddings: z.boolean().default(true),
  /** Standard deviation of new weights; 0.02 suits wide models, 1/√width narrow ones. */
  initializer_range: z.number().positive().optional(),
  bos_token_id: z.int().nullish(),
  eos_token_id: z.int().nullish(),
})

export type ModelConfig = z.infer<typeof modelConfigSchema>

/** One weight: its Hugging Face name and shape. Linear weights are [out, in], as on disk. */
export interface ParameterSpec {
  name: string
  shape: number[]
}

/** All parameters in a fixed order: the order of gradients, optimiser state and files. */
export function parameterSpecs(config: ModelConfig): ParameterSpec[] {
  const { hidden_size: d, intermediate_size: ff, vocab_size: v } = config
  const head = d / config.num_attention_heads
  const kv = head * config.num_key_value_heads
  const specs: ParameterSpec[] = [{ name: 'model.embed_tokens.weight', shape: [v, d] }]
  for (let i = 0; i < config.num_hidden_layers; i++) {
    const layer = `model.layers.${i}`
    specs.push(
      { name: `${layer}.input_layernorm.weight`, shape: [d] },
      { name: `${layer}.self_attn.q_proj.weight`, shape: [d, d] },
      { name: `${layer}.self_attn.k_proj.weight`, shape: [kv, d] },
      { name: `${layer}.self_attn.v_proj.weight`, shape: [kv, d] },
      { name: `${layer}.self_attn.o_proj.weight`, shape: [d, d] },
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
