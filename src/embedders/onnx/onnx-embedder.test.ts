import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { UserError } from '../../core/index.ts'
import { cosineDistance } from '../embedder.ts'
import { embedderContract } from '../testing/contract.ts'
import { Encoder } from './encoder.ts'
import { OnnxEmbedder, type OnnxEmbedderOptions } from './onnx-embedder.ts'
import { rowOf, type TinyOptions, tinyEncoder } from './testing/tiny-encoder.ts'

const folders: string[] = []
const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function folderOf(options: TinyOptions = {}): string {
  const folder = tinyEncoder(options)
  folders.push(folder)
  return folder
}

async function opened(folder: string, options?: OnnxEmbedderOptions): Promise<OnnxEmbedder> {
  const embedder = await OnnxEmbedder.open(folder, options)
  open.push(embedder)
  return embedder
}

/** Without its thread, which takes a second to start. */
async function encoderOf(folder: string): Promise<Encoder> {
  const { encoder } = await Encoder.open(folder, 1)
  open.push(encoder)
  return encoder
}

const pooling = (flags: object) => ({ '1_Pooling/config.json': { word_embedding_dimension: 8, ...flags } })
const sum = (...words: string[]) => words.map(rowOf).reduce((a, b) => a.map((value, i) => value + b[i]))

let contracted: { folder: string; embedder: OnnxEmbedder }
beforeAll(async () => {
  const folder = tinyEncoder()
  contracted = { folder, embedder: await OnnxEmbedder.open(folder) }
})
afterAll(async () => {
  await contracted.embedder.close()
  rmSync(contracted.folder, { recursive: true })
})
embedderContract('an ONNX encoder', async () => contracted.embedder)

describe('OnnxEmbedder', () => {
  it('has errors of its thread come out as they are, and refuses work once closed', async () => {
    const folder = folderOf()
    rmSync(join(folder, 'model.onnx'))
    await expect(opened(folder)).rejects.toBeInstanceOf(UserError)
    await expect(opened(folder, { threads: 0 })).rejects.toThrow(/threads must be a whole number/)
    const embedder = await opened(folderOf())
    await embedder.close()
    await expect(embedder.embed(['a'])).rejects.toThrow('the embedder is closed')
  })

  const TEXT = 'See the MUG'
  const WHOLE = ['[CLS]', 'see', 'the', 'mug', '[SEP]']

  it.each([
    ['the mean, where nothing is said', {}, sum(...WHOLE)],
    ['the mean, in the newer words', pooling({ pooling_mode: 'mean' }), sum(...WHOLE)],
    ['the first token', pooling({ pooling_mode_cls_token: true, pooling_mode_mean_tokens: false }), rowOf('[CLS]')],
    ['the last token', pooling({ pooling_mode_lasttoken: true }), rowOf('[SEP]')],
    [
      'at another place',
      {
        'modules.json': [
          { path: '', type: 'sentence_transformers.models.Transformer' },
          { path: 'pool', type: 'sentence_transformers.models.Pooling' },
        ],
        'pool/config.json': { pooling_mode_cls_token: true },
      },
      rowOf('[CLS]'),
    ],
    [
      'as many tokens as there are places',
      { 'sentence_bert_config.json': { max_seq_length: 4 } },
      sum('[CLS]', 'see', 'the', '[SEP]'),
    ],
    ['of a smaller limit', { 'tokenizer_config.json': { model_max_length: 3 } }, sum('[CLS]', 'see', '[SEP]')],
    ['where a tokenizer has no limit', { 'tokenizer_config.json': { model_max_length: 1e30 } }, sum(...WHOLE)],
  ])('pools as the folder says: %s', async (_, files, expected) => {
    const vector = await (await encoderOf(folderOf({ files }))).vector(TEXT)
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
    expect(cosineDistance(vector, expected)).toBeLessThan(1e-6)
  })

  it('has a vector for words it does not know, and for no words', async () => {
    const encoder = await encoderOf(folderOf())
    expect(cosineDistance(await encoder.vector('see zebras'), sum('[CLS]', 'see', '[UNK]', '[SEP]'))).toBeLessThan(1e-6)
    expect(cosineDistance(await encoder.vector(''), sum('[CLS]', '[SEP]'))).toBeLessThan(1e-6)
  })

  it('takes what a graph has pooled by itself, and integers of 32 bits', async () => {
    const own = await (await encoderOf(folderOf({ output: 'sentence_embedding' }))).vector(TEXT)
    expect(cosineDistance(own, rowOf('see'))).toBeLessThan(1e-6)
    const narrow = await (await encoderOf(folderOf({ integers: 'int32' }))).vector(TEXT)
    expect(cosineDistance(narrow, sum(...WHOLE))).toBeLessThan(1e-6)
  })

  it('finds the graph in onnx/, and is named by all that decides a vector', async () => {
    const folder = folderOf()
    const { name } = await opened(folder)
    mkdirSync(join(folder, 'onnx'))
    renameSync(join(folder, 'model.onnx'), join(folder, 'onnx', 'model.onnx'))
    const { hash } = await encoderOf(folder)
    expect(name).toBe(`${basename(folder)}@${hash.slice(0, 8)}`)
    appendFileSync(join(folder, 'tokenizer.json'), ' ')
    expect((await encoderOf(folder)).hash).not.toBe(hash)
  })

  it('encodes nothing twice where it has a folder', async () => {
    const [folder, cacheFolder] = [folderOf(), join(folderOf(), 'cache')]
    const embedder = await opened(folder, { cacheFolder })
    const [vector] = await embedder.embed([TEXT])
    const [file] = readdirSync(cacheFolder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.f32'),
    )
    const keep = (...numbers: number[]) =>
      writeFileSync(join(cacheFolder, file), new Uint8Array(Float32Array.from(numbers).buffer))
    keep(1, 0, 0, 0, 0, 0, 0, 0)
    expect(await embedder.embed([TEXT])).toEqual([Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0)])
    // What another encoder has kept is not taken, nor what is no vector of this one.
    appendFileSync(join(folder, 'tokenizer.json'), ' ')
    expect(await (await opened(folder, { cacheFolder })).embed([TEXT])).toEqual([vector])
    keep(1, 0)
    expect(await embedder.embed([TEXT, TEXT])).toEqual([vector, vector])
  })

  it.each([
    ['no graph', (folder: string) => rmSync(join(folder, 'model.onnx')), /holds no sentence encoder: model.onnx/],
    ['no tokenizer', (folder: string) => rmSync(join(folder, 'tokenizer.json')), /it lacks tokenizer.json/],
    [
      'a broken graph',
      (folder: string) => writeFileSync(join(folder, 'model.onnx'), 'none'),
      /model.onnx cannot be opened/,
    ],
    [
      'a broken tokenizer',
      (folder: string) => writeFileSync(join(folder, 'tokenizer.json'), '{}'),
      /tokenizer.json does not hold what it should: model/,
    ],
  ])('says in one line what is wrong: %s', async (_, spoil, message) => {
    const folder = folderOf()
    spoil(folder)
    const failure = encoderOf(folder)
    await expect(failure).rejects.toBeInstanceOf(UserError)
    await expect(failure).rejects.toThrow(message)
    await expect(failure).rejects.not.toThrow(/\n/)
  })

  it.each([
    [
      'pooling of two ways',
      { files: pooling({ pooling_mode_cls_token: true, pooling_mode_max_tokens: true }) },
      /by cls_token and max_tokens/,
    ],
    [
      'another dimension',
      { files: { '1_Pooling/config.json': { pooling_mode: 'mean', word_embedding_dimension: 9 } } },
      /says 9 numbers a vector, and its graph gives 8/,
    ],
    [
      'a layer after it',
      { files: { 'modules.json': [{ path: '2_Dense', type: 'sentence_transformers.models.Dense' }] } },
      /a Dense follows/,
    ],
    ['a decoder', { inputs: ['input_ids', 'past_key_values.0.key'] }, /asks for past_key_values.0.key/],
    ['no room', { files: { 'sentence_bert_config.json': { max_seq_length: 2 } } }, /2 tokens leave no room/],
  ])('refuses what is not computed here: %s', async (_, options, message) => {
    await expect(encoderOf(folderOf(options))).rejects.toThrow(message)
  })
})
