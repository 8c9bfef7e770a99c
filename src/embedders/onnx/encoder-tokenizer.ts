import { Tokenizer } from '@huggingface/tokenizers'
import { z } from 'zod'
import { UserError } from '../../core/index.ts'
import { readJson } from '../../store/index.ts'
import { libraryFile } from '../../tokens/index.ts'

const fileSchema = z.looseObject({ model: z.looseObject({ unk_token: z.string().nullish() }) })

/** A text that any tokenizer has a token for. */
const PROBE = 'a'

/**
 * Texts to the ids that a sentence encoder reads: with its special tokens around them, and no more than it has places for. Unlike a
 * language model's tokenizer it may change a text (lower case, accents): nothing is ever decoded.
 */
export class EncoderTokenizer {
  private readonly library: Tokenizer
  private readonly before: number[]
  private readonly after: number[]
  private readonly maxTokens: number
  private readonly unknown: number | null

  /** @throws UserError */
  constructor(path: string, maxTokens: number) {
    const file = readJson(path, fileSchema)
    try {
      this.library = new Tokenizer(libraryFile(file) as object, {})
      const { unk_token: unknown } = file.model
      this.unknown = unknown ? (this.library.token_to_id(unknown) ?? null) : null
      const bare = this.bare(PROBE)
      const whole: number[] = this.library.encode(PROBE, { add_special_tokens: true }).ids
      const at = whole.findIndex((_, start) => bare.every((id, i) => whole[start + i] === id))
      if (bare.length === 0 || at < 0) throw new Error(`it has no tokens for ${JSON.stringify(PROBE)}`)
      this.before = whole.slice(0, at)
      this.after = whole.slice(at + bare.length)
    } catch (error) {
      throw new UserError(`${path} cannot be used: ${(error as Error).message.split('\n')[0]}`)
    }
    this.maxTokens = maxTokens
    if (this.room < 1) throw new UserError(`${path}: ${maxTokens} tokens leave no room beside its special ones`)
  }

  /** A text of no tokens has its special ones still; without any, it is one space. */
  encode(text: string): number[] {
    const ids = [...this.before, ...this.bare(text).slice(0, this.room), ...this.after]
    return ids.length > 0 ? ids : this.bare(' ')
  }

  private get room(): number {
    return this.maxTokens - this.before.length - this.after.length
  }

  private bare(text: string): number[] {
    if (text === '') return []
    const ids: (number | undefined)[] = this.library.encode(text, { add_special_tokens: false }).ids
    // The library leaves words without an id as they are where a vocabulary holds words alone.
    return ids.map((id) => id ?? this.unknown).filter((id) => id !== null)
  }
}
