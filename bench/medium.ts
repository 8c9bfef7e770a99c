import { modelConfigSchema } from '../src/engines/index.ts'

/** 6.8 million parameters: the size that is measured beside PyTorch. */
export const medium = modelConfigSchema.parse({
  model_type: 'llama',
  vocab_size: 8000,
  hidden_size: 256,
  intermediate_size: 688,
  num_hidden_layers: 6,
  num_attention_heads: 4,
  num_key_value_heads: 4,
  max_position_embeddings: 512,
})
