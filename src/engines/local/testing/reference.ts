/** The decoder once more, in plain double precision and without a cache: what the graphs are checked against. */
import { type ModelConfig, parameterSpecs } from '../config.ts'
import { ropeFrequencies } from '../rope.ts'

/** Flat weights; in double precision where a finite difference must not drown in rounding. */
type Weights = Float32Array | Float64Array

/** Parameters by name, as views of the flat weights. */
function views(config: ModelConfig, weights: Weights): Map<string, Weights> {
  const out = new Map<string, Weights>()
  let offset = 0
  for (const { name, shape } of parameterSpecs(config)) {
    const size = shape.reduce((a, b) => a * b, 1)
    out.set(name, weights.subarray(offset, offset + size))
    offset += size
  }
  return out
}

function linear(x: Float64Array, weight: Weights): Float64Array {
  const out = new Float64Array(weight.length / x.length)
  for (let o = 0; o < out.length; o++) {
    let sum = 0
    for (let i = 0; i < x.length; i++) sum += weight[o * x.length + i] * x[i]
    out[o] = sum
  }
  return out
}

function norm(x: Float64Array, gain: Weights, epsilon: number): Float64Array {
  const scale = 1 / Math.sqrt(x.reduce((sum, value) => sum + value * value, 0) / x.length + epsilon)
  return x.map((value, i) => value * scale * gain[i])
}

/** The heads of a row, each by itself through a function. */
function byHead(row: Float64Array, headSize: number, change: (head: Float64Array) => Float64Array): Float64Array {
  const out = new Float64Array(row.length)
  for (let start = 0; start < row.length; start += headSize) {
    out.set(change(row.subarray(start, start + headSize)), start)
  }
  return out
}

/** Pairs (i, i + half) of a head turn by position · frequency; the frequencies are checked against transformers elsewhere. */
function rotate(head: Float64Array, position: number, config: ModelConfig): Float64Array {
  const { inverse, scale } = ropeFrequencies(config)
  const half = head.length / 2
  return head.map((x, i) => {
    const angle = position * inverse[i % half]
    const other = i < half ? -head[i + half] : head[i - half]
    return scale * (x * Math.cos(angle) + other * Math.sin(angle))
  })
}

/** Logits after every token, [tokens][vocabulary]. */
export function referenceLogits(config: ModelConfig, weights: Weights, tokens: readonly number[]): Float64Array[] {
  const parameters = views(config, weights)
  const get = (name: string) => parameters.get(name)!
  const { hidden_size: d, num_attention_heads: heads, num_key_value_heads: kvHeads, rms_norm_eps: epsilon } = config
  const headSize = config.head_dim
  const embedding = get('model.embed_tokens.weight')
  const rows = tokens.map((token) => Float64Array.from(embedding.subarray(token * d, (token + 1) * d)))
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const at = (name: string) => get(`model.layers.${layer}.${name}.weight`)
    const normed = rows.map((row) => norm(row, at('input_layernorm'), epsilon))
    const project = (row: Float64Array, name: string) => {
      const bias = parameters.get(`model.layers.${layer}.${name}.bias`)
      return linear(row, at(name)).map((value, i) => value + (bias?.[i] ?? 0))
    }
    const prepare = (row: Float64Array, which: 'q' | 'k', position: number) =>
      byHead(project(row, `self_attn.${which}_proj`), headSize, (head) => {
        const gain = parameters.get(`model.layers.${layer}.self_attn.${which}_norm.weight`)
        return rotate(gain ? norm(head, gain, epsilon) : head, position, config)
      })
    const queries = normed.map((row, t) => prepare(row, 'q', t))
    const keys = normed.map((row, t) => prepare(row, 'k', t))
    const values = normed.map((row) => project(row, 'self_attn.v_proj'))
    rows.forEach((row, t) => {
      const mixed = new Float64Array(heads * headSize)
      for (let head = 0; head < heads; head++) {
        const q = head * headSize
        const k = Math.floor(head / (heads / kvHeads)) * headSize
        const scores: number[] = []
        for (let s = 0; s <= t; s++) {
          let score = 0
          for (let i = 0; i < headSize; i++) score += queries[t][q + i] * keys[s][k + i]
          scores.push(score / Math.sqrt(headSize))
        }
        const most = Math.max(...scores)
        const exponentials = scores.map((score) => Math.exp(score - most))
        const total = exponentials.reduce((a, b) => a + b, 0)
        exponentials.forEach((weight, s) => {
          for (let i = 0; i < headSize; i++) mixed[q + i] += (weight / total) * values[s][k + i]
        })
      }
      linear(mixed, at('self_attn.o_proj')).forEach((value, i) => {
        row[i] += value
      })
    })
    for (const row of rows) {
      const x = norm(row, at('post_attention_layernorm'), epsilon)
      const gate = linear(x, at('mlp.gate_proj'))
      const up = linear(x, at('mlp.up_proj'))
      const hidden = gate.map((value, i) => (value / (1 + Math.exp(-value))) * up[i])
      linear(hidden, at('mlp.down_proj')).forEach((value, i) => {
        row[i] += value
      })
    }
  }
  const head = config.tie_word_embeddings ? embedding : get('lm_head.weight')
  return rows.map((row) => linear(norm(row, get('model.norm.weight'), epsilon), head))
}

/** log softmax(logits / temperature). */
export function logSoftmax(logits: Float64Array, temperature = 1): Float64Array {
  const scaled = logits.map((value) => value / temperature)
  const most = scaled.reduce((a, b) => Math.max(a, b), -Infinity)
  const total = Math.log(scaled.reduce((sum, value) => sum + Math.exp(value - most), 0)) + most
  return scaled.map((value) => value - total)
}

/** Log-probability of every token given those before it; entry 0 is 0. */
export function referenceLogprobs(
  config: ModelConfig,
  weights: Weights,
  tokens: readonly number[],
  temperature = 1,
): number[] {
  const logits = referenceLogits(config, weights, tokens)
  return tokens.map((token, t) => (t === 0 ? 0 : logSoftmax(logits[t - 1], temperature)[token]))
}
