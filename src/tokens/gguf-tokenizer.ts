import { UserError } from '../core/index.ts'
import type { GgufValue } from '../store/index.ts'

/** A GGUF file's metadata, and the file's name for messages. */
interface GgufHeader {
  path: string
  metadata: ReadonlyMap<string, GgufValue>
}

/** Kinds of tokens, by llama.cpp's number. Others are ordinary. */
const CONTROL = 3
const USER_DEFINED = 4
/** Names for rows of the embedding that no text reaches. */
const UNUSED = 5

const byteLevel = (use_regex: boolean) => ({
  type: 'ByteLevel',
  add_prefix_space: false,
  trim_offsets: true,
  use_regex,
})

const splitAt = (pattern: string) => ({
  type: 'Split',
  pattern: { Regex: pattern },
  behavior: 'Isolated',
  invert: false,
})

/** Words as GPT-4's tokenizer cuts them, with so many digits at a time. */
function words(digits: string): object {
  const pattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`
  return { type: 'Sequence', pretokenizers: [splitAt(pattern), byteLevel(false)] }
}

interface Family {
  normalizer: object | null
  preTokenizer: object
  /** A piece of text that is a token is one, whatever the merges say. */
  wholeWords: boolean
}

const LLAMA3: Family = { normalizer: null, preTokenizer: words('\\p{N}{1,3}'), wholeWords: true }

/** How text is cut before the merges, by llama.cpp's name for it: the file holds nothing else about it. */
const FAMILIES = new Map<string, Family>([
  [
    'smollm',
    {
      normalizer: null,
      preTokenizer: { type: 'Sequence', pretokenizers: [splitAt('\\p{N}'), byteLevel(true)] },
      wholeWords: false,
    },
  ],
  ['llama-bpe', LLAMA3],
  ['llama3', LLAMA3],
  ['qwen2', { normalizer: { type: 'NFC' }, preTokenizer: words('\\p{N}'), wholeWords: false }],
])

/**
 * The tokenizer in a GGUF file as the `tokenizer.json` and `tokenizer_config.json` of a Hugging Face folder: byte-level BPE of
 * the SmolLM, Llama 3 and Qwen families. @throws UserError for another one, by its name, and for one that is damaged.
 */
export function ggufTokenizer(header: GgufHeader): { tokenizer: object; config: Record<string, unknown> } {
  const { path, metadata } = header
  const family = familyOf(header)
  const tokens = listOf<string>(header, 'tokens', (value) => typeof value === 'string')
  const kinds = listOf<number>(header, 'token_type', (value) => typeof value === 'number')
  const merges = listOf<string>(header, 'merges', (value) => typeof value === 'string')
  if (kinds.length !== tokens.length) {
    throw new UserError(`${path}: it has ${tokens.length} tokens and ${kinds.length} token types; the file is damaged`)
  }
  const used = tokens.map((content, id) => ({ content, id, kind: kinds[id] })).filter(({ kind }) => kind !== UNUSED)
  // A token may be called as a property of every object is.
  const vocab = new Map(used.map(({ content, id }) => [content, id]))
  const twice = used.find(({ content, id }) => vocab.get(content) !== id)
  if (twice) throw new UserError(`${path}: two tokens are ${JSON.stringify(twice.content)}; the file is damaged`)
  const wrong = merges.find((merge) => !joins(merge, vocab))
  if (wrong !== undefined) {
    throw new UserError(
      `${path}: the merge ${JSON.stringify(wrong)} is not of two tokens to a third; the file is damaged`,
    )
  }
  const added = used.filter(({ kind }) => kind === CONTROL || kind === USER_DEFINED)
  const named = specialNames(header, tokens)
  const begin = metadata.get('tokenizer.ggml.add_bos_token') === true && named.bos_token
  return {
    tokenizer: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: added.map(({ content, id, kind }) => ({
        ...{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false },
        special: kind === CONTROL,
      })),
      normalizer: family.normalizer,
      pre_tokenizer: family.preTokenizer,
      post_processor: begin ? beginsWith(begin, vocab.get(begin) ?? 0) : byteLevel(false),
      decoder: byteLevel(true),
      model: {
        ...{ type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null },
        ...{ fuse_unk: false, byte_fallback: false, ignore_merges: family.wholeWords },
        vocab: Object.fromEntries(vocab),
        merges,
      },
    },
    config: {
      tokenizer_class: 'PreTrainedTokenizerFast',
      clean_up_tokenization_spaces: false,
      ...contextOf(header),
      ...named,
      ...templateOf(header),
    },
  }
}

function familyOf({ path, metadata }: GgufHeader): Family {
  const model = metadata.get('tokenizer.ggml.model')
  if (model !== 'gpt2') {
    throw new UserError(
      `${path}: its tokenizer is ${model === undefined ? 'missing' : `of the kind "${model}"`}; byte-level BPE ("gpt2") can be read`,
    )
  }
  const name = metadata.get('tokenizer.ggml.pre')
  const family = typeof name === 'string' ? FAMILIES.get(name) : undefined
  if (family) return family
  throw new UserError(
    `${path}: how its tokenizer cuts text ${name === undefined ? 'is not said (tokenizer.ggml.pre)' : `("${name}") is not known here`}; ${[...FAMILIES.keys()].join(', ')} are`,
  )
}

function listOf<T extends string | number>(
  { path, metadata }: GgufHeader,
  name: string,
  check: (value: unknown) => boolean,
): T[] {
  const list = metadata.get(`tokenizer.ggml.${name}`)
  if (Array.isArray(list) && list.every(check)) return list as T[]
  throw new UserError(`${path}: its tokenizer.ggml.${name} are missing or no list of what they should be`)
}

function joins(merge: string, vocab: ReadonlyMap<string, number>): boolean {
  const parts = merge.split(' ')
  return parts.length === 2 && [...parts, parts.join('')].every((part) => vocab.has(part))
}

/** Roles of special tokens, by llama.cpp's name of the id. */
const ROLES = { bos: 'bos_token', eos: 'eos_token', unknown: 'unk_token', padding: 'pad_token' }

function specialNames({ path, metadata }: GgufHeader, tokens: readonly string[]): Record<string, string> {
  const names: Record<string, string> = {}
  for (const [key, role] of Object.entries(ROLES)) {
    const id = metadata.get(`tokenizer.ggml.${key}_token_id`)
    if (id === undefined) continue
    const name = typeof id === 'number' ? tokens[id] : undefined
    if (name === undefined) throw new UserError(`${path}: its ${role} is ${id}, which no token is; the file is damaged`)
    names[role] = name
  }
  return names
}

/** Programs that encode with special tokens put this one first; here, templates write it. */
function beginsWith(token: string, id: number): object {
  const special = { SpecialToken: { id: token, type_id: 0 } }
  const text = (part: string) => ({ Sequence: { id: part, type_id: 0 } })
  return {
    type: 'TemplateProcessing',
    single: [special, text('A')],
    pair: [special, text('A'), special, text('B')],
    special_tokens: { [token]: { id: token, ids: [id], tokens: [token] } },
  }
}

function contextOf({ metadata }: GgufHeader): { model_max_length?: number } {
  const length = metadata.get(`${metadata.get('general.architecture')}.context_length`)
  return typeof length === 'number' ? { model_max_length: length } : {}
}

function templateOf({ metadata }: GgufHeader): { chat_template?: string } {
  const template = metadata.get('tokenizer.chat_template')
  return typeof template === 'string' ? { chat_template: template } : {}
}
