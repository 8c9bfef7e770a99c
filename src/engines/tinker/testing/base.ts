import { join } from 'node:path'
import { randomWeights, tinyConfig } from '../../local/testing/weights.ts'
import { TrainerCore } from '../../local/training/trainer-core.ts'

/** Writes a small base model under `parent`. Its embeddings stand still: they are large enough for far from uniform text. */
export async function writeBase(parent: string): Promise<string> {
  const config = tinyConfig({ num_key_value_heads: 2 })
  const core = TrainerCore.fresh(config, 1, { threads: 1 })
  core.weights.base.flat.set(randomWeights(config, 3, 2))
  const path = join(parent, 'base')
  await core.save(path)
  await core.close()
  return path
}
