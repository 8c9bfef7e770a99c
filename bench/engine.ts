/** Training speed: one size beside PyTorch, what sharing prefixes gains, and the miniature in its two patterns. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from '../src/core/index.ts'
import { refereeHas } from '../src/core/testing/python.ts'
import { type Datum, type Loss, modelConfigSchema } from '../src/engines/index.ts'
import { TrainerCore } from '../src/engines/local/training/trainer-core.ts'
import { medium } from './medium.ts'
import { Referee } from './referee.ts'
import type { Row } from './row.ts'

const ROUNDS = 7

const miniature = modelConfigSchema.parse({
  model_type: 'llama',
  vocab_size: 1200,
  hidden_size: 192,
  intermediate_size: 512,
  num_hidden_layers: 4,
  num_attention_heads: 3,
  num_key_value_heads: 3,
  max_position_embeddings: 512,
})

const crossEntropy: Loss = { kind: 'cross_entropy' }
const policy: Loss = { kind: 'ppo', clipLow: 0.2, clipHigh: 0.2, kl: { coefficient: 0.01, estimator: 'k3' } }

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}

/** Sequences of `prompts` random prompts with `samples` random answers each; the answers are trained on. */
function someData(random: Random, vocabulary: number, prompts: number, samples: number, lengths: () => number[]) {
  const tokens = (length: number) => Array.from({ length }, () => random.integer(0, vocabulary - 1))
  return Array.from({ length: prompts }, () => {
    const [promptLength] = lengths()
    const prompt = tokens(promptLength)
    return Array.from({ length: samples }, (): Datum => {
      const sequence = [...prompt, ...tokens(lengths()[1])]
      return {
        tokens: sequence,
        weights: sequence.map((_, t) => (t < promptLength ? 0 : 1e-3)),
        advantages: sequence.map(() => random.next() - 0.5),
        oldLogprobs: sequence.map(() => -Math.log(vocabulary)),
        refLogprobs: sequence.map(() => -Math.log(vocabulary)),
      }
    })
  }).flat()
}

function tokenCount(data: readonly Datum[]): number {
  return data.reduce((sum, datum) => sum + datum.tokens.length, 0)
}

async function milliseconds(core: TrainerCore, data: readonly Datum[], loss: Loss): Promise<number> {
  const start = performance.now()
  await core.forwardBackward(data, loss)
  return performance.now() - start
}

async function besidePyTorch(threads: number): Promise<Row[]> {
  const core = TrainerCore.fresh(medium, 1, { threads, rowBudget: 4096 })
  const data = someData(new Random('bench'), medium.vocab_size, 16, 1, () => [1, 256])
  const folder = mkdtempSync(join(tmpdir(), 'rwml-bench-'))
  let referee: Referee | undefined
  try {
    if (refereeHas('torch')) {
      await core.save(join(folder, 'model'))
      const task = { threads, data: data.map(({ tokens, weights }) => ({ tokens, weights })) }
      writeFileSync(join(folder, 'model', 'task.json'), JSON.stringify(task))
      referee = await Referee.start('llama.py', { folder: join(folder, 'model') })
    }
    const [ours, theirs]: [number[], number[]] = [[], []]
    // The first round warms both up.
    for (let round = 0; round <= ROUNDS; round++) {
      const own = await milliseconds(core, data, crossEntropy)
      const other = await referee?.measure()
      if (round > 0) ours.push(own)
      if (round > 0 && other !== undefined) theirs.push(other)
    }
    const name = 'training, 6.8 M parameters, 16 × 256 tokens'
    const rows: Row[] = [
      { name: `${name}: forward and backward`, value: median(ours), unit: 'ms' },
      { name, value: (16 * 256 * 1000) / median(ours), unit: 'tokens/s' },
    ]
    if (referee) {
      rows.push({ name: `${name}: forward and backward, PyTorch`, value: median(theirs), unit: 'ms' })
      rows.push({
        name: `${name}, speed over PyTorch`,
        value: median(theirs) / median(ours),
        unit: '×',
        target: '>= 1',
      })
    }
    return rows
  } finally {
    referee?.stop()
    rmSync(folder, { recursive: true })
    await core.close()
  }
}

async function sharedPrefixes(threads: number): Promise<Row[]> {
  const core = TrainerCore.fresh(medium, 1, { threads })
  const samples = 8
  const shared = someData(new Random('shared'), medium.vocab_size, 2, samples, () => [192, 64])
  // The same data with neighbours from different prompts, so that nothing is shared.
  const apart = Array.from({ length: samples }, (_, i) => [shared[i], shared[samples + i]]).flat()
  // The padded batch as trainers usually run it: every token through every layer and the head.
  const padded = apart.map((datum) => ({ ...datum, weights: datum.weights.map((w, t) => (t === 0 ? 0 : w || 1e-9)) }))
  const batches = [shared, apart, padded]
  const times: number[][] = batches.map(() => [])
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [i, data] of batches.entries()) {
      const time = await milliseconds(core, data, policy)
      if (round > 0) times[i].push(time)
    }
  }
  await core.close()
  const [together, alone, usual] = times.map(median)
  const name = 'training on groups, 6.8 M parameters, prompt 192, answers 64, G 8'
  return [
    { name: `${name}: shared prefix`, value: together, unit: 'ms' },
    { name: `${name}: without sharing`, value: alone, unit: 'ms' },
    { name: `${name}: the usual padded batch`, value: usual, unit: 'ms' },
    { name: `${name}: speed over the usual padded batch`, value: usual / together, unit: '×', target: '>= 2.5' },
  ]
}

async function miniatureSpeed(threads: number): Promise<Row[]> {
  const core = TrainerCore.fresh(miniature, 1, { threads })
  const random = new Random('miniature')
  const lengths = () => [random.integer(80, 120), random.integer(12, 20)]
  const cases: [string, Datum[], Loss][] = [
    ['texts of 150–250 tokens', someData(random, 1200, 32, 1, () => [1, random.integer(150, 250)]), crossEntropy],
    ['prompts of 100, answers of 16, G 8', someData(random, 1200, 16, 8, lengths), policy],
  ]
  const rows: Row[] = []
  for (const [name, data, loss] of cases) {
    const times: number[] = []
    for (let round = 0; round <= ROUNDS; round++) times.push(await milliseconds(core, data, loss))
    const value = (tokenCount(data) * 1000) / median(times.slice(1))
    rows.push({
      name: `training, miniature (${(core.weights.trained.flat.length / 1e6).toFixed(1)} M), ${name}`,
      value,
      unit: 'tokens/s',
    })
  }
  await core.close()
  return rows
}

/** Training beside PyTorch (where `RWML_PYTHON` or python3 has it), prefix sharing, and the miniature's speed. */
export async function benchTraining(): Promise<Row[]> {
  const threads = Math.min(4, availableParallelism())
  return [...(await besidePyTorch(threads)), ...(await sharedPrefixes(threads)), ...(await miniatureSpeed(threads))]
}
