import type { Sampler } from '../engines/index.ts'
import type { ChatFormat, Message } from '../tokens/index.ts'
import { ApiError } from './errors.ts'

/** A model as requests see it: its names, how it reads and writes text, how much fits. */
export class ServedModel {
  /** What it may be called; the first is its own name. */
  readonly names: readonly string[]
  readonly format: ChatFormat
  readonly contextLength: number
  /** When its weights were written, in seconds since 1970. */
  readonly created: number
  private readonly vocabularySize: number
  private readonly longestToken: number

  constructor(names: readonly string[], format: ChatFormat, sampler: Sampler, created: number) {
    this.names = names
    this.format = format
    this.contextLength = sampler.contextLength
    this.vocabularySize = sampler.vocabularySize
    this.created = created
    const { tokenizer } = format
    let longest = 1
    for (let id = 0; id < tokenizer.vocabularySize; id++) longest = Math.max(longest, tokenizer.decode([id]).length)
    this.longestToken = longest
  }

  /** The name asked for, or the model's own. @throws ApiError where it is nobody's. */
  nameOf(asked: string | null | undefined): string {
    if (asked === null || asked === undefined) return this.names[0]
    if (this.names.includes(asked)) return asked
    throw new ApiError(404, `there is no model "${asked}" here; there is ${this.names.join(', ')}`, {
      param: 'model',
      code: 'model_not_found',
    })
  }

  chatPrompt(messages: readonly Message[]): number[] {
    return this.encode(this.format.promptText(messages), 'messages')
  }

  /** Tokens of a text. @throws ApiError where they cannot fit the context, without counting those of a huge text. */
  encode(text: string, param: string): number[] {
    if (text.length > this.contextLength * this.longestToken) {
      throw this.tooLong(`${param} has ${text.length} characters, which cannot be ${this.contextLength} tokens`, param)
    }
    return this.format.tokenizer.encode(text)
  }

  /**
   * Tokens an answer may have: as asked, or what the context leaves.
   * @throws ApiError where the prompt is empty, holds what is no token, or leaves too little.
   */
  roomFor(prompt: readonly number[], asked: number | null, param: string): number {
    if (prompt.length === 0) throw new ApiError(400, `${param} is empty: give at least one token`, { param })
    const bad = prompt.find((token) => token >= this.vocabularySize)
    if (bad !== undefined) {
      throw new ApiError(400, `${param} holds token ${bad}; the vocabulary has ${this.vocabularySize}`, { param })
    }
    const left = this.contextLength - prompt.length
    if (left < (asked ?? 1)) {
      throw this.tooLong(
        `${prompt.length} prompt tokens and ${asked ?? 1} for the answer exceed the context of ${this.contextLength}`,
        param,
      )
    }
    return asked ?? left
  }

  private tooLong(what: string, param: string): ApiError {
    return new ApiError(400, `${what}: shorten the prompt or ask for fewer tokens`, {
      param,
      code: 'context_length_exceeded',
    })
  }
}
