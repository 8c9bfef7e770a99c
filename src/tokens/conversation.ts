import type { TokenSequence } from '../core/index.ts'
import type { ChatFormat } from './format.ts'
import type { Message, RenderOptions } from './template.ts'

/**
 * A conversation, tokens in and tokens out. Sampled ids are kept and never encoded again: a prompt that extends the text
 * so far adds only the tokens of what is new. Where a template rewrites earlier turns, a new sequence begins instead,
 * and `restarts` counts it.
 */
export class Conversation {
  private readonly format: ChatFormat
  private readonly finished: TokenSequence[] = []
  private current: TokenSequence = emptySequence()
  /** The text whose tokens `current` holds: the prompts as rendered, the replies as decoded. */
  private text = ''
  private awaitsReply = false
  private restartCount = 0

  constructor(format: ChatFormat) {
    this.format = format
  }

  /** Times a prompt did not extend the text so far, so that sampled tokens were left behind in an earlier sequence. */
  get restarts(): number {
    return this.restartCount
  }

  /** The sequence being written. */
  get sequence(): TokenSequence {
    return this.current
  }

  /** Every sequence with sampled tokens: those left behind by restarts, then the current one. */
  sequences(): TokenSequence[] {
    return [...this.finished, this.current].filter((sequence) => sequence.mask.includes(1))
  }

  /** Token ids to sample the next assistant turn from. */
  prompt(messages: readonly Message[], tools?: RenderOptions['tools']): number[] {
    return this.promptWithin(messages, Number.POSITIVE_INFINITY, tools) as number[]
  }

  /** The same where it has at most `room` tokens; otherwise null, and the conversation stays as it was. */
  promptWithin(messages: readonly Message[], room: number, tools?: RenderOptions['tools']): number[] | null {
    const text = this.format.promptText(messages, { tools })
    const continues = text.startsWith(this.text)
    const added = this.format.tokenizer.encode(continues ? text.slice(this.text.length) : text)
    if ((continues ? this.current.tokens.length : 0) + added.length > room) return null
    if (!continues) {
      if (this.current.mask.includes(1)) {
        this.restartCount++
        this.finished.push(this.current)
      }
      this.current = emptySequence()
    }
    this.append(added, 0)
    this.text = text
    this.awaitsReply = true
    return [...this.current.tokens]
  }

  /** The model's answer to the last prompt; returns its text as message content. */
  accept(tokens: readonly number[], logprobs: readonly number[]): string {
    if (!this.awaitsReply) throw new Error('accept needs a prompt that has not been answered')
    if (tokens.length !== logprobs.length) {
      throw new Error(`a sample has ${tokens.length} tokens but ${logprobs.length} log-probabilities`)
    }
    this.append(tokens, 1, logprobs)
    this.text += this.format.tokenizer.decode(tokens)
    this.awaitsReply = false
    return this.format.replyText(tokens)
  }

  private append(tokens: readonly number[], mask: 0 | 1, logprobs?: readonly number[]): void {
    for (const [index, token] of tokens.entries()) {
      this.current.tokens.push(token)
      this.current.mask.push(mask)
      this.current.logprobs.push(logprobs?.[index] ?? 0)
    }
  }
}

function emptySequence(): TokenSequence {
  return { tokens: [], mask: [], logprobs: [] }
}
