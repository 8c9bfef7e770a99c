/** Decoding speed: one size beside PyTorch, and the miniature in the pattern of multi-turn rollouts. */
import { availableParallelism } from 'node:os'
import { refereeHas } from '../src/core/testing/python.ts'
import { type ModelConfig, modelConfigSchema, openLocalEngine } from '../src/engines/index.ts'
import { medium } from './medium.ts'
import { Referee } from './referee.ts'
import type { Row } from './row.ts'

const ROUNDS = 7
const CONTEXT = 284
const STEPS = 32

const miniature = modelConfigSchema.parse({
  model_type: 'llama',
  vocab_size: 1200,
  hidden_size: 192,
  intermediate_size: 512,
  num_hidden_layers: 4,
  num_attention_heads: 4,
  num_key_value_heads: 4,
  max_position_embeddings: 512,
})

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}

function somePrompt(config: ModelConfig, length: number, salt: number): number[] {
  return Array.from({ length }, (_, t) => (t * 31 + salt * 7919) % config.vocab_size)
}

/** Steps from a cache that holds the prompts already, one after the other with the referee's. */
async function besidePyTorch(batch: number, threads: number): Promise<Row[]> {
  const engine = await openLocalEngine({ config: medium, seed: 1 }, { threads })
  const referee = refereeHas('torch')
    ? await Referee.start('decode.py', {
        vocabulary: medium.vocab_size,
        width: medium.hidden_size,
        inner: medium.intermediate_size,
        layers: medium.num_hidden_layers,
        heads: medium.num_attention_heads,
        threads,
        batch,
        context: CONTEXT,
        steps: STEPS,
      })
    : undefined
  try {
    const sampler = engine.trainer().sampler()
    const prompts = Array.from({ length: batch }, (_, i) => somePrompt(medium, CONTEXT, i))
    const [ours, theirs]: [number[], number[]] = [[], []]
    // The first call fills the cache and packs the weights.
    for (let round = 0; round <= ROUNDS; round++) {
      const start = performance.now()
      await sampler.sample(prompts, { n: 1, maxTokens: STEPS, temperature: 1, stop: [], seed: round })
      if (round > 0) ours.push(performance.now() - start)
      if (round > 0 && referee) theirs.push(await referee.measure())
    }
    const rate = (milliseconds: number[]) => (batch * STEPS * 1000) / median(milliseconds)
    const name = `decode, 6.8 M parameters, batch ${batch}, context ${CONTEXT + STEPS / 2}`
    const rows: Row[] = [{ name, value: rate(ours), unit: 'tokens/s' }]
    if (referee) {
      rows.push({ name: `${name}, PyTorch`, value: rate(theirs), unit: 'tokens/s' })
      rows.push({ name: `${name}, ratio`, value: rate(ours) / rate(theirs), unit: '×', target: '>= 2' })
    }
    return rows
  } finally {
    referee?.stop()
    await engine.close()
  }
}

/** 128 episodes (16 tasks × 8) of 12 turns: a prompt of 60 tokens, 6–14 sampled and 12 observed tokens a turn. */
async function rollouts(threads: number): Promise<Row[]> {
  const [episodes, turns] = [128, 12]
  const engine = await openLocalEngine({ config: miniature, seed: 1 }, { threads })
  try {
    const sampler = engine.trainer().sampler()
    const seconds: number[] = []
    let sampled = 0
    for (let round = 0; round < 4; round++) {
      await sampler.reset()
      let transcripts = Array.from({ length: episodes }, (_, e) => somePrompt(miniature, 60, Math.floor(e / 8)))
      const start = performance.now()
      sampled = 0
      for (let turn = 0; turn < turns; turn++) {
        // Untrained, the model never ends by itself: about one token in ten stops it.
        const stop = Array.from({ length: 120 }, (_, i) => [i])
        const seed = transcripts.map((_, e) => round * 1e6 + turn * 1000 + e)
        const samples = await sampler.sample(transcripts, { n: 1, maxTokens: 20, temperature: 1, stop, seed })
        sampled += samples.reduce((sum, [sample]) => sum + sample.tokens.length, 0)
        transcripts = transcripts.map((tokens, e) => [
          ...tokens,
          ...samples[e][0].tokens,
          ...somePrompt(miniature, 6 + ((e + turn) % 13), e + turn),
        ])
      }
      if (round > 0) seconds.push((performance.now() - start) / 1000)
    }
    const name = 'rollouts, 1.9 M parameters, 128 episodes × 12 turns'
    return [
      { name, value: median(seconds), unit: 's' },
      { name: `${name}, sampled`, value: sampled / median(seconds), unit: 'tokens/s' },
    ]
  } finally {
    await engine.close()
  }
}

/** Takes about a minute on two cores. */
export async function benchDecoding(): Promise<Row[]> {
  const threads = Math.min(8, availableParallelism())
  return [...(await besidePyTorch(8, threads)), ...(await besidePyTorch(32, threads)), ...(await rollouts(threads))]
}
