import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../../core/index.ts'
import {
  type FloatType,
  type RowSource,
  SafetensorsReader,
  ShardedReader,
  shardsOf,
  type WritableTensor,
  writeFileAtomic,
  writeSafetensors,
} from '../../store/index.ts'
import {
  ADAPTER_CONFIG,
  ADAPTER_WEIGHTS,
  baseOf,
  isAdapterFolder,
  MergedWeights,
  openAdapter,
} from './adapter-folder.ts'
import type { ModelConfig } from './config.ts'
import { configFile, readConfigFile } from './config-file.ts'

/** Files of a model folder that travel with the weights unchanged. */
const COMPANIONS = [
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'chat_template.jinja',
  'generation_config.json',
]

/** Folder of a model's config: an adapter from elsewhere has none of its own. */
function describedBy(folder: string): string {
  return existsSync(join(folder, 'config.json')) || !isAdapterFolder(folder) ? folder : describedBy(baseOf(folder))
}

/** `config.json` of a model folder. @throws UserError if it is missing or of a model that is not computed here. */
export function readModelConfig(folder: string): ModelConfig {
  return readConfigFile(join(describedBy(folder), 'config.json'))
}

const WEIGHTS_FILE = 'model.safetensors'
const INDEX_FILE = 'model.safetensors.index.json'

/** Files that hold a model folder's weights, an index or an adapter first. @throws UserError where there are none. */
export function weightFiles(folder: string): string[] {
  if (isAdapterFolder(folder)) {
    return [join(folder, ADAPTER_WEIGHTS), join(folder, ADAPTER_CONFIG), ...weightFiles(baseOf(folder))]
  }
  const single = join(folder, WEIGHTS_FILE)
  if (existsSync(single)) return [single]
  const index = join(folder, INDEX_FILE)
  if (existsSync(index)) return [index, ...shardsOf(index)]
  const pickled = existsSync(join(folder, 'pytorch_model.bin'))
  throw new UserError(
    `${folder} has no ${WEIGHTS_FILE} and no ${INDEX_FILE}${pickled ? ': its weights are in pytorch_model.bin, which is not read; save the model with safetensors' : ''}`,
  )
}

/**
 * The weights of a model folder by Hugging Face name, an adapter added to its base; close it.
 * @throws UserError if they are missing or damaged.
 */
export function openModelWeights(folder: string): RowSource {
  if (isAdapterFolder(folder)) {
    const adapter = openAdapter(folder)
    try {
      return new MergedWeights(openModelWeights(adapter.base), adapter)
    } catch (error) {
      adapter.weights.close()
      throw error
    }
  }
  const [first] = weightFiles(folder)
  return first.endsWith(INDEX_FILE) ? new ShardedReader(first) : new SafetensorsReader(first)
}

/** Text of companions by name. */
export type Companions = ReadonlyMap<string, string>

/** The files of a model folder that travel with its weights: tokenizer, template, settings of generation. */
export function readCompanions(folder: string): Companions {
  const from = describedBy(folder)
  const present = COMPANIONS.filter((name) => existsSync(join(from, name)))
  return new Map(present.map((name) => [name, readFileSync(join(from, name), 'utf8')]))
}

/** Storage types of weights, as `config.json` calls them. */
const DTYPES = { F32: 'float32', F16: 'float16', BF16: 'bfloat16' } as const

/** Write config, weights and companions into an existing folder: one that transformers and this engine load. */
export function writeModelFiles(
  folder: string,
  config: ModelConfig,
  weights: ReadonlyMap<string, WritableTensor>,
  companions: Companions,
  dtype: FloatType = 'F32',
): void {
  writeDescription(folder, config, companions, dtype)
  writeSafetensors(join(folder, WEIGHTS_FILE), weights, { dtype, metadata: { format: 'pt' } })
}

/** The same without the weights: an adapter's folder can be asked everything that a model's can. */
export function writeDescription(
  folder: string,
  config: ModelConfig,
  companions: Companions,
  dtype: FloatType = 'F32',
): void {
  writeFileAtomic(join(folder, 'config.json'), `${JSON.stringify(configFile(config, DTYPES[dtype]), null, 2)}\n`)
  for (const [name, content] of companions) writeFileAtomic(join(folder, name), content)
}
