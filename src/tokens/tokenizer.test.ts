import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { UserError } from '../core/index.ts'
import { byteTokenizerFile } from './byte-level.ts'
import { loadChatFormat } from './format.ts'
import { CHATML, CHATML_SPECIAL } from './testing/tokenizer.ts'
import { loadTokenizer, Tokenizer } from './tokenizer.ts'

const phrases = ['drawer 1', 'drawer 10', ' You arrive at ', '.']
const tokenizer = new Tokenizer(byteTokenizerFile(CHATML_SPECIAL, phrases), { eos_token: '<|im_end|>' })
const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})
function folder(files: Record<string, string>): string {
  const path = mkdtempSync(join(tmpdir(), 'rwml-tokens-'))
  folders.push(path)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content)
  return path
}

describe('Tokenizer', () => {
  it('takes the longest added token, and bytes elsewhere', () => {
    expect(tokenizer.vocabularySize).toBe(256 + 7)
    expect(tokenizer.encode('drawer 10')).toEqual([tokenizer.tokenId('drawer 10')])
    expect(tokenizer.encode('drawer 17')).toEqual([tokenizer.tokenId('drawer 1'), '7'.charCodeAt(0)])
    expect(tokenizer.encode('é')).toEqual([0xc3, 0xa9])
    expect(tokenizer.encode('')).toEqual([])
    expect(tokenizer.tokenId('no such token')).toBeNull()
  })

  it('adds no special tokens and keeps those in the text', () => {
    expect(tokenizer.encode('hi')).toHaveLength(2)
    expect(tokenizer.decode(tokenizer.encode('<|im_start|>user\nhi<|im_end|>'))).toBe('<|im_start|>user\nhi<|im_end|>')
  })

  it('gives back any text unchanged', () => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(...phrases, ...CHATML_SPECIAL, " 's", ' ,', '\n'),
    )
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const text = words.join('')
        expect(tokenizer.decode(tokenizer.encode(text))).toBe(text)
      }),
    )
  })

  it('decodes anything a model may sample', () => {
    expect(tokenizer.decode([])).toBe('')
    expect(tokenizer.decode([0xc3])).toBe('\uFFFD')
    expect(tokenizer.decode([65, 9999, 66])).toBe('AB')
  })

  it('reads a model folder and names what is wrong with it', () => {
    const good = folder({
      'tokenizer.json': JSON.stringify(byteTokenizerFile(CHATML_SPECIAL)),
      'tokenizer_config.json': JSON.stringify({ eos_token: { content: '<|im_end|>' } }),
    })
    expect(loadTokenizer(good).eosToken).toBe('<|im_end|>')
    expect(() => loadTokenizer(folder({}))).toThrow(/tokenizer\.json is missing/)
    expect(() => loadTokenizer(folder({ 'tokenizer.json': '{' }))).toThrow(/not valid JSON/)
  })

  it('refuses a tokenizer that changes text', () => {
    const normalizer = { type: 'Strip', strip_left: true, strip_right: true }
    expect(() => new Tokenizer({ ...byteTokenizerFile([]), normalizer }, {})).toThrow(/changes text/)
  })
})

describe('tokenizer files', () => {
  it('of any content are used, or refused with their name', () => {
    const whole = JSON.parse(JSON.stringify(byteTokenizerFile(['<|end|>']))) as Record<string, unknown>
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom({ type: 'BPE' }, { type: 'ByteLevel' }, { type: 'Sequence' }, []),
    )
    const changed = fc
      .tuple(fc.constantFrom(...Object.keys(whole)), value)
      .map(([key, other]): unknown => ({ ...whole, [key]: other }))
    const model = fc
      .tuple(fc.constantFrom('type', 'vocab', 'merges'), value)
      .map(([key, other]): unknown => ({ ...whole, model: { ...(whole.model as object), [key]: other } }))
    fc.assert(
      fc.property(
        fc.oneof(changed, model, fc.jsonValue()),
        fc.oneof(fc.constant({}), fc.jsonValue()),
        (file, config) => {
          try {
            const made = new Tokenizer(file, config, 'a folder')
            made.decode(made.encode('go to desk 1'))
          } catch (error) {
            expect(error).toBeInstanceOf(UserError)
            expect((error as Error).message).toMatch(/^a folder: /)
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('a model folder whose parts do not fit each other', () => {
  const parts = (changes: Record<string, unknown> = {}) => {
    const files: Record<string, unknown> = {
      'tokenizer.json': byteTokenizerFile(CHATML_SPECIAL),
      'tokenizer_config.json': { eos_token: '<|im_end|>', bos_token: null },
      'config.json': { vocab_size: 256 + CHATML_SPECIAL.length },
      ...changes,
    }
    const written = Object.entries(files).map(([name, content]) => [name, JSON.stringify(content)])
    return folder({ 'chat_template.jinja': CHATML, ...Object.fromEntries(written) })
  }

  it('is refused, with what does not fit', () => {
    expect(loadChatFormat(parts()).tokenizer.vocabularySize).toBe(256 + CHATML_SPECIAL.length)
    for (const [changes, message] of [
      [{ 'config.json': { vocab_size: 200 } }, /token ids up to 258, its model only 200 of them: take tokenizer/],
      [{ 'config.json': { vocab_size: 'many' } }, /config\.json.*vocab_size/],
      [{ 'tokenizer_config.json': { eos_token: '</s>' } }, /the eos_token "<\/s>" is not in its vocabulary/],
      [{ 'tokenizer_config.json': { bos_token: '<s>' } }, /the bos_token "<s>" is not in its vocabulary/],
      [
        { 'tokenizer.json': byteTokenizerFile(['<|other|>']), 'tokenizer_config.json': {} },
        /chat template writes <\|im_start\|>, which its token/,
      ],
    ] as const) {
      expect(() => loadChatFormat(parts(changes))).toThrow(message)
    }
    const bare = parts()
    rmSync(join(bare, 'chat_template.jinja'))
    expect(() => loadChatFormat(bare)).toThrow(/has no chat template/)
  })
})
