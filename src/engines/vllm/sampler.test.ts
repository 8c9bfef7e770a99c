import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { UserError } from '../../core/index.ts'
import type { Engine } from '../choice.ts'
import { openLocalEngine } from '../local/index.ts'
import { tinyConfig } from '../local/testing/weights.ts'
import { largestDifference, sampling } from '../testing/contract-sampling.ts'
import { VllmSampler } from './sampler.ts'
import { FakeVllm } from './testing/server.ts'

let engine: Engine
let server: FakeVllm
let sampler: VllmSampler
const config = tinyConfig({ num_key_value_heads: 2 })
const options = { vocabularySize: config.vocab_size }
const settings = () => ({ url: server.url, model: 'tiny', retries: 1, backoffSeconds: 0.01, maxConcurrent: 64 })

beforeAll(async () => {
  engine = await openLocalEngine({ config, seed: 3 }, { threads: 1 })
  server = await FakeVllm.start(engine.trainer().sampler())
  sampler = await VllmSampler.connect(settings(), options)
})
afterEach(() => {
  server.mend = (answer) => answer
})
afterAll(async () => {
  await sampler.close()
  await server.close()
  await engine.close()
})

const PROMPTS = [[1], [2, 3, 4, 5], [2, 3, 9]]

describe('VllmSampler', () => {
  it('gives the tokens and log-probabilities of the model behind it, one seed a prompt', async () => {
    const local = engine.trainer().sampler()
    for (const temperature of [0, 1]) {
      const params = { ...sampling, n: 3, temperature, seed: [7, 8, 9], alternatives: 4 }
      const expected = await local.sample(PROMPTS, params)
      const found = await sampler.sample(PROMPTS, params)
      expect(found.flat().map(({ tokens }) => tokens)).toEqual(expected.flat().map(({ tokens }) => tokens))
      const of = (rows: typeof found) => rows.flat().map(({ logprobs }) => logprobs)
      expect(largestDifference(of(found), of(expected))).toBeLessThan(1e-5)
      expect(found[1][2].alternatives!.map(({ tokens }) => tokens)).toEqual(
        expected[1][2].alternatives!.map(({ tokens }) => tokens),
      )
    }
    expect(await sampler.sample([], sampling)).toEqual([])
  })

  it('stops after single tokens there, and after longer sequences here', async () => {
    const [[free]] = await sampler.sample([[1, 2, 3]], sampling)
    for (const stop of [[free.tokens.slice(3, 4)], [[...free.tokens.slice(3, 5), 0, 0], free.tokens.slice(3, 5)]]) {
      const [[stopped]] = await sampler.sample([[1, 2, 3]], { ...sampling, stop })
      expect(stopped.stopReason).toBe('stop')
      expect(stopped.tokens.slice(-stop.at(-1)!.length)).toEqual(stop.at(-1))
      expect(stopped.tokens).toEqual(free.tokens.slice(0, stopped.tokens.length))
      expect(stopped.logprobs).toHaveLength(stopped.tokens.length)
    }
    expect(server.requests.at(-1)!.body.stop_token_ids).toEqual([])
  })

  it('scores given tokens, with the most probable ones beside them', async () => {
    const sequences = [
      [1, 2, 3, 4],
      [9, 8],
    ]
    const local = engine.trainer().sampler()
    expect(largestDifference(await sampler.logprobs(sequences), await local.logprobs(sequences))).toBeLessThan(1e-5)
    const [expected] = await local.score!(sequences, 3)
    const [found] = await sampler.score(sequences, 3)
    expect(found.alternatives.map(({ tokens }) => tokens)).toEqual(expected.alternatives.map(({ tokens }) => tokens))
  })

  it('refuses what the server’s log-probabilities do not speak of', async () => {
    await expect(sampler.sample([[1]], { ...sampling, temperature: 0.7 })).rejects.toThrow(/processed_logprobs/)
    await expect(sampler.logprobs([[1, 2]], 0.7)).rejects.toThrow(/at temperature 1, not at 0.7/)
    const processed = await VllmSampler.connect(settings(), { ...options, processed: true })
    expect(await processed.sample([[1]], { ...sampling, temperature: 0.7 })).toHaveLength(1)
    await processed.close()
  })

  it('refuses prompts that it cannot continue, before it sends them', async () => {
    const before = server.requests.length
    const long = new Array<number>(sampler.contextLength + 1).fill(1)
    for (const prompt of [[], [sampler.vocabularySize], [-1], [1.5], long]) {
      await expect(sampler.sample([prompt], sampling)).rejects.toThrow(UserError)
    }
    expect(server.requests).toHaveLength(before)
  })

  it.each([
    ['without ids', { token_ids: undefined }, /without token ids \(return_token_ids\)/],
    ['with null for ids', { token_ids: null }, /without token ids/],
    ['longer than it may be', { token_ids: Array(9).fill(1) }, /sent 9 tokens for at most 8/],
    ['of another vocabulary', { token_ids: Array(8).fill(1e6) }, /sampled token 1000000, which is not one of \d+/],
    ['without log-probabilities', { logprobs: null }, /no log-probabilities for 8 tokens/],
    [
      'with those of other tokens',
      { logprobs: { tokens: Array(8).fill('token_id:0'), token_logprobs: Array(8).fill(-1), top_logprobs: [] } },
      /of another token than it sampled/,
    ],
    [
      'with tokens as text',
      { logprobs: { tokens: Array(8).fill('the'), token_logprobs: Array(8).fill(-1), top_logprobs: [] } },
      /of another token than it sampled/,
    ],
    ['under another index', { index: 1 }, /asked for 1 samples/],
    ['of no known end', { finish_reason: 'abort' }, /choices\[0\]\.finish_reason/],
  ])('fails loudly at a sample %s', async (_, fields, message) => {
    server.mend = ({ choices }) => ({ choices: choices.map((choice) => ({ ...choice, ...fields })) })
    const failure = sampler.sample([[1, 2, 3]], sampling)
    await expect(failure).rejects.toThrow(message)
    await expect(failure).rejects.not.toThrow(/\n/)
  })

  it('fails loudly where a prompt’s log-probabilities are not whole', async () => {
    server.mend = ({ choices }) => ({ choices: choices.map((choice) => ({ ...choice, prompt_logprobs: [null] })) })
    await expect(sampler.logprobs([[1, 2, 3]])).rejects.toThrow(/sent 1 log-probabilities of the 3 tokens/)
    server.mend = ({ choices }) => ({ choices: choices.map((choice) => ({ ...choice, prompt_logprobs: [null, {}] })) })
    await expect(sampler.logprobs([[1, 2]])).rejects.toThrow(/does not tell the log-probability of token 1/)
  })

  it('samples from an adapter that the server reads from its disk', async () => {
    const adapted = await sampler.withAdapter('step-20', '/adapters/step-20')
    expect(server.requests.at(-1)).toMatchObject({
      path: '/v1/load_lora_adapter',
      body: { lora_name: 'step-20', lora_path: '/adapters/step-20', load_inplace: true },
    })
    await adapted.sample([[1]], sampling)
    expect(server.requests.at(-1)!.body.model).toBe('step-20')
  })

  it('names the models there are', async () => {
    await expect(VllmSampler.connect({ ...settings(), model: 'other' }, options)).rejects.toThrow(
      /has no model "other"; it has tiny/,
    )
  })
})
