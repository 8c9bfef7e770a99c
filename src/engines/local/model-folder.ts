import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../../core/index.ts'
import { type FloatTensor, readSafetensors, writeFileAtomic, writeSafetensors } from '../../store/index.ts'
import { type ModelConfig, modelConfigSchema } from './config.ts'
import type { ParameterSet } from './parameters.ts'

/** Files of a model folder that travel with the weights unchanged. */
const COMPANIONS = ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja']

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
  if (!config.success) {
    const [issue] = config.error.issues
    throw new UserError(`${path}: ${issue.path.join('.')}: ${issue.message}; only Llama-style models are supported`)
  }
  return config.data
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
    if (source && existsSync(join(source, name))) copyFileSync(join(source, name), join(folder, name))
  }
}
