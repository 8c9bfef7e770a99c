import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UserError } from '../core/index.ts'
import {
  type ModelConfig,
  openModelWeights,
  parameterSpecs,
  readModelConfig,
  writeModelFiles,
} from '../engines/index.ts'
import { ggufModel } from '../engines/local/testing/gguf.ts'
import { randomWeights, tinyConfig } from '../engines/local/testing/weights.ts'
import { elements, readSafetensors, writeSafetensors } from '../store/index.ts'
import { byteTokenizerFile, loadChatFormat } from '../tokens/index.ts'
import { CHATML, CHATML_SPECIAL } from '../tokens/testing/tokenizer.ts'
import { convertModel, importFromHub } from './convert.ts'
import type { Hub } from './hub.ts'
import { inspectModel } from './inspect.ts'
import { openModel } from './opened.ts'

let folder = ''
let out = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rwml-models-'))
  out = join(folder, 'out')
})
afterEach(() => rmSync(folder, { recursive: true }))

const TOKENS = 256 + CHATML_SPECIAL.length
const config = (changes: Partial<ModelConfig> = {}) =>
  tinyConfig({ vocab_size: TOKENS, num_key_value_heads: 2, ...changes })

const bytes = Object.keys((byteTokenizerFile([]) as { model: { vocab: Record<string, number> } }).model.vocab)
const TOKENIZER = {
  'tokenizer.ggml.model': 'gpt2',
  'tokenizer.ggml.pre': 'qwen2',
  'tokenizer.ggml.tokens': [...bytes, ...CHATML_SPECIAL],
  'tokenizer.ggml.token_type': [...bytes.map(() => 1), 3, 3, 3],
  'tokenizer.ggml.merges': [] as string[],
  'tokenizer.ggml.eos_token_id': 258,
  'tokenizer.chat_template': CHATML,
}

/** A GGUF file of a small model with random weights. */
function gguf(model: ModelConfig, metadata: object = {}): string {
  const path = join(folder, 'model.gguf')
  writeFileSync(path, ggufModel(model, randomWeights(model, 1), { metadata: { ...TOKENIZER, ...metadata } }))
  return path
}

/** The same as a Hugging Face folder. */
function huggingFace(model: ModelConfig, dtype: 'F32' | 'BF16' = 'F32'): string {
  const weights = randomWeights(model, 1)
  let at = 0
  const tensors = new Map(
    parameterSpecs(model).map(({ name, shape }) => {
      at += elements(shape)
      return [name, { shape, data: weights.subarray(at - elements(shape), at) }]
    }),
  )
  const companions = {
    'tokenizer.json': byteTokenizerFile(CHATML_SPECIAL),
    'tokenizer_config.json': { eos_token: '<|im_end|>', chat_template: CHATML },
  }
  const path = mkdtempSync(join(folder, 'hf-'))
  writeModelFiles(path, model, tensors, new Map(Object.entries(companions).map(([name, one]) => [name, JSON.stringify(one)])), dtype) // biome-ignore format: long
  return path
}

/** Every weight of a model folder in order. */
function weightsOf(path: string): Float32Array {
  const source = openModelWeights(path)
  const parts = parameterSpecs(readModelConfig(path)).map(({ name }) => [...source.read(name)])
  source.close()
  return Float32Array.from(parts.flat())
}

describe('a GGUF file', () => {
  it.each<[string, Partial<ModelConfig>]>([
    ['llama', {}],
    ['qwen2', { model_type: 'qwen2' }],
    ['qwen3, untied', { model_type: 'qwen3', head_dim: 12, tie_word_embeddings: false }],
  ])('becomes a folder with the same weights and a tokenizer: %s', async (_, changes) => {
    const model = config(changes)
    const written = await convertModel(gguf(model), out)
    expect(written).toMatchObject({
      architecture: model.model_type,
      dtype: 'F32',
      vocabulary: TOKENS,
      chatTemplate: true,
    })
    expect(readModelConfig(out)).toEqual({ ...model, eos_token_id: 258 })
    expect(weightsOf(out)).toEqual(randomWeights(model, 1))
    const chat = loadChatFormat(out)
    expect(chat.stop).toEqual([[258]])
    expect(chat.tokenizer.decode(chat.tokenizer.encode('go to drawer 10½'))).toBe('go to drawer 10½')
    expect(readdirSync(folder).sort()).toEqual(['model.gguf', 'out'])
  })

  it('with more tokens than rows, or a template that fails, is refused, and nothing is written', async () => {
    for (const [model, metadata, message] of [
      [config({ vocab_size: 258 }), {}, 'token ids up to 258, its model only 258'],
      [
        config(),
        { 'tokenizer.chat_template': '{{ raise_exception("no") }}' },
        'model.gguf: chat template refused user',
      ],
      [config(), { 'tokenizer.chat_template': '{% if %}' }, 'model.gguf: chat template cannot be parsed'],
      [config(), { 'tokenizer.chat_template': `<|begin|>${CHATML}` }, 'writes <|begin|>, which its tokenizer does not'],
    ] as const) {
      await expect(convertModel(gguf(model, metadata), out)).rejects.toThrow(message)
      expect(readdirSync(folder)).toEqual(['model.gguf'])
    }
  })
})

describe('a damaged GGUF file', () => {
  it('is read, or refused in one line, whatever byte of it is another', () => {
    const whole = readFileSync(gguf(config({ num_hidden_layers: 1 })))
    const path = join(folder, 'damaged.gguf')
    // Entries, tokens and the table of tensors; values may be any.
    const header = whole.indexOf('blk.0.ffn_down.weight') + 80
    const flips = fc.array(fc.tuple(fc.nat(header), fc.nat(255)), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(flips, fc.nat(whole.length), (all, length) => {
        const bytes = Buffer.from(whole)
        for (const [at, value] of all) bytes[at] = value
        for (const content of [bytes, whole.subarray(0, length)]) {
          writeFileSync(path, content)
          try {
            const { weights } = openModel(path)
            for (const name of weights.tensors.keys()) weights.read(name)
            weights.close()
          } catch (error) {
            expect(error).toBeInstanceOf(UserError)
            expect((error as Error).message).toContain(path)
          }
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('a Hugging Face folder', () => {
  it('keeps its type, or takes another one', async () => {
    const source = huggingFace(config(), 'BF16')
    expect((await convertModel(source, out)).dtype).toBe('BF16')
    expect(readFileSync(join(out, 'model.safetensors'))).toEqual(readFileSync(join(source, 'model.safetensors')))
    expect(JSON.parse(readFileSync(join(out, 'config.json'), 'utf8'))).toMatchObject({ torch_dtype: 'bfloat16' })
    await convertModel(source, join(folder, 'half'), 'F16')
    expect(JSON.parse(readFileSync(join(folder, 'half', 'config.json'), 'utf8'))).toMatchObject({
      torch_dtype: 'float16',
    })
    expect(weightsOf(join(folder, 'half'))[0]).toBeCloseTo(weightsOf(source)[0], 2)
  })

  it('may have its weights in several files, and no template', async () => {
    const source = huggingFace(config())
    const { tensors } = readSafetensors(join(source, 'model.safetensors'))
    const names = [...tensors.keys()]
    const weight_map: Record<string, string> = {}
    for (const [i, part] of [names.slice(0, 5), names.slice(5)].entries()) {
      writeSafetensors(join(source, `model-${i}.safetensors`), new Map(part.map((name) => [name, tensors.get(name)!])))
      for (const name of part) weight_map[name] = `model-${i}.safetensors`
    }
    writeFileSync(join(source, 'model.safetensors.index.json'), JSON.stringify({ weight_map }))
    rmSync(join(source, 'model.safetensors'))
    writeFileSync(join(source, 'tokenizer_config.json'), '{}')
    expect((await convertModel(source, out)).chatTemplate).toBe(false)
    expect(weightsOf(out)).toEqual(randomWeights(config(), 1))
    rmSync(join(source, 'model-1.safetensors'))
    await expect(convertModel(source, join(folder, 'b'))).rejects.toThrow('model-1.safetensors cannot be read')
  })

  it('with weights that are no numbers, or too large, is refused, and nothing is left', async () => {
    const source = huggingFace(config())
    const path = join(source, 'model.safetensors')
    const { tensors } = readSafetensors(path)
    const name = 'model.layers.1.mlp.up_proj.weight'
    for (const [value, dtype, message] of [
      [Number.NaN, undefined, `${name} holds NaN (entry 3)`],
      [70000, 'F16', `${name} holds 70000, which no float16 is`],
    ] as const) {
      tensors.get(name)!.data[3] = value
      writeSafetensors(path, tensors)
      await expect(convertModel(source, out, dtype)).rejects.toThrow(message)
      expect(readdirSync(folder)).toHaveLength(1)
    }
    tensors.delete(name)
    writeSafetensors(path, tensors)
    expect(() => inspectModel(source)).toThrow(`has no tensor ${name}`)
    rmSync(path)
    expect(() => inspectModel(source)).toThrow('has no model.safetensors and no model.safetensors.index.json')
    writeFileSync(join(source, 'pytorch_model.bin'), '')
    expect(() => inspectModel(source)).toThrow('save the model with safetensors')
  })

  it('is inspected, with what to know about it', () => {
    const found = inspectModel(huggingFace(config({ model_type: 'qwen2', vocab_size: 300 })), 2 ** 20)
    expect(found).toMatchObject({ rows: 300, stored: { F32: { tensors: 38 } }, tokenizer: { turnEnd: '<|im_end|>' } })
    expect(found.example).toMatch(/Fetch it\.<\|im_end\|>\n<\|im_start\|>assistant\n$/)
    const warnings = found.warnings.join('\n')
    expect(warnings).toContain('41 rows of the embedding belong to no token')
    expect(warnings).toContain('too little memory to sample from it')
  })
})

describe('the Hugging Face hub', () => {
  /** A hub that holds the files of a folder. */
  const hubOf =
    (source: string, changes: Partial<Hub> = {}) =>
    async (): Promise<Hub> => ({
      list: async () =>
        [...readdirSync(source), 'README.md'].map((path) => ({
          path,
          size: path === 'README.md' ? 5 : readFileSync(join(source, path)).length,
        })),
      fetch: async (_, path) => new Blob([readFileSync(join(source, path))]),
      ...changes,
    })

  it('gives the files that are needed and no others', async () => {
    const said: string[] = []
    const written = await importFromHub('some/model', out, (line) => said.push(line), hubOf(huggingFace(config())))
    expect(written).toMatchObject({ source: 'some/model', out, parameters: expect.any(Number) })
    expect(said.map((line) => line.split(' ')[0])).toEqual(['config.json', 'tokenizer.json', 'tokenizer_config.json', 'model.safetensors']) // biome-ignore format: long
    expect(weightsOf(out)).toEqual(randomWeights(config(), 1))
    expect(readdirSync(folder).filter((name) => name.startsWith('download'))).toEqual([])
  })

  it('that cannot be reached, or lacks something, is said with what to do, and nothing is left', async () => {
    const source = huggingFace(config())
    const fail = (message: string) => async () => {
      throw new TypeError('fetch failed', { cause: new Error(message) })
    }
    const only =
      (...names: string[]) =>
      async () =>
        names.map((path) => ({ path, size: 1 }))
    for (const [changes, message] of [
      [
        { list: fail('getaddrinfo ENOTFOUND') },
        /config\.json of some\/model .*ENOTFOUND.*by hand from https.*HF_TOKEN/,
      ],
      [{ fetch: fail('socket hang up') }, /cannot fetch config\.json of some\/model.*socket hang up.*by hand/],
      [{ fetch: async () => new Blob(['{']) }, /only 1 of \d+ bytes arrived/],
      [{ fetch: async () => null }, /it is not there/],
      [{ list: only('config.json', 'model.safetensors') }, /has no tokenizer\.json: take a model in safetensors/],
      [{ list: only('config.json', 'q4.gguf') }, /it holds GGUF files: download one, say q4\.gguf/],
    ] as [Partial<Hub>, RegExp][]) {
      const importing = importFromHub('some/model', out, () => {}, hubOf(source, changes))
      await expect(importing).rejects.toBeInstanceOf(UserError)
      await expect(importing).rejects.toThrow(message)
    }
    expect(readdirSync(folder)).toHaveLength(1)
  })
})
