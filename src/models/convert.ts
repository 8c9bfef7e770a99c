import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parameterCount } from '../engines/index.ts'
import { type FloatType, makeFolder, temporaryName } from '../store/index.ts'
import { downloadModel, type HubLoader, loadHub } from './hub.ts'
import { openModel } from './opened.ts'
import { losslessType, writeModel } from './written.ts'

/** What was written. */
export interface WrittenModel {
  out: string
  source: string
  architecture: string
  parameters: number
  dtype: FloatType
  contextLength: number
  /** Tokens that its tokenizer knows. */
  vocabulary: number
  chatTemplate: boolean
}

/**
 * Copy a model into a Hugging Face folder, checked throughout: every file, shape and value. `dtype` is the type to store weights
 * in (default: one that keeps them as they are). Atomic. @throws UserError
 */
export async function convertModel(path: string, out: string, dtype?: FloatType): Promise<WrittenModel> {
  const model = openModel(path)
  try {
    const type = dtype ?? losslessType(model)
    await writeModel(model, out, type)
    return {
      out,
      source: path,
      architecture: model.config.model_type,
      parameters: parameterCount(model.config),
      dtype: type,
      contextLength: model.config.max_position_embeddings,
      vocabulary: model.tokenizer.vocabularySize,
      chatTemplate: model.chat !== null,
    }
  } finally {
    model.weights.close()
  }
}

/** The same for a model on the Hugging Face hub, by its name there. `say` is told what is being fetched. */
export async function importFromHub(
  name: string,
  out: string,
  say: (line: string) => void,
  load: HubLoader = loadHub,
): Promise<WrittenModel> {
  makeFolder(dirname(out))
  const download = temporaryName(join(dirname(out), 'download'))
  try {
    mkdirSync(download)
    await downloadModel(name, download, say, load)
    return { ...(await convertModel(download, out)), source: name }
  } finally {
    rmSync(download, { recursive: true, force: true })
  }
}
