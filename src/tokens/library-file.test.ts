import { Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers'
import { describe, expect, it } from 'vitest'
import { byteCharacters } from './byte-level.ts'
import { libraryFile } from './library-file.ts'
import { Tokenizer } from './tokenizer.ts'

const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true }

/** A byte-level tokenizer with some merges and without some bytes. */
function made(merges: [string, string][], without: number[] = []): Tokenizer {
  const bytes = byteCharacters().filter((_, byte) => !without.includes(byte))
  const vocab = Object.fromEntries([...bytes, ...merges.map((pair) => pair.join(''))].map((token, id) => [token, id]))
  return new Tokenizer(
    {
      added_tokens: [],
      normalizer: null,
      pre_tokenizer: byteLevel,
      post_processor: null,
      decoder: byteLevel,
      model: {
        type: 'BPE',
        unk_token: null,
        byte_fallback: false,
        vocab,
        merges: merges.map((pair) => pair.join(' ')),
      },
    },
    {},
  )
}

/** What becomes one token, as text. */
const pieces = (tokenizer: Tokenizer, text: string) => tokenizer.encode(text).map((id) => tokenizer.decode([id]))

// Each as Hugging Face's own library has it (tokenizers 0.23).
describe('a tokenizer file for the library', () => {
  it('takes for spaces what Unicode does', () => {
    const tokenizer = made([
      ["'", 's'],
      ['Ġ', 'Ġ'],
    ])
    // U+0085 is one: the quote is not part of a run of signs with it.
    expect(pieces(tokenizer, "\u0085's").at(-1)).toBe("'s")
    // U+FEFF is none: with the space before it, it is a run of signs.
    expect(pieces(tokenizer, '  \ufeff').slice(0, 2)).toEqual([' ', ' '])
    expect(pieces(tokenizer, '  a').slice(0, 2)).toEqual([' ', ' '])
    expect(pieces(tokenizer, '  ')).toEqual(['  '])
  })

  it('leaves out bytes that are no tokens before it merges', () => {
    const tokenizer = made([['!', '!']], [4])
    expect(pieces(tokenizer, '!\u0004!')).toEqual(['!!'])
    expect(pieces(tokenizer, 'a\u0004b')).toEqual(['a', 'b'])
    expect(tokenizer.encode('\u0004')).toEqual([])
    expect(pieces(made([['!', '!']]), '!\u0004!')).toEqual(['!', '\u0004', '!'])
  })

  it('sets every ideograph apart that BERT does', () => {
    const vocab = Object.fromEntries(['[UNK]', 'a', 'b', '界', '𠮷', '##𠮷', '##b'].map((token, id) => [token, id]))
    const library = new HuggingFaceTokenizer(
      libraryFile({
        added_tokens: [],
        normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
        pre_tokenizer: { type: 'BertPreTokenizer' },
        post_processor: null,
        decoder: null,
        model: { type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', vocab },
      }) as object,
      {},
    )
    expect(library.encode('a界b a𠮷b').tokens).toEqual(['a', '界', 'b', 'a', '𠮷', 'b'])
  })
})
