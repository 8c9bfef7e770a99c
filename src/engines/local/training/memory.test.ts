import { describe, expect, it } from 'vitest'
import { tinyConfig } from '../testing/weights.ts'
import { activationMemory, defaultRowBudget, mustRecompute, refuseRun, trainingMemory } from './memory.ts'

const config = tinyConfig()
/** One sequence of so many tokens. */
const one = (rows: number) => ({ rows, scores: config.num_attention_heads * rows * rows })

describe('memory of training', () => {
  it('grows faster than the length, and much slower with layers computed twice', () => {
    const [kept, twice] = [false, true].map((recompute) =>
      [512, 4096].map((rows) => activationMemory(config, one(rows), recompute)),
    )
    expect(kept[1]).toBeGreaterThan(8 * kept[0])
    expect(twice[1]).toBeLessThan(kept[1])
  })

  it('decides what is computed twice, and how many rows one run has by default', () => {
    const rows = defaultRowBudget(config, 1e7)
    expect(mustRecompute(config, { rows, scores: 0 }, 1e7)).toBe(false)
    expect(mustRecompute(config, { rows: rows + 1, scores: 0 }, 1e7)).toBe(true)
  })

  it('is less with an adapter', () => {
    const lora = { rank: 2, alpha: 4, targets: ['q_proj'] as const }
    expect(trainingMemory(config, lora)).toBeLessThan(trainingMemory(config))
  })

  it('is refused with the number where the machine has less', () => {
    expect(() => refuseRun(config, undefined, one(100), 2 ** 34)).not.toThrow()
    expect(() => refuseRun(config, undefined, one(1e5), 2 ** 34)).toThrow(
      /^training on 100000 tokens at once takes about \d+\.\d GiB of memory and this machine has 16\.0 GiB: shorten/,
    )
  })
})
