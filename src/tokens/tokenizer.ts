import { join } from 'node:path'
import { Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers'
import { z } from 'zod'
import { plainIssue, UserError } from '../core/index.ts'
import { readJson } from '../store/index.ts'
import { libraryFile } from './library-file.ts'

/** The part of the library's class that is used here. */
interface LibraryTokenizer {
  encode(text: string, options: { add_special_tokens: boolean }): { ids: number[] }
  decode(ids: number[], options: { skip_special_tokens: boolean; clean_up_tokenization_spaces: boolean }): string
  token_to_id(token: string): number | undefined
  get_vocab(withAddedTokens: boolean): Map<string, number>
}

const tokenName = z.union([z.string(), z.object({ content: z.string() }).transform((token) => token.content)])

/** What is read of `tokenizer_config.json`; everything else is passed to the library as it stands. */
const configSchema = z.looseObject({
  bos_token: tokenName.nullish(),
  eos_token: tokenName.nullish(),
})

const fileSchema = z.looseObject({
  added_tokens: z.array(z.looseObject({ id: z.int().min(0), content: z.string().min(1) })).default([]),
  decoder: z.looseObject({ type: z.string() }).nullable(),
})

/** Texts that a lossless tokenizer gives back unchanged, alone and one after the other. */
const PROBES = ['a drawer 3', ' ,  is .\n', '\n"héllo"', ' ?']

/**
 * Text to token ids and back. Encoding adds no special tokens (the chat template writes them as text); decoding keeps them
 * and every space, so that `decode(encode(text)) === text` up to the tokenizer's own Unicode normalisation.
 */
export class Tokenizer {
  /** Number of ids: the largest one plus one. A model may have more rows in its embedding. */
  readonly vocabularySize: number
  readonly bosToken: string | null
  readonly eosToken: string | null
  /** Added tokens by id; they stand for themselves, whatever the decoder does to others. */
  private readonly added: Map<number, string>
  private readonly library: LibraryTokenizer
  /** Each added token cuts the text for this decoder, so runs between them decode on their own. */
  private readonly decodesInRuns: boolean

  /** `file` and `config` are the parsed `tokenizer.json` and `tokenizer_config.json`; `source` names them in errors. */
  constructor(file: unknown, config: unknown, source = 'tokenizer') {
    const tokenizer = fileSchema.safeParse(file)
    const settings = configSchema.safeParse(config)
    if (!tokenizer.success)
      throw new UserError(`${source}: tokenizer.json is malformed: ${plainIssue(tokenizer.error.issues[0])}`)
    if (!settings.success)
      throw new UserError(`${source}: tokenizer_config.json is malformed: ${plainIssue(settings.error.issues[0])}`)
    this.added = new Map(tokenizer.data.added_tokens.map((token) => [token.id, token.content]))
    this.decodesInRuns = tokenizer.data.decoder?.type === 'ByteLevel'
    this.bosToken = settings.data.bos_token ?? null
    this.eosToken = settings.data.eos_token ?? null
    try {
      this.library = new HuggingFaceTokenizer(libraryFile(file) as object, config as object)
      let largest = -1
      for (const id of this.library.get_vocab(true).values()) largest = Math.max(largest, id)
      this.vocabularySize = largest + 1
      this.checkLossless(source)
    } catch (error) {
      if (error instanceof UserError) throw error
      // The library finds out about some of a file's mistakes only when it is used.
      throw new UserError(`${source}: tokenizer.json cannot be used: ${(error as Error).message}`)
    }
  }

  encode(text: string): number[] {
    return text === '' ? [] : this.library.encode(text, { add_special_tokens: false }).ids
  }

  /** The text of the tokens. Bytes that are not valid UTF-8 become U+FFFD; ids outside the vocabulary become nothing. */
  decode(tokens: readonly number[]): string {
    // The library looks every token up in the list of added ones, which is slow where there are hundreds of them.
    if (!this.decodesInRuns) return this.decodeRun(tokens)
    let text = ''
    let start = 0
    for (let at = 0; at < tokens.length; at++) {
      const content = this.added.get(tokens[at])
      if (content === undefined) continue
      text += this.decodeRun(tokens.slice(start, at)) + content
      start = at + 1
    }
    return text + this.decodeRun(tokens.slice(start))
  }

  /** Id of one token by its name in the vocabulary; null when there is none. */
  tokenId(token: string): number | null {
    return this.library.token_to_id(token) ?? null
  }

  /** Whether this id is an added token (special ones among them) rather than a piece of ordinary text. */
  isAdded(id: number): boolean {
    return this.added.has(id)
  }

  private decodeRun(tokens: readonly number[]): string {
    const known = tokens.filter((id) => id >= 0 && id < this.vocabularySize)
    if (known.length === 0) return ''
    return this.library.decode(known, { skip_special_tokens: false, clean_up_tokenization_spaces: false })
  }

  /** Prompts grow by encoding what is new, so pieces must join to the whole: a tokenizer that edits spaces is refused. */
  private checkLossless(source: string): void {
    const joined = PROBES.flatMap((probe) => this.encode(probe))
    const pieces = PROBES.map((probe) => this.decode(this.encode(probe)))
    if (this.decode(joined) === PROBES.join('') && pieces.every((piece, index) => piece === PROBES[index])) return
    throw new UserError(
      `${source}: this tokenizer changes text (a round trip gave ${JSON.stringify(this.decode(joined))} for ${JSON.stringify(PROBES.join(''))}); use a model with a byte-level tokenizer`,
    )
  }
}

/** Reads `tokenizer.json` and `tokenizer_config.json` of a model folder; a missing or unusable file is a `UserError`. */
export function loadTokenizer(folder: string): Tokenizer {
  return new Tokenizer(
    readJson(join(folder, 'tokenizer.json'), z.unknown()),
    readJson(join(folder, 'tokenizer_config.json'), z.unknown()),
    folder,
  )
}
