import type { AdamParams } from '../../engine.ts'

/** Flat arrays of one length: weights, their gradient, and AdamW's running means of gradient and squared gradient. */
export interface AdamState {
  weights: Float32Array
  gradient: Float32Array
  first: Float32Array
  second: Float32Array
}

/** √Σ g² in double precision. */
export function globalNorm(gradient: Float32Array): number {
  let sum = 0
  for (let i = 0; i < gradient.length; i++) sum += gradient[i] * gradient[i]
  return Math.sqrt(sum)
}

/**
 * One AdamW step in place; `step` counts from 1. The gradient is scaled so that its norm is at most `clipNorm`. Weight
 * decay is decoupled: weights shrink by learningRate × weightDecay, whatever their gradient. Answers whether all weights and
 * moments are finite: another look at every one of them would take as long again.
 */
export function adamStep(state: AdamState, adam: AdamParams, step: number, gradientNorm: number): boolean {
  const { weights, gradient, first, second } = state
  const { beta1, beta2, epsilon } = adam
  const factor = adam.clipNorm > 0 && gradientNorm > adam.clipNorm ? adam.clipNorm / gradientNorm : 1
  const keep = 1 - adam.learningRate * adam.weightDecay
  const rate = adam.learningRate / (1 - beta1 ** step)
  const correction = 1 / (1 - beta2 ** step)
  const other1 = 1 - beta1
  const other2 = 1 - beta2
  let none = 0
  for (let i = 0; i < weights.length; i++) {
    const g = gradient[i] * factor
    const m = beta1 * first[i] + other1 * g
    const v = beta2 * second[i] + other2 * g * g
    first[i] = m
    second[i] = v
    const w = weights[i] * keep - (rate * m) / (Math.sqrt(v * correction) + epsilon)
    weights[i] = w
    // Finite times zero is zero; nothing else is. What is too large for single precision is infinite once it is stored.
    none += (Math.fround(w) + Math.fround(m) + Math.fround(v)) * 0
  }
  return none === 0
}
