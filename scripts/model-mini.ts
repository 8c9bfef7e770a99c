/**
 * Makes the miniature base model from nothing: `npm run model:mini`. Writes the tokenizer, trains a small Llama-style
 * decoder on transcripts of noisy play in generated households (a family of layouts that no experiment uses), and ships
 * it as bf16 safetensors. Seeded; an interrupted run goes on. docs/miniature.md says what it is and what it is not.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { uniform } from '../src/core/index.ts'
import { openLocalEngine, parameterCount } from '../src/engines/index.ts'
import { generateHouse } from '../src/environments/alfworld/index.ts'
import { readSafetensors, writeFolderAtomic, writeSafetensors } from '../src/store/index.ts'
import { loadChatFormat } from '../src/tokens/index.ts'
import { corpusSequence, HABITS, STEPS } from './mini/corpus.ts'
import { drillSequence } from './mini/drill.ts'
import { composeEmbeddings } from './mini/embedding.ts'
import { heldOutText } from './mini/held-out.ts'
import { corpusKnowledge } from './mini/knowledge.ts'
import { seedOf, trainBase } from './mini/train.ts'
import { miniTokenizer } from './mini/vocabulary.ts'

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'models/mini' },
    work: { type: 'string', default: 'runs/model-mini' },
    steps: { type: 'string', default: '4000' },
    seed: { type: 'string', default: '1' },
    threads: { type: 'string', default: '2' },
  },
})

/** Shown in run folders and reports. */
const DESCRIPTION = 'trained from scratch on transcripts of weak play in generated households (docs/miniature.md)'
const seed = Number(values.seed)
const work = values.work
/** Small households, and now and then a full-size one: so that real games are not foreign. */
const FULL_SHARE = 0.1
/** Share of episodes that end with a question about what follows. */
const PREDICTIONS = 0.4
/** Share of sequences that are practice in looking, in the first part of the training and after it. */
const DRILL_SHARE = 0.15
const DRILLS = { first: 0.7, later: 0.1 }

/** Clean play first, so that acting on what is seen is learned; then play as weak as the base is to be. */
const CLEAN_SHARE = 0.6

mkdirSync(work, { recursive: true })
const tokenizer = miniTokenizer()
writeFileSync(join(work, 'tokenizer.json'), JSON.stringify(tokenizer.tokenizer))
writeFileSync(join(work, 'tokenizer_config.json'), JSON.stringify(tokenizer.tokenizerConfig, null, 2))
const format = loadChatFormat(work)
const knowledge = corpusKnowledge()
const hidden = 128
const config = {
  model_type: 'llama' as const,
  vocab_size: tokenizer.vocabularySize,
  hidden_size: hidden,
  intermediate_size: hidden * 3,
  num_hidden_layers: 4,
  num_attention_heads: hidden / 64,
  num_key_value_heads: hidden / 64,
  head_dim: 64,
  max_position_embeddings: 1024,
  rms_norm_eps: 1e-5,
  rope_theta: 10000,
  tie_word_embeddings: true,
  initializer_range: 1 / Math.sqrt(hidden),
  bos_token_id: null,
  eos_token_id: tokenizer.endId,
}
console.log(`${parameterCount(config)} parameters, ${config.vocab_size} tokens`)
const engine = await openLocalEngine({ config, seed }, { threads: Number(values.threads) })
const trainer = engine.trainer()
const start = join(work, 'start')
await trainer.save(start)
composeEmbeddings(start, format.tokenizer, hidden)
// They spoke of the weights as they were saved.
rmSync(join(start, 'checksums.json'))
await trainer.loadWeights(start)

const began = Date.now()
await trainBase(
  trainer,
  (step, index) => {
    const houseSeed = seedOf(seed, step, index)
    const drills = step < DRILL_SHARE * Number(values.steps) ? DRILLS.first : DRILLS.later
    if (uniform(houseSeed, 'drill') < drills) return drillSequence(format, knowledge, houseSeed)
    const size = (houseSeed % 1000) / 1000 < FULL_SHARE ? 'full' : 'small'
    const { game } = generateHouse({ seed: houseSeed, size, split: 'base', shuffle: 0.3 })
    const habits = step < CLEAN_SHARE * Number(values.steps) ? HABITS.clean : HABITS.weak
    const options = { predictions: PREDICTIONS, habits, maxSteps: STEPS[size] }
    return corpusSequence(game, format, knowledge, options, houseSeed)
  },
  {
    steps: Number(values.steps),
    batch: 16,
    learningRate: 2e-3,
    warmupSteps: 100,
    floor: 0.02,
    weightDecay: 0.01,
    folder: work,
    saveEvery: 500,
    log: console.log,
  },
)
console.log(`trained in ${Math.round((Date.now() - began) / 1000)} s`)

await writeFolderAtomic(values.out, (folder) => {
  const { tensors } = readSafetensors(join(work, 'state', 'model.safetensors'))
  writeSafetensors(join(folder, 'model.safetensors'), tensors, { dtype: 'BF16' })
  for (const name of ['tokenizer.json', 'tokenizer_config.json']) {
    copyFileSync(join(work, name), join(folder, name))
  }
  const shape = JSON.parse(readFileSync(join(work, 'state', 'config.json'), 'utf8')) as Record<string, unknown>
  writeFileSync(join(folder, 'config.json'), `${JSON.stringify({ ...shape, torch_dtype: 'bfloat16' }, null, 2)}\n`)
  writeFileSync(join(folder, 'DESCRIPTION'), `${DESCRIPTION}\n`)
  const text = heldOutText(knowledge)
  writeFileSync(join(folder, 'held-out.jsonl'), text.map((messages) => `${JSON.stringify({ messages })}\n`).join(''))
})
console.log(`wrote ${values.out}`)
await engine.close()
