import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { plainIssue, UserError } from '../../core/index.ts'
import { type FloatTensor, readSafetensors, writeFileAtomic, writeSafetensors } from '../../store/index.ts'
import { type ModelConfig, modelConfigSchema } from './config.ts'
import type { ParameterSet } from './parameters.ts'

/** Files of a model folder that travel with the weights unchanged. */
const COMPANIONS = ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja']

/** Settings that change the computation and that this engine does not know: silently ignored, they would give nonsense. */
const plainDecoderSchema = z.object({
  hidden_size: z.number(),
  num_attention_heads: z.number(),
  head_dim: z.number().nullish(),
  hidden_act: z.literal('silu').nullish(),
  attention_bias: z.literal(false).nullish(),
  mlp_bias: z.literal(false).nullish(),
  rope_scaling: z.null().optional(),
  /** Where newer exports keep what older ones call `rope_theta`. */
  rope_parameters: z
    .object({ rope_type: z.literal('default').optional(), rope_theta: z.number().optional() })
    .nullish(),
})

/** `config.json` of a model folder. @throws UserError if it is missing or not a Llama-style decoder's. */
export function readModelConfig(folder: string): ModelConfig {
  const path = join(folder, 'config.json')
  let raw: unknown
  try {
    raw = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new UserError(`${path} is missing or not JSON: give a model folder with config.json and model.safetensors`)
  }
  const config = modelConfigSchema.safeParse(raw)
  const rest = plainDecoderSchema.safeParse(raw)
  if (!config.success || !rest.success) {
    const [issue] = (config.error ?? rest.error)?.issues ?? []
    throw new UserError(
      `${path}: ${plainIssue(issue, 'the file')}; plain Llama models without scaled rotary embeddings or biases are supported`,
    )
  }
  const { hidden_size: width, num_attention_heads: heads, num_key_value_heads: keyHeads } = config.data
  if (width % (2 * heads) !== 0 || heads % keyHeads !== 0 || (rest.data.head_dim ?? width / heads) !== width / heads) {
    throw new UserError(`${path}: ${heads} heads (${keyHeads} for keys) do not divide a width of ${width} evenly`)
  }
  const theta = rest.data.rope_parameters?.rope_theta
  return theta === undefined ? config.data : { ...config.data, rope_theta: theta }
}

/** Tensors of a model folder by Hugging Face name, as float32. */
export function readModelWeights(folder: string): Map<string, FloatTensor> {
  return readSafetensors(join(folder, 'model.safetensors')).tensors
}

function named(parameters: ParameterSet): Map<string, { shape: readonly number[]; data: Float32Array }> {
  return new Map(parameters.specs.map(({ name, shape }) => [name, { shape, data: parameters.view(name) }]))
}

/** Write config, weights and the tokenizer files of `source` (if there is one) into an existing folder. */
export function writeModelFiles(folder: string, config: ModelConfig, weights: ParameterSet, source?: string): void {
  const text = { architectures: ['LlamaForCausalLM'], hidden_act: 'silu', torch_dtype: 'float32', ...config }
  writeFileAtomic(join(folder, 'config.json'), `${JSON.stringify(text, null, 2)}\n`)
  writeSafetensors(join(folder, 'model.safetensors'), named(weights), { metadata: { format: 'pt' } })
  for (const name of COMPANIONS) {
    if (source && existsSync(join(source, name))) writeFileAtomic(join(folder, name), readFileSync(join(source, name)))
  }
}
