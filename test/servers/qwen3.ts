/** Writes a two-layer Qwen3 with random weights, and the miniature's tokenizer and template, into a folder; with heads as wide as said. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomWeights, tinyConfig } from '../../src/engines/local/testing/weights.ts'
import { TrainerCore } from '../../src/engines/local/training/trainer-core.ts'

const [folder, headWidth = '16'] = process.argv.slice(2)
const config = tinyConfig({
  model_type: 'qwen3',
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: Number(headWidth),
  vocab_size: 1043,
  max_position_embeddings: 1024,
  intermediate_size: 64,
})
const core = TrainerCore.fresh(config, 1, { threads: 1 })
core.weights.base.flat.set(randomWeights(config, 3, 2))
await core.save(folder)
await core.close()
for (const name of ['tokenizer.json', 'tokenizer_config.json']) {
  copyFileSync(join('models/mini', name), join(folder, name))
}
