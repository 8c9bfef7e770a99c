import { describe, expect, it } from 'vitest'
import { UserError } from '../core/index.ts'
import type { GgufValue } from '../store/index.ts'
import { byteTokenizerFile } from './byte-level.ts'
import { ggufTokenizer } from './gguf-tokenizer.ts'
import { Tokenizer } from './tokenizer.ts'

/** Bytes, then what the merges make, then special tokens and a row that nothing uses. */
const bytes = Object.keys((byteTokenizerFile([]) as { model: { vocab: Record<string, number> } }).model.vocab)
const merged = ['Ġd', 'ra', '12', "'s", 'Â½', 'ex', 'exa']
const tokens = [...bytes, ...merged, '<s>', '<|end|>', '<think>', '[PAD1]']
const header = (changes: Record<string, GgufValue> = {}) => ({
  path: 'model.gguf',
  metadata: new Map<string, GgufValue>([
    ['general.architecture', 'llama'],
    ['llama.context_length', 64],
    ['tokenizer.ggml.model', 'gpt2'],
    ['tokenizer.ggml.pre', 'smollm'],
    ['tokenizer.ggml.tokens', tokens],
    ['tokenizer.ggml.token_type', [...[...bytes, ...merged].map(() => 1), 3, 3, 4, 5]],
    ['tokenizer.ggml.merges', ['Ġ d', 'r a', '1 2', "' s", 'Â ½', 'e x', 'ex a']],
    ['tokenizer.ggml.bos_token_id', 263],
    ['tokenizer.ggml.eos_token_id', 264],
    ['tokenizer.chat_template', '{{ messages }}'],
    ...Object.entries(changes),
  ]),
})
const open = (pre: string) => {
  const { tokenizer, config } = ggufTokenizer(header({ 'tokenizer.ggml.pre': pre }))
  return new Tokenizer(JSON.parse(JSON.stringify(tokenizer)), config)
}

describe('the tokenizer in a GGUF file', () => {
  it('becomes files that are read, with its special tokens, and without rows that nothing uses', () => {
    const { tokenizer, config } = ggufTokenizer(header())
    const made = new Tokenizer(tokenizer, config)
    expect(made.vocabularySize).toBe(tokens.length - 1)
    expect(made.encode('<think> drawer<|end|>')).toEqual([
      265,
      256,
      257,
      ...[...'wer'].map((c) => made.tokenId(c)),
      264,
    ])
    expect(config).toMatchObject({ bos_token: '<s>', eos_token: '<|end|>', model_max_length: 64 })
    expect(config.chat_template).toBe('{{ messages }}')
    expect(tokenizer).toMatchObject({ added_tokens: [{ special: true }, { special: true }, { special: false }] })
  })

  it('cuts text as its family does', () => {
    const twelve = 258
    // Digit by digit, three at a time, digit by digit.
    expect(open('smollm').encode('12')).not.toContain(twelve)
    expect(open('llama-bpe').encode('12')).toEqual([twelve])
    expect(open('qwen2').encode('12')).not.toContain(twelve)
    // Numerals that are no digits are cut, too.
    expect(open('smollm').encode('½½')).toEqual([260, 260])
    // Composed, as Qwen was trained.
    expect(open('qwen2').encode('e\u0301')).toEqual(open('qwen2').encode('é'))
  })

  it('means all numerals by "Digits"', () => {
    const { tokenizer, config } = ggufTokenizer(header())
    const digits = { type: 'Sequence', pretokenizers: [{ type: 'Digits', individual_digits: true }, { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true }] } // biome-ignore format: one line
    const made = new Tokenizer({ ...tokenizer, pre_tokenizer: digits }, config)
    for (const text of ['½½ 12', 'drawer 10½', '３４']) expect(made.encode(text)).toEqual(open('smollm').encode(text))
  })

  it('puts its first token first in programs that ask for it', () => {
    const { tokenizer } = ggufTokenizer(header({ 'tokenizer.ggml.add_bos_token': true }))
    expect(tokenizer).toMatchObject({ post_processor: { single: [{ SpecialToken: { id: '<s>' } }, {}] } })
  })

  it.each<[string, Record<string, GgufValue>, string]>([
    ['another kind', { 'tokenizer.ggml.model': 'llama' }, 'of the kind "llama"; byte-level BPE'],
    ['another family', { 'tokenizer.ggml.pre': 'gpt-4o' }, '("gpt-4o") is not known here; smollm, llama-bpe'],
    ['tokens that are none', { 'tokenizer.ggml.tokens': [1, 2] }, 'tokenizer.ggml.tokens are missing'],
    ['too few types', { 'tokenizer.ggml.token_type': [1] }, 'token types; the file is damaged'],
    [
      'a token twice',
      { 'tokenizer.ggml.tokens': [...tokens.slice(0, -4), 'a', '<|end|>', 'x', 'y'] },
      'two tokens are "a"',
    ],
    ['a merge to nothing', { 'tokenizer.ggml.merges': ['q q'] }, 'the merge "q q" is not of two tokens'],
    ['an end that is no token', { 'tokenizer.ggml.eos_token_id': 9999 }, 'its eos_token is 9999'],
  ])('is refused for %s', (_, changes, message) => {
    expect(() => ggufTokenizer(header(changes))).toThrow(UserError)
    expect(() => ggufTokenizer(header(changes))).toThrow(message)
  })
})
