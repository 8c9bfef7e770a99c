/** Writes a two-layer Qwen3 with random weights, and a tokenizer that servers can load, into a folder; with heads as wide as said. */
import { writeFileSync } from 'node:fs'
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
  vocab_size: 64,
  intermediate_size: 64,
})
const core = TrainerCore.fresh(config, 1, { threads: 1 })
core.weights.base.flat.set(randomWeights(config, 3, 2))
await core.save(folder)
await core.close()
const vocab = Object.fromEntries(Array.from({ length: config.vocab_size }, (_, i) => [`t${i}`, i]))
const tokenizer = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: null,
  decoder: null,
  model: { type: 'WordLevel', vocab, unk_token: 't0' },
}
writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer))
writeFileSync(
  join(folder, 'tokenizer_config.json'),
  JSON.stringify({ tokenizer_class: 'PreTrainedTokenizerFast', unk_token: 't0', model_max_length: 128 }),
)
