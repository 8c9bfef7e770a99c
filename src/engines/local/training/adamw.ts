import type { AdamParams } from '../../engine.ts'
import { inBlocks } from '../kernel/index.ts'

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
  inBlocks([gradient], { written: 0, padding: 0 }, (kernel, count, [at]) => {
    sum += kernel.squares(count, at)
  })
  return Math.sqrt(sum)
}

/**
 * One AdamW step in place, in single precision; `step` counts from 1. The gradient is scaled so that its norm is at most
 * `clipNorm`. Weight decay is decoupled: weights shrink by learningRate × weightDecay, whatever their gradient. Answers whether
 * all weights and moments are finite: another look at every one of them would take as long again.
 */
export function adamStep(state: AdamState, adam: AdamParams, step: number, gradientNorm: number): boolean {
  const { beta1, beta2, epsilon, learningRate } = adam
  const settings = [
    adam.clipNorm > 0 && gradientNorm > adam.clipNorm ? adam.clipNorm / gradientNorm : 1,
    learningRate * adam.weightDecay,
    learningRate / (1 - beta1 ** step),
    Math.sqrt(1 / (1 - beta2 ** step)),
    beta1,
    beta2,
    1 - beta1,
    1 - beta2,
    epsilon,
  ]
  let none = 0
  // Padding of ones stays finite.
  const blocks = { written: 3, padding: 1 }
  inBlocks([state.weights, state.first, state.second, state.gradient], blocks, (kernel, count, [w, m, v, g]) => {
    none += kernel.step(count, w, m, v, g, ...settings)
  })
  return none === 0
}
