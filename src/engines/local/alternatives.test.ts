import { afterAll, describe, expect, it } from 'vitest'
import { MOST_ALTERNATIVES, type Sampler } from '../engine.ts'
import { sampling } from '../testing/contract-sampling.ts'
import { parameterSpecs } from './config.ts'
import { openLocalEngine } from './engine.ts'
import { initialise, ParameterSet } from './parameters.ts'
import { logSoftmax, referenceLogits } from './testing/reference.ts'
import { tinyConfig } from './testing/weights.ts'

const config = tinyConfig({ num_key_value_heads: 2 })
const parameters = new ParameterSet(parameterSpecs(config))
initialise(parameters, config, 3)
const engine = await openLocalEngine({ config, seed: 3 }, { threads: 2 })
const sampler: Sampler = engine.trainer().sampler()
afterAll(() => engine.close())

/** Tokens by falling log-probability after a context, by the reference. */
function ranked(context: number[], temperature = 1): { token: number; logprob: number }[] {
  const logits = referenceLogits(config, parameters.flat, context)[context.length - 1]
  return Array.from(logSoftmax(logits, temperature), (logprob, token) => ({ token, logprob })).sort(
    (a, b) => b.logprob - a.logprob,
  )
}

function expectAlternatives(
  found: { tokens: number[]; logprobs: number[] },
  context: number[],
  count: number,
  temperature = 1,
): void {
  const expected = ranked(context, temperature).slice(0, count)
  expect(found.tokens).toEqual(expected.map(({ token }) => token))
  found.logprobs.forEach((logprob, i) => {
    expect(Math.abs(logprob - expected[i].logprob)).toBeLessThan(1e-4)
  })
}

describe('score', () => {
  it('gives every token its log-probability and the most probable ones beside it', async () => {
    const sequences = [[1, 2, 3, 4, 5], [1, 2, 3, 9], [7]]
    const scored = await sampler.score!(sequences, 3)
    const logprobs = await sampler.logprobs(sequences)
    scored.forEach((one, i) => {
      expect(one.logprobs).toEqual(logprobs[i])
      expect(one.alternatives[0]).toEqual({ tokens: [], logprobs: [] })
      for (let t = 1; t < sequences[i].length; t++) {
        expectAlternatives(one.alternatives[t], sequences[i].slice(0, t), 3)
      }
    })
  })

  it('gives a token the same figure, to the bit, among the alternatives', async () => {
    const prompt = [5, 6, 7]
    const [{ token }] = ranked(prompt)
    const [{ logprobs, alternatives }] = await sampler.score!([[...prompt, token]], 1)
    expect(alternatives[3].logprobs[0]).toBe(logprobs[3])
  })
})

describe('sampling with alternatives', () => {
  it('lists the most probable tokens of the distribution that was drawn from', async () => {
    const params = { ...sampling, n: 2, temperature: 0.7 }
    const [samples] = await sampler.sample([[1, 2, 3]], { ...params, alternatives: 4 })
    for (const { tokens, alternatives } of samples) {
      expect(alternatives).toHaveLength(tokens.length)
      alternatives!.forEach((found, t) => {
        expectAlternatives(found, [1, 2, 3, ...tokens.slice(0, t)], 4, 0.7)
      })
    }
    const [plain] = await sampler.sample([[1, 2, 3]], params)
    expect(plain.map(({ tokens }) => tokens)).toEqual(samples.map(({ tokens }) => tokens))
    expect(plain[0].alternatives).toBeUndefined()
  })

  it('refuses more than can be listed', async () => {
    const sample = sampler.sample([[1]], { ...sampling, alternatives: MOST_ALTERNATIVES + 1 })
    await expect(sample).rejects.toThrow('alternatives is 21')
  })
})
