import type { ModelConfig, RopeScaling } from './config.ts'

/** How far each pair of a head's dimensions turns with every position. */
export interface RopeFrequencies {
  /** Radians a position, [head_dim / 2]. */
  inverse: Float64Array
  /** Cosines and sines are multiplied by it (YaRN's attention factor; 1 elsewhere). */
  scale: number
}

/** Rotary frequencies of a model, as transformers computes them (`modeling_rope_utils.py`). */
export function ropeFrequencies(
  config: Pick<ModelConfig, 'head_dim' | 'rope_theta' | 'rope_scaling'>,
): RopeFrequencies {
  const { head_dim, rope_theta: theta, rope_scaling: scaling } = config
  const half = head_dim / 2
  const inverse = Float64Array.from({ length: half }, (_, i) => theta ** (-i / half))
  if (!scaling) return { inverse, scale: 1 }
  switch (scaling.rope_type) {
    case 'linear':
      return { inverse: inverse.map((frequency) => frequency / scaling.factor), scale: 1 }
    case 'llama3':
      return { inverse: inverse.map((frequency) => frequency / llama3Divisor(frequency, scaling)), scale: 1 }
    case 'yarn':
      return { inverse: yarnFrequencies(inverse, theta, scaling), scale: yarnAttentionFactor(scaling) }
  }
}

type Llama3 = Extract<RopeScaling, { rope_type: 'llama3' }>
type Yarn = Extract<RopeScaling, { rope_type: 'yarn' }>

/** What llama3 scaling divides a frequency by: 1 for short waves, `factor` for long ones, between them in between. */
export function llama3Divisor(frequency: number, scaling: Llama3): number {
  const { factor, low_freq_factor: low, high_freq_factor: high } = scaling
  // How often the wave goes round within the original context.
  const turns = (scaling.original_max_position_embeddings * frequency) / (2 * Math.PI)
  if (turns > high) return 1
  if (turns < low) return factor
  const smooth = (turns - low) / (high - low)
  return 1 / ((1 - smooth) / factor + smooth)
}

/** YaRN (arXiv 2309.00071): fast dimensions stay as they are, slow ones are interpolated, with a ramp between. */
function yarnFrequencies(inverse: Float64Array, theta: number, scaling: Yarn): Float64Array {
  const { factor, original_max_position_embeddings: context, truncate = true } = scaling
  const dimensions = 2 * inverse.length
  /** The dimension that turns so many times within the original context. */
  const dimensionOf = (turns: number) =>
    (dimensions * Math.log(context / (turns * 2 * Math.PI))) / (2 * Math.log(theta))
  const fast = dimensionOf(scaling.beta_fast ?? 32)
  const slow = dimensionOf(scaling.beta_slow ?? 1)
  const low = Math.max(truncate ? Math.floor(fast) : fast, 0)
  const high = Math.min(truncate ? Math.ceil(slow) : slow, dimensions - 1)
  // No ramp at all would divide by zero.
  const width = high === low ? 0.001 : high - low
  return inverse.map((frequency, i) => {
    const interpolated = Math.min(1, Math.max(0, (i - low) / width))
    return (frequency / factor) * interpolated + frequency * (1 - interpolated)
  })
}

function yarnAttentionFactor({ factor, attention_factor, mscale, mscale_all_dim }: Yarn): number {
  if (attention_factor !== undefined) return attention_factor
  const temper = (weight: number) => (factor <= 1 ? 1 : 0.1 * weight * Math.log(factor) + 1)
  return mscale && mscale_all_dim ? temper(mscale) / temper(mscale_all_dim) : temper(1)
}
