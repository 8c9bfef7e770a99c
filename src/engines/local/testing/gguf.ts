import { elements } from '../../../store/index.ts'
import { f32Tensor, type GgufEntry, type GgufTensor, ggufFile } from '../../../store/testing/gguf.ts'
import { type ModelConfig, parameterSpecs } from '../config.ts'
import { huggingFaceName } from '../gguf-model.ts'

const PARTS = ['attn_norm', 'attn_q', 'attn_k', 'attn_v', 'attn_q_norm', 'attn_k_norm', 'attn_output', 'ffn_norm']

/** Names that llama.cpp gives, by Hugging Face's. */
function storedNames({ num_hidden_layers }: ModelConfig): Map<string, string> {
  const layers = Array.from({ length: num_hidden_layers }, (_, layer) =>
    [...PARTS, 'ffn_gate', 'ffn_up', 'ffn_down'].flatMap((part) =>
      ['weight', 'bias'].map((kind) => `blk.${layer}.${part}.${kind}`),
    ),
  ).flat()
  const names = ['token_embd.weight', 'output_norm.weight', 'output.weight', ...layers]
  return new Map(names.map((name) => [huggingFaceName(name) ?? '', name]))
}

/** llama.cpp's order of rows: of each head, the first and the second half, one row of each in turn. */
function interleaved(data: Float32Array, heads: number, width: number): Float32Array {
  const half = data.length / width / heads / 2
  const out = new Float32Array(data.length)
  let to = 0
  for (let head = 0; head < heads; head++) {
    for (let pair = 0; pair < half; pair++) {
      for (const side of [0, 1]) {
        const row = 2 * half * head + side * half + pair
        out.set(data.subarray(row * width, (row + 1) * width), to)
        to += width
      }
    }
  }
  return out
}

/** The file of a model as llama.cpp's converter would write it in F32, with more or other metadata and tensors. */
export function ggufModel(
  config: ModelConfig,
  weights: Float32Array,
  changes: { metadata?: Record<string, GgufEntry>; tensors?: Record<string, GgufTensor> } = {},
): Buffer {
  const names = storedNames(config)
  const tensors: Record<string, GgufTensor> = {}
  let at = 0
  for (const { name, shape } of parameterSpecs(config)) {
    let data: Float32Array = weights.slice(at, at + elements(shape))
    at += data.length
    if (config.model_type === 'llama' && /[qk]_proj\.weight$/.test(name)) {
      const heads = name.includes('q_proj') ? config.num_attention_heads : config.num_key_value_heads
      data = interleaved(data, heads, config.hidden_size)
    }
    tensors[names.get(name) ?? name] = f32Tensor(shape, data)
  }
  const of = (entries: Record<string, GgufEntry>) =>
    Object.fromEntries(Object.entries(entries).map(([key, value]) => [`${config.model_type}.${key}`, value]))
  const metadata = {
    'general.architecture': config.model_type,
    ...of({
      block_count: config.num_hidden_layers,
      context_length: config.max_position_embeddings,
      embedding_length: config.hidden_size,
      feed_forward_length: config.intermediate_size,
      'attention.head_count': config.num_attention_heads,
      'attention.head_count_kv': config.num_key_value_heads,
      'attention.key_length': config.head_dim,
      'attention.layer_norm_rms_epsilon': config.rms_norm_eps,
      'rope.freq_base': config.rope_theta,
    }),
  }
  return ggufFile({ ...metadata, ...changes.metadata }, { ...tensors, ...changes.tensors })
}
