import { plainIssue, UserError } from '../../core/index.ts'
import type { GgufReader, GgufValue, TensorInfo, TensorSource } from '../../store/index.ts'
import { type ModelConfig, modelConfigSchema, type RopeScaling, ropeScalingSchema } from './config.ts'
import { refuseArchitecture, refuseExperts } from './config-file.ts'
import { llama3Divisor } from './rope.ts'

/** A decoder in a GGUF file as llama.cpp's converter writes it: its shape, and its weights by their Hugging Face names. */

/** llama.cpp's names of what is not in a layer. */
const NAMES: Record<string, string> = {
  'token_embd.weight': 'model.embed_tokens.weight',
  'output_norm.weight': 'model.norm.weight',
  'output.weight': 'lm_head.weight',
}

/** Names within a layer, `blk.N.…` to `model.layers.N.…`. */
const LAYER_NAMES: Record<string, string> = {
  'attn_norm.weight': 'input_layernorm.weight',
  'attn_q.weight': 'self_attn.q_proj.weight',
  'attn_k.weight': 'self_attn.k_proj.weight',
  'attn_v.weight': 'self_attn.v_proj.weight',
  'attn_q.bias': 'self_attn.q_proj.bias',
  'attn_k.bias': 'self_attn.k_proj.bias',
  'attn_v.bias': 'self_attn.v_proj.bias',
  'attn_q_norm.weight': 'self_attn.q_norm.weight',
  'attn_k_norm.weight': 'self_attn.k_norm.weight',
  'attn_output.weight': 'self_attn.o_proj.weight',
  'ffn_norm.weight': 'post_attention_layernorm.weight',
  'ffn_gate.weight': 'mlp.gate_proj.weight',
  'ffn_up.weight': 'mlp.up_proj.weight',
  'ffn_down.weight': 'mlp.down_proj.weight',
}

const LAYER = /^blk\.(\d+)\.(.+)$/

/** What llama3 models divide their rotary frequencies by, already worked out [head_dim / 2]. */
const ROPE_DIVISORS = 'rope_freqs.weight'

/** Metadata about positions and attention that are read here, or that no computation hangs on. */
const SETTINGS = new Set([
  ...['head_count', 'head_count_kv', 'key_length', 'value_length'].map((key) => `attention.${key}`),
  ...['layer_norm_rms_epsilon', 'sliding_window'].map((key) => `attention.${key}`),
  ...['freq_base', 'dimension_count'].map((key) => `rope.${key}`),
  ...['type', 'factor', 'original_context_length', 'finetuned', 'attn_factor'].map((key) => `rope.scaling.${key}`),
  ...['yarn_beta_fast', 'yarn_beta_slow', 'yarn_log_multiplier'].map((key) => `rope.scaling.${key}`),
])

/** Silently ignored, others would give nonsense. */
function refuseSettings({ path, metadata }: GgufReader, architecture: string): void {
  for (const [key, value] of metadata) {
    const name = key.startsWith(`${architecture}.`) ? key.slice(architecture.length + 1) : ''
    if (!/^(rope|attention)\./.test(name) || SETTINGS.has(name)) continue
    throw new UserError(`${path}: ${key} (${JSON.stringify(value).slice(0, 40)}) is not known here`)
  }
}

/** The shape of the model. @throws UserError if the file lacks something or holds a model that is not computed here. */
export function ggufConfig(file: GgufReader): ModelConfig {
  const { path, metadata, tensors } = file
  const architecture = String(metadata.get('general.architecture') ?? 'none')
  const entry = (key: string): GgufValue | undefined => metadata.get(`${architecture}.${key}`)
  refuseExperts(architecture, Number(entry('expert_count') ?? 0) > 1, path)
  refuseArchitecture(architecture, path)
  if (Number(metadata.get('split.count') ?? 1) > 1) {
    throw new UserError(
      `${path} is one of several parts: join them first (llama-gguf-split --merge) and give the whole`,
    )
  }
  const embedding = tensors.get('token_embd.weight')
  if (!embedding) throw new UserError(`${path} has no token_embd.weight: it holds no language model`)
  const foreign = [...tensors.keys()].find((name) => !isKnown(name))
  if (foreign) throw new UserError(`${path} has a tensor ${foreign}, which no ${architecture} model here has a use for`)
  refuseSettings(file, architecture)
  refuseWindow(entry('attention.sliding_window'), entry('context_length'), path)

  const config = modelConfigSchema.safeParse({
    model_type: architecture,
    vocab_size: embedding.shape[0],
    hidden_size: entry('embedding_length'),
    intermediate_size: entry('feed_forward_length'),
    num_hidden_layers: entry('block_count'),
    num_attention_heads: entry('attention.head_count'),
    num_key_value_heads: entry('attention.head_count_kv') ?? entry('attention.head_count'),
    head_dim: entry('attention.key_length'),
    max_position_embeddings: entry('context_length'),
    rms_norm_eps: entry('attention.layer_norm_rms_epsilon'),
    rope_theta: entry('rope.freq_base'),
    tie_word_embeddings: !tensors.has('output.weight'),
    bos_token_id: metadata.get('tokenizer.ggml.bos_token_id'),
    eos_token_id: metadata.get('tokenizer.ggml.eos_token_id'),
  })
  if (!config.success) {
    const [issue] = config.error.issues
    throw new UserError(`${path}: its metadata give no ${architecture} model: ${plainIssue(issue)}`)
  }
  const turned = entry('rope.dimension_count') ?? config.data.head_dim
  if (turned !== config.data.head_dim) {
    throw new UserError(
      `${path}: only ${turned} of ${config.data.head_dim} dimensions of a head are turned, which is not computed here`,
    )
  }
  const rope_scaling = ggufRopeScaling(file, config.data, entry)
  return rope_scaling ? { ...config.data, rope_scaling } : config.data
}

function refuseWindow(window: GgufValue | undefined, context: GgufValue | undefined, path: string): void {
  if (!window || Number(window) >= Number(context)) return
  throw new UserError(
    `${path}: its attention has a sliding window of ${window} tokens, which is not computed here: take a model with full attention`,
  )
}

function ggufRopeScaling(
  file: GgufReader,
  config: ModelConfig,
  entry: (key: string) => GgufValue | undefined,
): RopeScaling | undefined {
  if (file.tensors.has(ROPE_DIVISORS)) return llama3Of(file, config)
  const type = entry('rope.scaling.type') ?? 'none'
  const factor = Number(entry('rope.scaling.factor') ?? 1)
  if (type === 'none' || factor === 1) return undefined
  if (!(factor > 0))
    throw new UserError(`${file.path}: rope.scaling.factor ${factor} is no factor; the file is damaged`)
  if (type === 'linear') return { rope_type: 'linear', factor }
  if (type !== 'yarn') {
    throw new UserError(`${file.path}: rotary embeddings of type ${type} are not computed here; linear and yarn are`)
  }
  const original_max_position_embeddings = Number(
    entry('rope.scaling.original_context_length') ?? config.max_position_embeddings / factor,
  )
  // llama.cpp multiplies it with what YaRN says, transformers puts it in its place.
  for (const key of ['rope.scaling.attn_factor', 'rope.scaling.yarn_log_multiplier']) {
    const value = entry(key) ?? 1
    if (value !== 1) throw new UserError(`${file.path}: ${key} ${value} is not computed here`)
  }
  const scaling = ropeScalingSchema.safeParse({
    rope_type: 'yarn',
    factor,
    original_max_position_embeddings,
    beta_fast: entry('rope.scaling.yarn_beta_fast'),
    beta_slow: entry('rope.scaling.yarn_beta_slow'),
  })
  if (scaling.success) return scaling.data
  const [issue] = scaling.error.issues
  throw new UserError(`${file.path}: rotary embeddings of type yarn: ${plainIssue(issue)}`)
}

/** What all llama3 models have in common; only the factor differs, and the file holds only what came out. */
const LLAMA3 = { low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 8192 }

function llama3Of(file: GgufReader, { head_dim, rope_theta }: ModelConfig): RopeScaling | undefined {
  const divisors = file.read(ROPE_DIVISORS)
  const factor = divisors.reduce((a, b) => Math.max(a, b), 1)
  if (factor === 1) return undefined
  const scaling = { rope_type: 'llama3' as const, factor, ...LLAMA3 }
  const half = head_dim / 2
  const fits = (divisor: number, i: number) =>
    Math.abs(llama3Divisor(rope_theta ** (-i / half), scaling) / divisor - 1) < 1e-3
  if (divisors.length === half && divisors.every(fits)) return scaling
  throw new UserError(
    `${file.path}: its ${ROPE_DIVISORS} are not those of a llama3 model, and no other scaling is known by them`,
  )
}

function isKnown(name: string): boolean {
  return name === ROPE_DIVISORS || huggingFaceName(name) !== null
}

/** Hugging Face's name of a tensor; null where it has none. */
export function huggingFaceName(name: string): string | null {
  const layer = LAYER.exec(name)
  const table = layer ? LAYER_NAMES : NAMES
  const known = layer ? layer[2] : name
  if (!Object.hasOwn(table, known)) return null
  return layer ? `model.layers.${layer[1]}.${table[known]}` : table[known]
}

/** The weights of a GGUF file under the names, and in the order of rows, that a Hugging Face folder has. */
export class GgufWeights implements TensorSource {
  readonly path: string
  readonly tensors: ReadonlyMap<string, TensorInfo>
  private readonly file: GgufReader
  private readonly config: ModelConfig
  private readonly names = new Map<string, string>()

  constructor(file: GgufReader, config: ModelConfig) {
    this.file = file
    this.path = file.path
    this.config = config
    const tensors = new Map<string, TensorInfo>()
    for (const [name, info] of file.tensors) {
      const known = huggingFaceName(name)
      if (known === null) continue
      tensors.set(known, info)
      this.names.set(known, name)
    }
    this.tensors = tensors
  }

  read(name: string): Float32Array {
    const stored = this.names.get(name)
    if (!stored) throw new Error(`${this.path} has no tensor ${name}`)
    const data = this.file.read(stored)
    const { model_type, num_attention_heads, num_key_value_heads } = this.config
    if (model_type !== 'llama') return data
    if (name.endsWith('q_proj.weight')) return halvesApart(data, num_attention_heads, this.config)
    return name.endsWith('k_proj.weight') ? halvesApart(data, num_key_value_heads, this.config) : data
  }

  close(): void {
    this.file.close()
  }
}

/**
 * Rows of a query or key projection [heads · head_dim, hidden_size] from llama.cpp's order to Hugging Face's: there, the two
 * rows that are turned together lie side by side; here, one in each half of its head. Only llama models are stored so.
 */
function halvesApart(data: Float32Array, heads: number, { head_dim, hidden_size: width }: ModelConfig): Float32Array {
  const out = new Float32Array(data.length)
  for (let row = 0; row < heads * head_dim; row++) {
    const within = row % head_dim
    const from = row - within + ((2 * within) % head_dim) + (2 * within >= head_dim ? 1 : 0)
    out.set(data.subarray(from * width, (from + 1) * width), row * width)
  }
  return out
}
