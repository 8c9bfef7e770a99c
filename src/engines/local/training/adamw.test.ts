import { describe, expect, it } from 'vitest'
import { Random } from '../../../core/index.ts'
import type { AdamParams } from '../../engine.ts'
import { kernelArrays } from '../kernel/index.ts'
import { BLOCK } from '../kernel/kernel.ts'
import { type AdamState, adamStep, globalNorm } from './adamw.ts'

const adam = { learningRate: 0.1, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0, clipNorm: 0 }

function state(weights: number[], gradient: number[]) {
  return {
    weights: Float32Array.from(weights),
    gradient: Float32Array.from(gradient),
    first: new Float32Array(weights.length),
    second: new Float32Array(weights.length),
  }
}

/** The same values where the kernel works on them without copies. */
function inKernel(state: AdamState): AdamState {
  const [weights, gradient, first, second] = kernelArrays(4, state.weights.length)
  const moved = { weights, gradient, first, second }
  for (const name of Object.keys(moved) as (keyof AdamState)[]) moved[name].set(state[name])
  return moved
}

type Doubles = Record<keyof AdamState, Float64Array>

/** The published recurrences in a plain loop in double precision. */
function plainStep(
  { weights, gradient, first, second }: Doubles,
  { learningRate, beta1, beta2, epsilon, weightDecay, clipNorm }: AdamParams,
  step: number,
): void {
  const norm = Math.sqrt(gradient.reduce((sum, g) => sum + g * g, 0))
  const factor = clipNorm > 0 && norm > clipNorm ? clipNorm / norm : 1
  for (let i = 0; i < weights.length; i++) {
    const g = gradient[i] * factor
    first[i] = beta1 * first[i] + (1 - beta1) * g
    second[i] = beta2 * second[i] + (1 - beta2) * g * g
    weights[i] -= learningRate * weightDecay * weights[i]
    const mean = first[i] / (1 - beta1 ** step)
    weights[i] -= (learningRate * mean) / (Math.sqrt(second[i] / (1 - beta2 ** step)) + epsilon)
  }
}

describe('globalNorm', () => {
  it('is that of double precision, wherever the array lies', () => {
    for (const size of [0, 1, 3, BLOCK - 1, BLOCK, BLOCK + 1, 100_001]) {
      const random = new Random('norm', size)
      const elsewhere = Float32Array.from({ length: size }, () => (random.next() - 0.5) * 10 ** random.integer(-30, 30))
      const [there] = kernelArrays(1, size)
      there.set(elsewhere)
      const expected = Math.sqrt(elsewhere.reduce((sum, g) => sum + g * g, 0))
      expect(Math.abs(globalNorm(there) - expected)).toBeLessThanOrEqual(1e-14 * expected)
      expect(globalNorm(elsewhere)).toBe(globalNorm(there))
    }
  })

  it('is not finite where one entry is not, wherever it stands', () => {
    for (const at of [0, 5, BLOCK - 1, BLOCK, BLOCK + 100]) {
      for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
        const gradient = new Float32Array(BLOCK + 101)
        gradient[at] = value
        expect(Number.isFinite(globalNorm(gradient))).toBe(false)
      }
    }
  })
})

describe('adamStep', () => {
  it('agrees with a plain loop in double precision, and is the same bit for bit wherever the arrays lie', () => {
    for (const size of [1, 2, 15, BLOCK - 1, BLOCK, BLOCK + 1, 100_001]) {
      const random = new Random('adamw', size)
      const values = (scale: number) => Array.from({ length: size }, () => (random.next() - 0.5) * scale)
      const elsewhere = state(values(1), [])
      elsewhere.gradient = new Float32Array(size)
      const there = inKernel(elsewhere)
      const plain = Object.fromEntries(
        Object.entries(elsewhere).map(([name, array]) => [name, Float64Array.from(array)]),
      ) as Doubles
      const settings = { ...adam, learningRate: 1e-3, beta2: 0.999, weightDecay: 0.1, clipNorm: 1 }
      for (let step = 1; step <= 5; step++) {
        // From clipped to not clipped.
        const gradient = Float32Array.from(values(10 ** (2 - step)), (g) => g * 10 ** random.integer(-6, 0))
        for (const one of [elsewhere, there, plain]) one.gradient.set(gradient)
        for (const one of [elsewhere, there]) {
          expect(adamStep(one, settings, step, globalNorm(one.gradient))).toBe(true)
        }
        plainStep(plain, settings, step)
      }
      expect(there).toEqual(elsewhere)
      const largest = (array: Float64Array) => array.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
      for (const name of ['weights', 'first', 'second'] as const) {
        const error = plain[name].map((value, i) => value - there[name][i])
        expect(largest(error), `${name} of ${size}`).toBeLessThan(1e-6 * largest(plain[name]))
      }
      expect(largest(plain.second.map((value, i) => there.second[i] / value - 1))).toBeLessThan(1e-6)
    }
  })

  it('moves by the learning rate against the sign of the first gradient, whatever its size', () => {
    const s = state([1, 1, 1], [3, -0.001, 0])
    adamStep(s, adam, 1, globalNorm(s.gradient))
    expect(s.weights[0]).toBeCloseTo(0.9, 5)
    expect(s.weights[1]).toBeCloseTo(1.1, 4)
    expect(s.weights[2]).toBe(1)
  })

  it('follows the published recurrences over several steps', () => {
    const s = state([0.5], [0])
    let [w, m, v] = [0.5, 0, 0]
    const decayed = { ...adam, weightDecay: 0.1 }
    for (let step = 1; step <= 5; step++) {
      const g = Math.sin(step)
      s.gradient[0] = g
      adamStep(s, decayed, step, Math.abs(g))
      m = 0.9 * m + 0.1 * g
      v = 0.99 * v + 0.01 * g * g
      w -= 0.1 * 0.1 * w
      w -= (0.1 * (m / (1 - 0.9 ** step))) / (Math.sqrt(v / (1 - 0.99 ** step)) + 1e-8)
      expect(s.weights[0]).toBeCloseTo(w, 5)
    }
  })

  it('tells where a weight or a moment is no longer finite, wherever it stands', () => {
    for (const [what, value] of [
      ['weights', Number.NaN],
      ['weights', Number.POSITIVE_INFINITY],
      ['gradient', Number.NaN],
      ['gradient', 1e30],
      ['first', Number.NaN],
      ['first', Number.NEGATIVE_INFINITY],
      ['second', Number.POSITIVE_INFINITY],
    ] as const) {
      for (const at of [0, 1, BLOCK - 1, BLOCK, BLOCK + 100]) {
        const elsewhere = state(Array(BLOCK + 101).fill(1), Array(BLOCK + 101).fill(1))
        for (const s of [elsewhere, inKernel(elsewhere)]) {
          expect(adamStep(s, adam, 1, 1)).toBe(true)
          s[what][at] = value
          expect(adamStep(s, adam, 2, 1), `${what} ${value} at ${at}`).toBe(false)
        }
      }
    }
  })

  it('clips the global norm, and shrinks weights without a gradient', () => {
    const s = state([0, 2], [30, 40])
    expect(globalNorm(s.gradient)).toBe(50)
    adamStep(s, { ...adam, clipNorm: 5, weightDecay: 0.5 }, 1, 50)
    expect(s.first[0]).toBeCloseTo(0.3, 5)
    expect(s.first[1]).toBeCloseTo(0.4, 5)
    expect(s.weights[1]).toBeCloseTo(2 * 0.95 - 0.1, 5)
  })
})
