import { hash32 } from '../../core/index.ts'
import { type ModelConfig, type ParameterSpec, parameterSpecs } from './config.ts'
import type { ParameterSet } from './parameters.ts'

/** The linear layers that an adapter can stand beside, as PEFT calls them. */
export const LORA_TARGETS = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'] as const

/** Usual choices of them, by name. */
export const LORA_CHOICES = {
  'all-linear': LORA_TARGETS,
  attention: ['q_proj', 'k_proj', 'v_proj', 'o_proj'],
  'query-value': ['q_proj', 'v_proj'],
  mlp: ['gate_proj', 'up_proj', 'down_proj'],
} as const satisfies Record<string, readonly (typeof LORA_TARGETS)[number][]>

/**
 * Low-rank adaptation (arXiv 2106.09685): beside a frozen weight W [out, in] stand A [rank, in] and B [out, rank], which are
 * trained; the layer computes with W + alpha / rank · B · A.
 */
export interface Lora {
  rank: number
  alpha: number
  targets: readonly (typeof LORA_TARGETS)[number][]
}

/** Factor on B · A. */
export function loraScale({ rank, alpha }: Lora): number {
  return alpha / rank
}

/** Names of the two matrices beside a linear layer's weight. */
export function loraNames(weight: string): { a: string; b: string } {
  const module = weight.replace(/\.weight$/, '')
  return { a: `${module}.lora_A.weight`, b: `${module}.lora_B.weight` }
}

/** The weights that have an adapter beside them. */
export function loraWeights(config: ModelConfig, { targets }: Lora): ParameterSpec[] {
  return parameterSpecs(config).filter(({ name }) => targets.some((target) => name.endsWith(`.${target}.weight`)))
}

/** All parameters of an adapter in a fixed order. */
export function loraSpecs(config: ModelConfig, lora: Lora): ParameterSpec[] {
  return loraWeights(config, lora).flatMap(({ name, shape: [out, width] }) => {
    const { a, b } = loraNames(name)
    return [
      { name: a, shape: [lora.rank, width] },
      { name: b, shape: [out, lora.rank] },
    ]
  })
}

/** A new adapter, which changes nothing yet: B is 0, A uniform within 1/√in as in PEFT, a pure function of the names. */
export function initialiseLora(adapter: ParameterSet): void {
  for (const { name, shape } of adapter.specs) {
    const view = adapter.view(name)
    if (name.endsWith('.lora_B.weight')) {
      view.fill(0)
      continue
    }
    const bound = 1 / Math.sqrt(shape[1])
    const own = hash32('lora', name)
    for (let i = 0; i < view.length; i++) view[i] = bound * ((2 * hash32(own, i)) / 4294967296 - 1)
  }
}

/** Adds `factor · b · a` to `target` [out, in]; a [rank, in], b [out, rank]. */
export function addProduct(target: Float32Array, a: Float32Array, b: Float32Array, rank: number, factor: number): void {
  const width = a.length / rank
  const rows = b.length / rank
  const none = new Float32Array(width)
  // Four at a time: each value of the target is read and written a quarter as often.
  for (let r = 0; r < rank; r += 4) {
    const [a0, a1, a2, a3] = [0, 1, 2, 3].map((i) =>
      r + i < rank ? a.subarray((r + i) * width, (r + i + 1) * width) : none,
    )
    for (let row = 0; row < rows; row++) {
      const at = row * rank + r
      const b0 = factor * b[at]
      const b1 = r + 1 < rank ? factor * b[at + 1] : 0
      const b2 = r + 2 < rank ? factor * b[at + 2] : 0
      const b3 = r + 3 < rank ? factor * b[at + 3] : 0
      const to = row * width
      for (let j = 0; j < width; j++) target[to + j] += b0 * a0[j] + b1 * a1[j] + b2 * a2[j] + b3 * a3[j]
    }
  }
}
