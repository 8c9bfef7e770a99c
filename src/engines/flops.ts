import { type Lora, loraSpecs, type ModelConfig, parameterCount } from './local/index.ts'

/** Floating-point operations of a model; a multiplication and an addition are two. */
export interface ModelFlops {
  /** Tokens that go forward, and the positions that they attend to, summed. */
  forward(tokens: number, attended: number): number
  /** The same forward and backward. */
  training(tokens: number, attended: number): number
}

/**
 * Of a dense decoder: forward 2·N a token, N being the weights that a token is multiplied with (the look-up in the embedding is
 * none, the head is), and 4·L·h for every position that it attends to (scores and their weighted sum; L layers, h = heads × width
 * of a head). Backward takes twice as much, for the gradients of inputs and of weights: 6·N in all (Kaplan et al. 2020,
 * arXiv 2001.08361, section 2.1; with attention: Chowdhery et al. 2022, arXiv 2204.02311, appendix B). Beside an adapter of A
 * weights the others stand still and have no gradient of their own: 4·N + 6·A. What is computed twice to save memory is added
 * by whoever sees it: one pass forward more.
 */
export function modelFlops(config: ModelConfig, lora?: Lora): ModelFlops {
  const { hidden_size, vocab_size, tie_word_embeddings, num_hidden_layers, num_attention_heads, head_dim } = config
  const weights = parameterCount(config) - (tie_word_embeddings ? 0 : hidden_size * vocab_size)
  const specs = lora ? loraSpecs(config, lora) : []
  const adapter = specs.reduce((sum, { shape: [rows, columns] }) => sum + rows * columns, 0)
  const attention = 4 * num_hidden_layers * num_attention_heads * head_dim
  return {
    forward: (tokens, attended) => 2 * weights * tokens + attention * attended,
    training: (tokens, attended) => ((lora ? 4 : 6) * weights + 6 * adapter) * tokens + 3 * attention * attended,
  }
}
