import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UserError } from '../../core/index.ts'
import { parameterCount, parameterSpecs } from './config.ts'
import { configFile, parseConfig } from './config-file.ts'

/** As published; entries that say nothing about the computation are left out. */
const LLAMA32 = {
  model_type: 'llama',
  attention_bias: false,
  bos_token_id: 128000,
  eos_token_id: [128001, 128008, 128009],
  head_dim: 64,
  hidden_act: 'silu',
  hidden_size: 2048,
  intermediate_size: 8192,
  max_position_embeddings: 131072,
  num_attention_heads: 32,
  num_hidden_layers: 16,
  num_key_value_heads: 8,
  rms_norm_eps: 1e-5,
  rope_scaling: {
    factor: 32,
    high_freq_factor: 4,
    low_freq_factor: 1,
    original_max_position_embeddings: 8192,
    rope_type: 'llama3',
  },
  rope_theta: 500000,
  tie_word_embeddings: true,
  vocab_size: 128256,
}
const QWEN25 = {
  model_type: 'qwen2',
  hidden_act: 'silu',
  hidden_size: 896,
  intermediate_size: 4864,
  max_position_embeddings: 32768,
  max_window_layers: 21,
  num_attention_heads: 14,
  num_hidden_layers: 24,
  num_key_value_heads: 2,
  rms_norm_eps: 1e-6,
  rope_theta: 1000000,
  sliding_window: 32768,
  tie_word_embeddings: true,
  use_sliding_window: false,
  vocab_size: 151936,
}
const QWEN3 = {
  model_type: 'qwen3',
  attention_bias: false,
  head_dim: 128,
  hidden_act: 'silu',
  hidden_size: 1024,
  intermediate_size: 3072,
  layer_types: Array.from({ length: 28 }, () => 'full_attention'),
  max_position_embeddings: 40960,
  num_attention_heads: 16,
  num_hidden_layers: 28,
  num_key_value_heads: 8,
  rms_norm_eps: 1e-6,
  rope_parameters: { rope_theta: 1000000, rope_type: 'default' },
  sliding_window: null,
  tie_word_embeddings: true,
  use_sliding_window: false,
  vocab_size: 151936,
}
const parse = (file: object) => parseConfig(file, 'config.json')

describe('config.json', () => {
  it('gives the published numbers of parameters', () => {
    // 1.24 B, 0.49 B and 0.60 B, as counted from their files.
    expect(parameterCount(parse(LLAMA32))).toBe(1_235_814_400)
    expect(parameterCount(parse(QWEN25))).toBe(494_032_768)
    expect(parameterCount(parse(QWEN3))).toBe(596_049_920)
  })

  it('describes biases, norms of heads, and heads that are not the width divided', () => {
    const shapes = (file: object) =>
      Object.fromEntries(parameterSpecs(parse(file)).map(({ name, shape }) => [name, shape.join()]))
    expect(shapes(QWEN25)).toMatchObject({
      'model.layers.23.self_attn.q_proj.bias': '896',
      'model.layers.23.self_attn.k_proj.bias': '128',
    })
    expect(shapes(QWEN3)).toMatchObject({
      'model.layers.0.self_attn.q_proj.weight': '2048,1024',
      'model.layers.0.self_attn.o_proj.weight': '1024,2048',
      'model.layers.0.self_attn.k_norm.weight': '128',
    })
    expect(shapes({ ...QWEN3, tie_word_embeddings: false })['lm_head.weight']).toBe('151936,1024')
    expect(Object.keys(shapes(LLAMA32)).filter((name) => /bias|_norm\.weight/.test(name))).toEqual([])
  })

  it('reads rotary embeddings in the older and the newer layout', () => {
    const yarn = { factor: 4, original_max_position_embeddings: 32768 }
    expect(parse(LLAMA32).rope_scaling).toEqual(LLAMA32.rope_scaling)
    expect(parse({ ...QWEN25, rope_scaling: { type: 'yarn', ...yarn } }).rope_scaling).toEqual({
      rope_type: 'yarn',
      ...yarn,
    })
    const { rope_theta, rope_scaling, ...rest } = LLAMA32
    expect(parse({ ...rest, rope_parameters: { rope_theta, ...rope_scaling } })).toEqual(parse(LLAMA32))
    expect(parse({ ...rest, rope_parameters: null }).rope_theta).toBe(10000)
    expect(parse(QWEN3)).toMatchObject({ rope_theta: 1000000 })
    expect(parse(QWEN3)).not.toHaveProperty('rope_scaling.factor')
  })

  it('assumes what the architecture assumes', () => {
    const { num_key_value_heads, head_dim, rms_norm_eps, tie_word_embeddings, ...llama } = LLAMA32
    const found = parse({ ...llama, head_dim: null })
    expect(found).toMatchObject({
      num_key_value_heads: 32,
      head_dim: 64,
      rms_norm_eps: 1e-6,
      tie_word_embeddings: false,
    })
    const { head_dim: _, ...qwen } = QWEN3
    expect(parse(qwen).head_dim).toBe(128)
  })

  it('comes back as it was written, and the miniature as it always was', () => {
    for (const file of [LLAMA32, QWEN25, QWEN3]) {
      const config = parse(file)
      expect(parse(JSON.parse(JSON.stringify(configFile(config, 'bfloat16'))))).toEqual(config)
    }
    const mini = JSON.parse(readFileSync('models/mini/config.json', 'utf8'))
    expect(configFile(parse(mini), 'bfloat16')).toEqual({
      ...mini,
      attention_bias: false,
      mlp_bias: false,
      head_dim: 64,
    })
  })

  it.each<[string, object, RegExp]>([
    ['experts', { ...QWEN3, model_type: 'qwen3_moe' }, /qwen3_moe is a mixture of experts.*Tinker API/],
    ['experts in a llama', { ...LLAMA32, num_local_experts: 8 }, /mixture of experts/],
    ['other architectures', { ...LLAMA32, model_type: 'gemma3_text' }, /architecture gemma3_text is not known here/],
    ['a prototype as one', { ...LLAMA32, model_type: 'constructor' }, /architecture constructor is not known/],
    ['a window in use', { ...QWEN25, use_sliding_window: true, sliding_window: 4096 }, /sliding window of 4096/],
    [
      'windows by layer',
      { ...QWEN3, sliding_window: 512, layer_types: ['full_attention', 'sliding_attention'] },
      /sliding window of 512/,
    ],
    ['other activations', { ...LLAMA32, hidden_act: 'gelu' }, /activation is gelu; silu/],
    ['other rope', { ...QWEN25, rope_scaling: { type: 'longrope', factor: 4 } }, /type longrope are not computed/],
    ['half a rope', { ...LLAMA32, rope_scaling: { rope_type: 'llama3', factor: 8 } }, /type llama3: low_freq_factor/],
    ['turning half a head', { ...LLAMA32, partial_rotary_factor: 0.5 }, /partial_rotary_factor 0.5/],
    ['biases', { ...LLAMA32, attention_bias: true }, /attention_bias in a llama model/],
    ['quantised weights', { ...QWEN25, quantization_config: { quant_method: 'awq' } }, /quantised \(awq\)/],
    [
      'uneven heads',
      { ...LLAMA32, head_dim: null, num_attention_heads: 30 },
      /num_attention_heads: heads do not divide/,
    ],
    ['uneven groups', { ...LLAMA32, num_key_value_heads: 5 }, /num_key_value_heads/],
    ['no layers', { ...LLAMA32, num_hidden_layers: 0 }, /num_hidden_layers/],
  ])('refuses %s', (_, file, message) => {
    expect(() => parse(file)).toThrow(UserError)
    expect(() => parse(file)).toThrow(message)
  })

  it('is used or refused in one line, whatever it holds', () => {
    const keys = fc.constantFrom(...Object.keys(QWEN25), 'rope_scaling', 'rope_parameters', 'head_dim', 'layer_types')
    const value = fc.oneof(
      fc.jsonValue(),
      fc.record({ rope_type: fc.constantFrom('yarn', 'llama3'), factor: fc.double() }),
    )
    fc.assert(
      fc.property(keys, value, (key, other) => {
        try {
          parameterCount(parse({ ...QWEN25, [key]: other }))
        } catch (error) {
          if (!(error instanceof UserError)) throw error
        }
      }),
    )
  })
})
