import { copyFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { modelConfigSchema, openLocalEngine } from '../../engines/index.ts'

/** The shipped miniature. */
export const MINI = resolve(import.meta.dirname, '..', '..', '..', 'models', 'mini')

/**
 * A folder with a model of random weights and the miniature's tokenizer: it writes nonsense of every kind, and seldom comes to
 * an end before it has to. The caller removes it.
 */
export async function writeRandomModel(): Promise<string> {
  const config = modelConfigSchema.parse({
    model_type: 'llama',
    vocab_size: 1043,
    hidden_size: 32,
    intermediate_size: 64,
    num_hidden_layers: 2,
    num_attention_heads: 2,
    num_key_value_heads: 2,
    max_position_embeddings: 1024,
    initializer_range: 0.02,
  })
  const folder = join(mkdtempSync(join(tmpdir(), 'rwml-serve-')), 'random')
  const engine = await openLocalEngine({ config, seed: 1 }, { threads: 1 })
  await engine.trainer().save(folder)
  await engine.close()
  for (const name of ['tokenizer.json', 'tokenizer_config.json']) copyFileSync(join(MINI, name), join(folder, name))
  return folder
}
