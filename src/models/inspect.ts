import { UserError } from '../core/index.ts'
import {
  LORA_CHOICES,
  type ModelConfig,
  machineMemory,
  parameterCount,
  samplingMemory,
  trainingMemory,
} from '../engines/index.ts'
import { type OpenedModel, openModel, usedTensors } from './opened.ts'

/** What a model is, and what it takes here. */
export interface Inspection {
  path: string
  format: OpenedModel['format']
  architecture: ModelConfig['model_type']
  parameters: number
  layers: number
  width: number
  heads: { queries: number; keys: number; width: number }
  contextLength: number
  /** Rows of the embedding. */
  rows: number
  tiedHead: boolean
  /** Tensors and bytes in the files by storage type. */
  stored: Record<string, { tensors: number; bytes: number }>
  rope: { type: string; base: number; factor: number | null }
  tokenizer: { tokens: number; bos: string | null; eos: string | null; turnEnd: string | null }
  /** Two turns as the model's own template writes them; null: it has none. */
  example: string | null
  /** Its template shows tools and takes calls in the form that is read here; otherwise both are text. */
  toolCalls: boolean
  /** Bytes, estimated; `adapter`: training one of rank 16 beside all linear layers. */
  memory: { sample: number; train: number; adapter: number }
  warnings: string[]
}

/** Look at a model's files: everything but the values of its weights. @throws UserError as `openModel` does. */
export function inspectModel(path: string, memory = machineMemory()): Inspection {
  const model = openModel(path)
  try {
    const { config, tokenizer, chat } = model
    const needed = {
      sample: samplingMemory(config),
      train: trainingMemory(config),
      adapter: trainingMemory(config, { rank: 16, alpha: 32, targets: LORA_CHOICES['all-linear'] }),
    }
    const example = chat ? exampleOf(model) : null
    return {
      path,
      format: model.format,
      architecture: config.model_type,
      parameters: parameterCount(config),
      layers: config.num_hidden_layers,
      width: config.hidden_size,
      heads: { queries: config.num_attention_heads, keys: config.num_key_value_heads, width: config.head_dim },
      contextLength: config.max_position_embeddings,
      rows: config.vocab_size,
      tiedHead: config.tie_word_embeddings,
      stored: storedTypes(model),
      rope: {
        type: config.rope_scaling?.rope_type ?? 'default',
        base: config.rope_theta,
        factor: config.rope_scaling?.factor ?? null,
      },
      tokenizer: {
        tokens: tokenizer.vocabularySize,
        bos: tokenizer.bosToken,
        eos: tokenizer.eosToken,
        turnEnd: chat ? tokenizer.decode(chat.turnEnd) : null,
      },
      example,
      toolCalls: chat?.template.takesTools ?? false,
      memory: needed,
      warnings: warningsOf(model, needed, memory),
    }
  } finally {
    model.weights.close()
  }
}

function storedTypes(model: OpenedModel): Inspection['stored'] {
  const types: Inspection['stored'] = {}
  for (const { dtype, bytes } of usedTensors(model)) {
    types[dtype] ??= { tensors: 0, bytes: 0 }
    types[dtype].tensors++
    types[dtype].bytes += bytes
  }
  return types
}

function exampleOf({ chat, path }: OpenedModel): string {
  try {
    return (
      chat?.promptText([
        { role: 'user', content: 'Where is the mug?' },
        { role: 'assistant', content: 'On the desk.' },
        { role: 'user', content: 'Fetch it.' },
      ]) ?? ''
    )
  } catch (error) {
    throw new UserError(`${path}: ${(error as Error).message}`)
  }
}

function warningsOf({ config, tokenizer, chat }: OpenedModel, needed: Inspection['memory'], memory: number): string[] {
  const warnings: string[] = []
  const spare = config.vocab_size - tokenizer.vocabularySize
  if (spare > 0) {
    warnings.push(
      `${spare} rows of the embedding belong to no token of the tokenizer: padding, as many models have it; sampled, they would be text without content`,
    )
  }
  if (!chat) warnings.push('no chat template: a base model; add chat_template.jinja, or take an instruction-tuned one')
  if (!tokenizer.eosToken) warnings.push('the tokenizer names no eos_token: only the end of a turn ends an answer')
  const uses = { sample: 'sample from it', train: 'train all of it', adapter: 'train an adapter beside it' }
  for (const [use, what] of Object.entries(uses)) {
    if (needed[use as keyof typeof uses] > memory) warnings.push(`this machine has too little memory to ${what}`)
  }
  return warnings
}
