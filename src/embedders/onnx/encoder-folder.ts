import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { UserError } from '../../core/index.ts'
import { readJson, updateFromFile } from '../../store/index.ts'
import type { Pooling } from './pooling.ts'

/** A sentence encoder as sentence-transformers and its ONNX exports keep it on the disk. */
export interface EncoderFolder {
  model: string
  tokenizer: string
  pooling: Pooling
  /** Numbers of a vector, where the folder says. */
  dimension: number | null
  /** Most tokens of a text, special ones included; what is beyond them is cut off. */
  maxTokens: number
}

/** Where exports put the graph. */
const MODELS = ['model.onnx', join('onnx', 'model.onnx')]

const DEFAULT_MAX_TOKENS = 512
/** Tokenizers without a limit write a number beyond all texts. */
const NO_LIMIT = 1_000_000

const modulesSchema = z.array(z.looseObject({ path: z.string(), type: z.string() }))

/** Older files have a flag for every way, newer ones its name. */
const poolingSchema = z.looseObject({
  pooling_mode: z.string().optional(),
  word_embedding_dimension: z.int().min(1).nullish(),
  embedding_dimension: z.int().min(1).nullish(),
})

const WAYS: Record<string, Pooling> = {
  cls: 'cls',
  cls_token: 'cls',
  mean: 'mean',
  mean_tokens: 'mean',
  lasttoken: 'last',
}

const limitSchema = z.looseObject({ max_seq_length: z.int().min(1).nullish(), model_max_length: z.number().nullish() })
const configSchema = z.looseObject({ max_position_embeddings: z.int().min(1).nullish() })

/** @throws UserError where a file is missing, or says what is not computed here */
export function readEncoderFolder(folder: string): EncoderFolder {
  const model = MODELS.map((name) => join(folder, name)).find((path) => existsSync(path))
  if (!model) throw new UserError(`${folder} holds no sentence encoder: model.onnx is neither there nor in onnx/`)
  const tokenizer = join(folder, 'tokenizer.json')
  if (!existsSync(tokenizer)) throw new UserError(`${folder} holds no sentence encoder: it lacks tokenizer.json`)
  return { model, tokenizer, ...poolingOf(folder), maxTokens: maxTokensOf(folder) }
}

/** Whether a folder is meant: a name of an embedder is none. */
export function isEncoderFolder(folder: string): boolean {
  return MODELS.some((name) => existsSync(join(folder, name)))
}

/** A hash of all that decides a text's vector. */
export function encoderHash({ model, tokenizer, pooling, maxTokens }: EncoderFolder): string {
  const hash = createHash('sha256').update(JSON.stringify({ pooling, maxTokens }))
  // Weights of large models lie beside the graph, under names that begin with its own.
  const beside = readdirSync(dirname(model)).filter((name) => name.startsWith('model.onnx'))
  for (const path of [...beside.sort().map((name) => join(dirname(model), name)), tokenizer]) updateFromFile(hash, path)
  return hash.digest('hex')
}

/** Without a word of it the mean, as sentence-transformers has it. */
function poolingOf(folder: string): { pooling: Pooling; dimension: number | null } {
  const path = join(folder, 'modules.json')
  let pooled = '1_Pooling'
  if (existsSync(path)) {
    for (const { type, path: place } of readJson(path, modulesSchema)) {
      const name = type.slice(type.lastIndexOf('.') + 1)
      if (name === 'Pooling') pooled = place
      // A vector's length is not looked at: all are scaled to 1.
      else if (name !== 'Transformer' && name !== 'Normalize') {
        throw new UserError(`${path}: a ${name} follows the encoder, which is not computed here; take another encoder`)
      }
    }
  }
  const config = join(folder, pooled, 'config.json')
  if (!existsSync(config)) return { pooling: 'mean', dimension: null }
  const said = readJson(config, poolingSchema)
  const flags = Object.keys(said).filter((key) => key.startsWith('pooling_mode_') && said[key] === true)
  const ways = said.pooling_mode ? [said.pooling_mode] : flags.map((key) => key.slice('pooling_mode_'.length))
  const pooling = ways.length === 1 ? WAYS[ways[0]] : undefined
  if (!pooling) {
    throw new UserError(
      `${config}: tokens are pooled by ${ways.join(' and ') || 'nothing'}, which is not computed here: mean, cls and lasttoken are`,
    )
  }
  return { pooling, dimension: said.embedding_dimension ?? said.word_embedding_dimension ?? null }
}

function maxTokensOf(folder: string): number {
  const own = join(folder, 'sentence_bert_config.json')
  const said = existsSync(own) ? readJson(own, limitSchema).max_seq_length : null
  if (said) return said
  const tokenizer = join(folder, 'tokenizer_config.json')
  const config = join(folder, 'config.json')
  const limits = [
    existsSync(tokenizer) ? readJson(tokenizer, limitSchema).model_max_length : null,
    existsSync(config) ? readJson(config, configSchema).max_position_embeddings : null,
  ].filter((limit) => typeof limit === 'number' && limit >= 1 && limit < NO_LIMIT) as number[]
  return limits.length > 0 ? Math.floor(Math.min(...limits)) : DEFAULT_MAX_TOKENS
}
