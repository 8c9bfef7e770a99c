import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ServiceError } from '../../services/index.ts'
import type { Engine } from '../choice.ts'
import type { Sample } from '../engine.ts'
import { openLocalEngine, readModelConfig } from '../local/index.ts'
import { largestDifference, sampling, samplingContract } from '../testing/contract-sampling.ts'
import { VllmSampler } from './sampler.ts'

const { RWML_VLLM_URL: url, RWML_VLLM_LORA_URL: adapting, RWML_VLLM_MODEL: folder } = process.env

/** Against real servers of one model, the second with adapters: see test/servers/vllm.sh. */
if (url && adapting && folder) {
  against(url, folder)
  withAdapters(adapting, folder)
} else describe.skip('vLLM', () => it('meets the contract', () => {}))

const PROMPTS = [[1], [2, 3, 4, 5], [2, 3, 9]]
const SEQUENCES = [
  [1, 2, 3, 4, 5, 6, 7, 8],
  [9, 8, 7],
  [60, 1, 33, 2, 40],
]

function connect(url: string, folder: string): Promise<VllmSampler> {
  const { vocab_size: vocabularySize } = readModelConfig(folder)
  return VllmSampler.connect({ url, model: 'tiny', maxConcurrent: 64, retries: 2 }, { vocabularySize, processed: true })
}

/** By how much a server's log-probabilities of what it sampled differ from the local engine's at most. */
async function difference(engine: Engine, samples: Sample[][], temperature = 1): Promise<number> {
  const sequences = samples.flatMap((row, i) => row.map(({ tokens }) => [...PROMPTS[i], ...tokens]))
  const own = await engine.trainer().sampler().logprobs(sequences, temperature)
  const tails = samples.flat().map(({ tokens }, i) => own[i].slice(-tokens.length))
  return largestDifference(
    tails,
    samples.flat().map(({ logprobs }) => logprobs),
  )
}

function against(url: string, folder: string): void {
  let sampler: VllmSampler
  let engine: Engine
  beforeAll(async () => {
    sampler = await connect(url, folder)
    engine = await openLocalEngine(folder, { threads: 1 })
  })
  afterAll(async () => {
    await sampler.close()
    await engine.close()
  })

  // Given tokens are scored at temperature 1 alone.
  samplingContract('vLLM', async () => ({ sampler: () => sampler }), false)

  describe('vLLM beside the local engine', () => {
    it('takes the same greedy tokens with the same log-probabilities', async () => {
      const params = { ...sampling, temperature: 0, alternatives: 4 }
      const [found, own] = [
        await sampler.sample(PROMPTS, params),
        await engine.trainer().sampler().sample(PROMPTS, params),
      ]
      expect(found.flat().map(({ tokens }) => tokens)).toEqual(own.flat().map(({ tokens }) => tokens))
      const of = (rows: typeof found) => rows.flat().map(({ logprobs }) => logprobs)
      expect(largestDifference(of(found), of(own))).toBeLessThan(1e-4)
      const others = (rows: typeof found) =>
        rows.flat().flatMap(({ alternatives }) => alternatives!.map(({ tokens }) => tokens))
      expect(others(found)).toEqual(others(own))
    })

    it('scores given tokens alike', async () => {
      const own = engine.trainer().sampler()
      expect(largestDifference(await sampler.logprobs(SEQUENCES), await own.logprobs(SEQUENCES))).toBeLessThan(1e-4)
      const [found, expected] = [await sampler.score(SEQUENCES, 3), await own.score!(SEQUENCES, 3)]
      for (const [i, { alternatives }] of found.entries()) {
        expect(alternatives.map(({ tokens }) => tokens)).toEqual(expected[i].alternatives.map(({ tokens }) => tokens))
      }
    })

    it('tells what temperature 0.6 makes of a log-probability', async () => {
      const samples = await sampler.sample(PROMPTS, { ...sampling, n: 2, temperature: 0.6 })
      expect(await difference(engine, samples, 0.6)).toBeLessThan(1e-4)
    })
  })
}

function withAdapters(url: string, folder: string): void {
  // Sampled only: vLLM 0.32 on a processor ends where it scores a prompt while adapters are enabled.
  it('vLLM samples from an adapter that the local engine trained, and from the model without it', async () => {
    const out = mkdtempSync(join(tmpdir(), 'rwml-vllm-'))
    const sampler = await connect(url, folder)
    const plain = await openLocalEngine(folder, { threads: 1 })
    const trained = await openLocalEngine(folder, {
      threads: 1,
      lora: { rank: 8, alpha: 16, targets: ['q_proj', 'v_proj', 'down_proj'] },
    })
    try {
      const trainer = trained.trainer()
      const data = SEQUENCES.map((tokens) => ({ tokens, weights: tokens.map((_, t) => Math.min(t, 1)) }))
      const adam = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, clipNorm: 1 }
      for (let step = 0; step < 3; step++) {
        await trainer.forwardBackward(data, { kind: 'cross_entropy' })
        await trainer.optimStep({ ...adam, learningRate: 2e-2 })
      }
      await trainer.save(join(out, 'adapter'))
      const adapted = await sampler.withAdapter('adapter', join(out, 'adapter'))
      const samples = await adapted.sample(PROMPTS, { ...sampling, n: 4 })
      expect(await difference(trained, samples)).toBeLessThan(1e-3)
      expect(await difference(plain, samples)).toBeGreaterThan(0.1)
      expect(await difference(plain, await sampler.sample(PROMPTS, { ...sampling, n: 4 }))).toBeLessThan(1e-4)
      await expect(sampler.withAdapter('none', join(out, 'absent'))).rejects.toThrow(ServiceError)
    } finally {
      await sampler.close()
      await plain.close()
      await trained.close()
      rmSync(out, { recursive: true })
    }
  })
}
