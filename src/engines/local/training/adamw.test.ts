import { describe, expect, it } from 'vitest'
import { adamStep, globalNorm } from './adamw.ts'

const adam = { learningRate: 0.1, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0, clipNorm: 0 }

function state(weights: number[], gradient: number[]) {
  return {
    weights: Float32Array.from(weights),
    gradient: Float32Array.from(gradient),
    first: new Float32Array(weights.length),
    second: new Float32Array(weights.length),
  }
}

describe('adamStep', () => {
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

  it('tells where a weight or a moment is no longer finite', () => {
    for (const [what, value] of [
      ['weights', Number.NaN],
      ['weights', Number.POSITIVE_INFINITY],
      ['gradient', Number.NaN],
      ['gradient', 1e30],
      ['second', Number.POSITIVE_INFINITY],
    ] as const) {
      const s = state([1, 1, 1], [1, 1, 1])
      expect(adamStep(s, adam, 1, 1)).toBe(true)
      s[what][1] = value
      expect(adamStep(s, adam, 2, 1), `${what} ${value}`).toBe(false)
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
