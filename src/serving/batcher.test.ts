import { describe, expect, it } from 'vitest'
import type { Sample, Sampler, SamplingParams, Scored } from '../engines/index.ts'
import { ScriptedSampler } from '../engines/testing/scripted-sampler.ts'
import { Batcher, BURST, type Burst } from './batcher.ts'

const burst: Burst = { tokens: [1], seed: 1, maxTokens: BURST, temperature: 1, topP: 1, alternatives: 0 }
const staying = new AbortController().signal

/** An engine whose calls to sample wait to be let go, one after the other. */
class HeldSampler extends ScriptedSampler {
  private readonly holds: (() => void)[] = []

  constructor() {
    super((prompt) => [prompt[0] + 100])
  }
  override async sample(prompts: number[][], params: SamplingParams): Promise<Sample[][]> {
    const answer = super.sample(prompts, params)
    await new Promise<void>((resolve) => this.holds.push(resolve))
    return answer
  }
  /** Once the next call has begun. */
  async letGo(): Promise<void> {
    while (this.holds.length === 0) await new Promise(setImmediate)
    this.holds.shift()!()
  }
  batches(): number[][] {
    return this.calls.map(({ prompts }) => prompts.map(([first]) => first))
  }
}

describe('Batcher', () => {
  it('serves what came while a call was running with the next one', async () => {
    const sampler = new HeldSampler()
    const batcher = new Batcher(sampler, [[9]])
    const ask = (first: number, more: Partial<Burst> = {}) =>
      batcher.burst({ ...burst, tokens: [first], ...more }, staying)
    const early = ask(1)
    await new Promise((resolve) => setTimeout(resolve))
    const late = [ask(2), ask(3, { seed: 7 })]
    await sampler.letGo()
    expect((await early).tokens).toEqual([101])
    await sampler.letGo()
    expect((await Promise.all(late)).map(({ tokens }) => tokens)).toEqual([[102], [103]])
    expect(sampler.batches()).toEqual([[1], [2, 3]])
    expect(sampler.calls[1].params).toMatchObject({ n: 1, seed: [1, 7], stop: [[9]], maxTokens: BURST })
  })

  it('lets distributions take turns, in order of arrival', async () => {
    const sampler = new ScriptedSampler((prompt) => [prompt[0]])
    const batcher = new Batcher(sampler, [])
    const ask = (first: number, temperature: number, topP = 1) =>
      batcher.burst({ ...burst, tokens: [first], temperature, topP }, staying)
    await Promise.all([ask(1, 1), ask(2, 0), ask(3, 1), ask(4, 0), ask(5, 1, 0.5)])
    expect(sampler.calls.map(({ prompts }) => prompts.map(([first]) => first))).toEqual([[1, 3], [2, 4], [5]])
    expect(sampler.calls.map(({ params }) => [params.temperature, params.topP])).toEqual([
      [1, 1],
      [0, 1],
      [1, 0.5],
    ])
  })

  it('computes nothing for an ask whose client has gone', async () => {
    const sampler = new HeldSampler()
    const batcher = new Batcher(sampler, [])
    const gone = new AbortController()
    const running = batcher.burst({ ...burst, tokens: [1] }, staying)
    await new Promise((resolve) => setTimeout(resolve))
    const left = batcher.burst({ ...burst, tokens: [2] }, gone.signal)
    const stays = batcher.burst({ ...burst, tokens: [3] }, staying)
    gone.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    await expect(batcher.burst({ ...burst, tokens: [4] }, gone.signal)).rejects.toThrow('gone')
    await sampler.letGo()
    await sampler.letGo()
    await Promise.all([running, stays])
    expect(sampler.batches()).toEqual([[1], [3]])
  })

  it('gives each ask as many alternatives as it wants', async () => {
    const listed = { tokens: [5, 6, 7], logprobs: [-1, -2, -3] }
    const sampler: Sampler = Object.assign(new ScriptedSampler(() => [1]), {
      sample: async (prompts: number[][], { alternatives }: SamplingParams): Promise<Sample[][]> => {
        expect(alternatives).toBe(3)
        return prompts.map(() => [{ tokens: [5], logprobs: [-1], stopReason: 'stop' as const, alternatives: [listed] }])
      },
      score: async (sequences: number[][], alternatives: number): Promise<Scored[]> => {
        expect(alternatives).toBe(1)
        return sequences.map(() => ({ logprobs: [0], alternatives: [{ tokens: [5], logprobs: [-1] }] }))
      },
    })
    const batcher = new Batcher(sampler, [])
    const ask = (alternatives: number) => batcher.burst({ ...burst, alternatives }, staying)
    const samples = await Promise.all([ask(0), ask(3), ask(1)])
    expect(samples.map(({ alternatives }) => alternatives![0].tokens)).toEqual([[], [5, 6, 7], [5]])
    const scored = await Promise.all([batcher.score([1], 0, staying), batcher.score([1], 1, staying)])
    expect(scored.map(({ alternatives }) => alternatives[0].tokens)).toEqual([[], [5]])
  })

  it('passes a failure of the engine on, remembers it, and goes on', async () => {
    let fails = true
    const sampler = new ScriptedSampler((prompt) => {
      if (fails) throw new Error('it broke')
      return prompt
    })
    const batcher = new Batcher(sampler, [])
    await expect(batcher.burst(burst, staying)).rejects.toMatchObject({
      status: 500,
      message: 'the engine failed: it broke',
    })
    expect(batcher.failure).toContain('it broke')
    fails = false
    expect((await batcher.burst(burst, staying)).tokens).toEqual([1])
    expect(batcher.failure).toBeNull()
    await expect(batcher.score([1], 1, staying)).rejects.toMatchObject({ status: 400 })
  })
})
