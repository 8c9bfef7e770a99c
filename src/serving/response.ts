/** What the two kinds of answers share. */
import { randomUUID } from 'node:crypto'
import type { AnswerRequest, FinishReason, Piece, ScoredToken } from './generation.ts'

/** A checked request: what is to be written, and how it is to be told. */
export interface Prepared {
  answers: AnswerRequest[]
  promptTokens: number
  stream: boolean
  includeUsage: boolean
  /** Id, model and so on: the beginning of every object of this response. */
  head: { id: string; created: number; model: string }
  /** The object of a stream's chunks, and of a whole response. */
  objects: { chunk: string; whole: string }
  /** One entry of a chunk's `choices`; `first` = the first of this answer. */
  chunk(piece: Piece, first: boolean): object
  /** One entry of a whole response's `choices`. */
  choice(answer: Answer): object
}

/** An answer, complete. */
export interface Answer {
  index: number
  text: string
  tokens: ScoredToken[]
  finish: FinishReason
}

export interface Usage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
}

export function usage(promptTokens: number, drawn: number): Usage {
  return { prompt_tokens: promptTokens, completion_tokens: drawn, total_tokens: promptTokens + drawn }
}

export function responseHead(prefix: string, model: string): Prepared['head'] {
  return { id: `${prefix}-${randomUUID()}`, created: Math.floor(Date.now() / 1000), model }
}

/** Probability 0 in single precision has no logarithm, and JSON no infinity. */
export function finite(logprob: number): number {
  return Math.max(logprob, -9999)
}

/** All pieces of each answer as one. */
export function assemble(pieces: readonly Piece[], count: number): Answer[] {
  const answers = Array.from(
    { length: count },
    (_, index): Answer => ({ index, text: '', tokens: [], finish: 'length' }),
  )
  for (const { index, text, tokens, finish } of pieces) {
    const answer = answers[index]
    answer.text += text
    answer.tokens.push(...tokens)
    if (finish) answer.finish = finish
  }
  return answers
}
