/** The sampling half of the engines' contract: see `engineContract`. */
import { describe, expect, it } from 'vitest'
import type { Sampler, SamplingParams } from '../engine.ts'

export const sampling: SamplingParams = { n: 1, maxTokens: 8, temperature: 1, stop: [], seed: 11 }

/** The largest difference between two sets of rows of the same lengths. */
export function largestDifference(a: readonly number[][], b: readonly number[][]): number {
  return Math.max(...a.flatMap((row, i) => row.map((value, t) => Math.abs(value - b[i][t]))))
}

/** `start`: whatever can be sampled from. */
export function samplingContract(name: string, start: () => Promise<{ sampler(): Sampler }>, tempered: boolean): void {
  describe(`${name}: sampling`, () => {
    it('gives n samples for every prompt, with a log-probability for every token', async () => {
      const sampler = (await start()).sampler()
      const samples = await sampler.sample([[1], [2, 3, 4, 5], [2, 3, 9]], { ...sampling, n: 3 })
      expect(samples.map((row) => row.length)).toEqual([3, 3, 3])
      for (const { tokens, logprobs, stopReason } of samples.flat()) {
        expect(tokens).toHaveLength(8)
        expect(logprobs).toHaveLength(8)
        expect(stopReason).toBe('length')
        expect(tokens.every((token) => Number.isInteger(token) && token >= 0 && token < sampler.vocabularySize)).toBe(
          true,
        )
        expect(logprobs.every((value) => value <= 0)).toBe(true)
      }
      expect(await sampler.sample([], sampling)).toEqual([])
    })

    it('repeats itself for equal seeds, and differs between seeds, samples and prompts', async () => {
      const sampler = (await start()).sampler()
      const prompts = [
        [1, 2, 3],
        [1, 2, 3],
      ]
      const first = await sampler.sample(prompts, { ...sampling, n: 2 })
      await sampler.reset()
      expect(await sampler.sample(prompts, { ...sampling, n: 2 })).toEqual(first)
      const other = await sampler.sample(prompts, { ...sampling, n: 2, seed: 12 })
      const all = [...first.flat(), ...other.flat()].map((sample) => sample.tokens.join())
      expect(new Set(all).size).toBe(8)
      const seeded = await sampler.sample(prompts, { ...sampling, seed: [5, 5] })
      expect(seeded[0][0].tokens).toEqual(seeded[1][0].tokens)
    })

    it('stops after a stop sequence, which is part of the sample', async () => {
      const sampler = (await start()).sampler()
      const [[free]] = await sampler.sample([[1, 2, 3]], sampling)
      const stop = free.tokens.slice(3, 5)
      const [[stopped]] = await sampler.sample([[1, 2, 3]], { ...sampling, stop: [[...stop, 0, 0], stop] })
      expect(stopped.stopReason).toBe('stop')
      expect(stopped.tokens.slice(-2)).toEqual(stop)
      expect(stopped.tokens).toEqual(free.tokens.slice(0, stopped.tokens.length))
    })

    it('reports the log-probabilities that logprobs() gives, at temperature 1 and others', async () => {
      const sampler = (await start()).sampler()
      const prompts = [[1], [2, 3, 4, 5, 6, 7], [9, 8]]
      for (const temperature of tempered ? [1, 0.6, 1.7] : [1]) {
        const samples = await sampler.sample(prompts, { ...sampling, n: 2, temperature })
        const sequences = samples.flatMap((row, i) => row.map((sample) => [...prompts[i], ...sample.tokens]))
        const expected = await sampler.logprobs(sequences, temperature)
        expect(expected.map((row) => row[0])).toEqual(sequences.map(() => 0))
        const tails = samples.flat().map((sample, i) => expected[i].slice(-sample.tokens.length))
        expect(
          largestDifference(
            tails,
            samples.flat().map((sample) => sample.logprobs),
          ),
        ).toBeLessThan(1e-4)
      }
    })

    it('takes the most probable token at temperature 0, and with top-k 1 or a tiny top-p', async () => {
      const sampler = (await start()).sampler()
      const prompt = [1, 2, 3]
      const [[greedy]] = await sampler.sample([prompt], { ...sampling, temperature: 0 })
      const every = Array.from({ length: sampler.vocabularySize }, (_, token) => [...prompt, token])
      const logprobs = (await sampler.logprobs(every)).map((row) => row[prompt.length])
      expect(greedy.tokens[0]).toBe(logprobs.indexOf(Math.max(...logprobs)))
      expect(greedy.logprobs[0]).toBeCloseTo(Math.max(...logprobs), 4)
      const [[one]] = await sampler.sample([prompt], { ...sampling, topK: 1 })
      const [[nucleus]] = await sampler.sample([prompt], { ...sampling, topP: 1e-6 })
      expect(one.tokens).toEqual(greedy.tokens)
      expect(nucleus.tokens).toEqual(greedy.tokens)
    })

    it('draws from the tempered distribution (chi-square)', async () => {
      const sampler = (await start()).sampler()
      const prompt = [3, 1, 4]
      const draws = 4000
      const every = Array.from({ length: sampler.vocabularySize }, (_, token) => [...prompt, token])
      for (const temperature of tempered ? [1, 0.7] : [1]) {
        const probabilities = (await sampler.logprobs(every, temperature)).map((row) => Math.exp(row[prompt.length]))
        expect(probabilities.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 4)
        const [samples] = await sampler.sample([prompt], { ...sampling, n: draws, maxTokens: 1, temperature })
        const counts = new Array<number>(sampler.vocabularySize).fill(0)
        for (const sample of samples) counts[sample.tokens[0]]++
        // Rare tokens are taken together, so that every class is expected at least five times.
        const classes = probabilities.map((p, token) => ({ expected: p * draws, count: counts[token] }))
        const rare = classes.filter((c) => c.expected < 5)
        const rest = { expected: 0, count: 0 }
        for (const c of rare) {
          rest.expected += c.expected
          rest.count += c.count
        }
        const kept = [...classes.filter((c) => c.expected >= 5), ...(rest.expected >= 5 ? [rest] : [])]
        const statistic = kept.reduce((sum, c) => sum + (c.count - c.expected) ** 2 / c.expected, 0)
        const degrees = kept.length - 1
        // Mean plus four and a half standard deviations of the chi-square distribution.
        expect(statistic).toBeLessThan(degrees + 4.5 * Math.sqrt(2 * degrees))
      }
    })

    it('gives for a prompt that extends an earlier sample what it gives afresh', async () => {
      const sampler = (await start()).sampler()
      let prompts = [
        [1, 2, 3, 4],
        [1, 2, 3, 5],
        [6, 7],
      ]
      for (let turn = 0; turn < 3; turn++) {
        const samples = await sampler.sample(prompts, { ...sampling, maxTokens: 6, seed: turn })
        const sequences = samples.map(([sample], i) => [...prompts[i], ...sample.tokens])
        const expected = await sampler.logprobs(sequences)
        const tails = samples.map(([sample], i) => expected[i].slice(-sample.tokens.length))
        expect(
          largestDifference(
            tails,
            samples.map(([sample]) => sample.logprobs),
          ),
        ).toBeLessThan(1e-4)
        prompts = sequences.map((tokens, i) => [...tokens, 10 + i, 20 + turn])
      }
    })

    it('refuses prompts it cannot continue', async () => {
      const sampler = (await start()).sampler()
      await expect(sampler.sample([[]], sampling)).rejects.toThrow()
      await expect(sampler.sample([[sampler.vocabularySize]], sampling)).rejects.toThrow()
      await expect(sampler.sample([new Array(sampler.contextLength + 1).fill(1)], sampling)).rejects.toThrow()
    })
  })
}
