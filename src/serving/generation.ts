import { hash32 } from '../core/index.ts'
import type { Alternatives } from '../engines/index.ts'
import type { Batcher } from './batcher.ts'
import type { ServedModel } from './model.ts'
import { AnswerText, IncrementalText } from './text.ts'

/** One answer to write. */
export interface AnswerRequest {
  /** Its place in the response. */
  index: number
  prompt: number[]
  /** Begin the answer with the prompt. */
  echo: boolean
  /** 0 only with `echo`. */
  maxTokens: number
  temperature: number
  topP: number
  seed: number
  /** Strings that end it, themselves left out. */
  stop: string[]
  /** Most probable tokens to list beside each; null = no log-probabilities at all. */
  alternatives: number | null
}

/** A token with its log-probability; null where nothing predicts it, at the very beginning. */
export interface ScoredToken {
  token: number
  logprob: number | null
  alternatives: Alternatives
  /** Characters of text before it, where the answer is counted from. */
  offset: number
}

export type FinishReason = 'stop' | 'length'

/** What has been written since the last piece. */
export interface Piece {
  index: number
  text: string
  /** Empty unless log-probabilities are wanted. */
  tokens: ScoredToken[]
  /** Tokens drawn, those that end the answer included; the prompt's are not. */
  drawn: number
  finish: FinishReason | null
}

/** Counts characters as everybody does, not in JavaScript's units. */
class Offsets {
  private readonly text: IncrementalText
  private characters = 0

  constructor(model: ServedModel) {
    this.text = new IncrementalText(model.format.tokenizer)
  }

  /** Characters before this token. */
  of(token: number): number {
    const before = this.characters
    this.characters += [...this.text.push(token)].length
    return before
  }
}

/**
 * Writes one answer, a piece a burst. Each burst is seeded by the answer's seed and its place, and always begins at a
 * multiple of the burst's length: what is drawn hangs on nothing else, neither on company nor on whether it is streamed.
 */
export async function* generate(
  request: AnswerRequest,
  model: ServedModel,
  batcher: Batcher,
  signal: AbortSignal,
): AsyncGenerator<Piece> {
  const { index, prompt, maxTokens, temperature, topP, alternatives } = request
  const text = new AnswerText(model.format.tokenizer, model.format.stop, request.stop)
  const offsets = alternatives === null ? null : new Offsets(model)
  if (request.echo) {
    const scored = alternatives === null ? null : await batcher.score(prompt, alternatives, signal)
    const tokens = prompt.flatMap((token, i): ScoredToken[] => {
      if (!scored || !offsets) return []
      const logprob = i === 0 ? null : scored.logprobs[i]
      return [{ token, logprob, alternatives: scored.alternatives[i], offset: offsets.of(token) }]
    })
    const finish = maxTokens === 0 ? 'length' : null
    yield { index, text: model.format.tokenizer.decode(prompt), tokens, drawn: 0, finish }
    if (finish) return
  }
  const written: number[] = []
  while (true) {
    const sample = await batcher.burst(
      {
        tokens: [...prompt, ...written],
        seed: hash32(request.seed, written.length),
        maxTokens: maxTokens - written.length,
        temperature,
        topP,
        alternatives: alternatives ?? 0,
      },
      signal,
    )
    const piece: Piece = { index, text: '', tokens: [], drawn: 0, finish: null }
    for (const [i, token] of sample.tokens.entries()) {
      written.push(token)
      piece.drawn++
      piece.text += text.push(token)
      if (offsets) {
        const others = sample.alternatives?.[i] ?? { tokens: [], logprobs: [] }
        piece.tokens.push({ token, logprob: sample.logprobs[i], alternatives: others, offset: offsets.of(token) })
      }
      // A burst may bring more than this answer may have: it is shared.
      if (text.stopped || written.length === maxTokens) break
    }
    if (!text.stopped && written.length === maxTokens) {
      piece.text += text.end()
      piece.finish = 'length'
    }
    if (text.stopped) piece.finish = 'stop'
    yield piece
    if (piece.finish) return
  }
}

/** The pieces of several answers, each as it comes. */
export async function* merge<T>(sources: AsyncGenerator<T>[]): AsyncGenerator<T> {
  const advance = (source: AsyncGenerator<T>) => {
    const next = source.next().then((result) => ({ source, result }))
    // What fails after the reader has left concerns nobody.
    next.catch(() => undefined)
    return next
  }
  const pending = new Map(sources.map((source) => [source, advance(source)]))
  while (pending.size > 0) {
    const { source, result } = await Promise.race(pending.values())
    if (result.done) pending.delete(source)
    else {
      pending.set(source, advance(source))
      yield result.value
    }
  }
}
