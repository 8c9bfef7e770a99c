import { existsSync, statSync } from 'node:fs'
import { UserError } from '../core/index.ts'
import {
  type Companions,
  GgufWeights,
  ggufConfig,
  type ModelConfig,
  openModelWeights,
  parameterSpecs,
  readCompanions,
  readModelConfig,
  requireShapes,
} from '../engines/index.ts'
import { GgufReader, type TensorInfo, type TensorSource, verifyChecksums } from '../store/index.ts'
import {
  ChatFormat,
  type ChatTemplate,
  chatTemplateOf,
  checkTemplate,
  checkTokenizer,
  ggufTokenizer,
  Tokenizer,
} from '../tokens/index.ts'

/** A model from somewhere, whatever its format: its shape, its weights tensor by tensor, its tokenizer. Close `weights`. */
export interface OpenedModel {
  /** The folder or file. */
  path: string
  format: 'Hugging Face folder' | 'GGUF file'
  config: ModelConfig
  weights: TensorSource
  tokenizer: Tokenizer
  /** Null: a base model, which has no way of writing conversations. */
  chat: ChatFormat | null
  /** The files of tokenizer and template that a Hugging Face folder of this model has. */
  companions: Companions
}

/**
 * Open a Hugging Face folder (a checkpoint is one) or a GGUF file, and check everything but the values of the weights: files are
 * whole, tensors have the shapes of the config, tokenizer and template fit the model and each other.
 * @throws UserError with the first thing that is not so.
 */
export function openModel(path: string): OpenedModel {
  if (!existsSync(path)) throw new UserError(`${path} is missing: give a model folder or a GGUF file`)
  const { config, weights, companions, format } = statSync(path).isDirectory() ? openFolder(path) : openGguf(path)
  try {
    requireShapes(weights, parameterSpecs(config))
    const tokenizer = new Tokenizer(
      parseCompanion(companions, 'tokenizer.json', path),
      parseCompanion(companions, 'tokenizer_config.json', path),
      path,
    )
    checkTokenizer(tokenizer, config.vocab_size, path)
    return { path, format, config, weights, tokenizer, chat: chatOf(tokenizer, companions, path), companions }
  } catch (error) {
    weights.close()
    throw error
  }
}

type Parts = Pick<OpenedModel, 'config' | 'weights' | 'companions' | 'format'>

function openFolder(path: string): Parts {
  verifyChecksums(path)
  const config = readModelConfig(path)
  const companions = readCompanions(path)
  return { config, weights: openModelWeights(path), companions, format: 'Hugging Face folder' }
}

function openGguf(path: string): Parts {
  const file = new GgufReader(path)
  try {
    const config = ggufConfig(file)
    const { tokenizer, config: settings } = ggufTokenizer(file)
    const companions = new Map([
      ['tokenizer.json', JSON.stringify(tokenizer)],
      ['tokenizer_config.json', `${JSON.stringify(settings, null, 2)}\n`],
    ])
    return { config, weights: new GgufWeights(file, config), companions, format: 'GGUF file' }
  } catch (error) {
    file.close()
    throw error
  }
}

function parseCompanion(companions: Companions, name: string, path: string): unknown {
  const content = companions.get(name)
  if (content === undefined) {
    throw new UserError(`${path} has no ${name}: take it from the place that the weights are from`)
  }
  try {
    return JSON.parse(content)
  } catch (error) {
    throw new UserError(`${path}: ${name} is not valid JSON: ${(error as Error).message.replace(/\s+/g, ' ')}`)
  }
}

function chatOf(tokenizer: Tokenizer, companions: Companions, path: string): ChatFormat | null {
  const settings = parseCompanion(companions, 'tokenizer_config.json', path)
  let template: ChatTemplate | null
  try {
    template = chatTemplateOf(settings, companions.get('chat_template.jinja'), path)
    if (template === null) return null
    const chat = new ChatFormat(tokenizer, template)
    checkTemplate(chat, path)
    return chat
  } catch (error) {
    if (!(error instanceof UserError) || error.message.startsWith(path)) throw error
    throw new UserError(`${path}: ${error.message}`)
  }
}

/** The tensors that the model uses, in its order; files may hold others. */
export function usedTensors({ config, weights }: OpenedModel): TensorInfo[] {
  return parameterSpecs(config).map(({ name }) => weights.tensors.get(name) as TensorInfo)
}
