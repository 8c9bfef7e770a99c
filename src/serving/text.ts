/** From tokens to text as they come: whole characters only, and nothing of what ends an answer. */
import type { Tokenizer } from '../tokens/index.ts'

/** What a decoder writes for bytes that are no character (yet). */
const REPLACEMENT = '\uFFFD'

/** Decodes a growing sequence, holding back a character whose last bytes are still to come. */
export class IncrementalText {
  private readonly tokenizer: Tokenizer
  /** Tokens since the last whole character. */
  private pending: number[] = []
  /** Length of their text that has been given out. */
  private given = 0

  constructor(tokenizer: Tokenizer) {
    this.tokenizer = tokenizer
  }

  /** The text that this token completes, often its own. */
  push(token: number): string {
    this.pending.push(token)
    const text = this.tokenizer.decode(this.pending)
    // Only the last character can still change: the bytes before it have been judged.
    const whole = text.endsWith(REPLACEMENT) ? text.slice(0, -1) : text
    const fresh = whole.slice(this.given)
    this.given = whole.length
    if (whole.length === text.length) this.restart()
    return fresh
  }

  /** What is held back, as it stands. */
  end(): string {
    const rest = this.tokenizer.decode(this.pending).slice(this.given)
    this.restart()
    return rest
  }

  private restart(): void {
    this.pending = []
    this.given = 0
  }
}

/** Length of the longest end of `sequence` that one of `patterns` begins with and goes beyond. */
function partialMatch<T>(sequence: ArrayLike<T>, patterns: readonly ArrayLike<T>[]): number {
  let longest = 0
  for (const pattern of patterns) {
    for (let size = Math.min(pattern.length - 1, sequence.length); size > longest; size--) {
      let same = 0
      while (same < size && sequence[sequence.length - size + same] === pattern[same]) same++
      if (same === size) longest = size
    }
  }
  return longest
}

/** The text of an answer: without the tokens that end it, and only up to the first stop string. */
export class AnswerText {
  /** Whether it has ended by a stop sequence or string. */
  stopped = false
  private readonly decoder: IncrementalText
  private readonly sequences: readonly number[][]
  private readonly strings: readonly string[]
  private heldTokens: number[] = []
  private heldText = ''

  constructor(tokenizer: Tokenizer, stopSequences: readonly number[][], stopStrings: readonly string[]) {
    this.decoder = new IncrementalText(tokenizer)
    this.sequences = stopSequences
    this.strings = stopStrings
  }

  /** The text that is sure after this token. */
  push(token: number): string {
    this.heldTokens.push(token)
    const ended = this.sequences.find((sequence) => endsWith(this.heldTokens, sequence))
    if (ended) {
      this.heldTokens.length -= ended.length
      const rest = this.end()
      this.stopped = true
      return rest
    }
    const kept = partialMatch(this.heldTokens, this.sequences)
    return this.release(this.heldTokens.splice(0, this.heldTokens.length - kept))
  }

  /** The answer ends here: what was held back. */
  end(): string {
    const text = this.release(this.heldTokens.splice(0), true)
    if (this.stopped) return text
    const rest = this.heldText
    this.heldText = ''
    return text + rest
  }

  private release(tokens: number[], ending = false): string {
    for (const token of tokens) this.heldText += this.decoder.push(token)
    if (ending) this.heldText += this.decoder.end()
    const found = this.strings.map((stop) => this.heldText.indexOf(stop)).filter((at) => at >= 0)
    if (found.length > 0) {
      this.stopped = true
      const text = this.heldText.slice(0, Math.min(...found))
      this.heldText = ''
      return text
    }
    const sure = this.heldText.length - partialMatch(this.heldText, this.strings)
    const text = this.heldText.slice(0, sure)
    this.heldText = this.heldText.slice(sure)
    return text
  }
}

function endsWith(tokens: readonly number[], end: readonly number[]): boolean {
  return (
    end.length > 0 && end.length <= tokens.length && end.every((id, i) => tokens[tokens.length - end.length + i] === id)
  )
}
