import { expect, it } from 'vitest'
import type { Sampler } from '../engines/index.ts'
import { RolloutsAhead } from './rollouts-ahead.ts'

/** Weights are how many steps they were trained for; a copy of them is that number. */
function engine() {
  const state = { weights: 0, open: 0, opened: 0 }
  const freeze = async () => {
    state.open++
    state.opened++
    return { version: state.weights, close: async () => void state.open-- } as unknown as Sampler
  }
  return { state, freeze, sampler: () => ({ version: state.weights }) as unknown as Sampler }
}

async function lags(maxLag: number, steps: number, from = 0, saved = (_done: number) => false): Promise<number[]> {
  const { state, ...trainer } = engine()
  const found: number[] = []
  const ahead = new RolloutsAhead({
    trainer,
    maxLag,
    steps,
    saved,
    rollout: async (step, sampler) => ({
      groups: [],
      metrics: { step, version: (sampler as unknown as { version: number }).version },
    }),
  })
  for (let step = from; step < steps; step++) {
    state.weights = step
    const { metrics } = await ahead.of(step)
    expect(metrics.step).toBe(step)
    if (maxLag > 0) expect(metrics.lag).toBe(step - metrics.version)
    found.push(step - metrics.version)
  }
  await ahead.settled()
  await new Promise((resolve) => setImmediate(resolve))
  expect(state.open).toBe(0)
  return found
}

it('samples from the weights of the moment where no lag is allowed', async () => {
  expect(await lags(0, 4)).toEqual([0, 0, 0, 0])
})

it('runs ahead by as many steps as allowed, and no further', async () => {
  expect(await lags(1, 5)).toEqual([0, 1, 1, 1, 1])
  expect(await lags(3, 6)).toEqual([0, 1, 2, 3, 3, 3])
})

it('begins nothing beyond a checkpoint before it is there: a run that resumes from it samples the same', async () => {
  const saved = (done: number) => done % 4 === 0
  const whole = await lags(2, 10, 0, saved)
  expect(whole).toEqual([0, 1, 2, 2, 0, 1, 2, 2, 0, 1])
  expect(await lags(2, 10, 4, saved)).toEqual(whole.slice(4))
})

it('hands a failure of a rollout to the step that needs it, and to nobody else', async () => {
  const { state, ...trainer } = engine()
  const ahead = new RolloutsAhead({
    trainer,
    maxLag: 2,
    steps: 5,
    saved: () => false,
    rollout: async (step) => {
      if (step === 1) throw new Error('the server is gone')
      return { groups: [], metrics: {} }
    },
  })
  await ahead.of(0)
  await expect(ahead.of(1)).rejects.toThrow('the server is gone')
  await ahead.settled()
  await new Promise((resolve) => setImmediate(resolve))
  expect(state.open).toBe(0)
})
