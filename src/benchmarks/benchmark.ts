import { Random } from '../core/index.ts'
import type { Message } from '../tokens/index.ts'

/** What an answer came to in one measure: mostly 0 or 1, of 1. A measure's value is the sum of all over what they are of. */
export type Score = [sum: number, of: number]

export interface Judgement {
  /** What was read from the reply; null where there is no answer in it. */
  answer: string | null
  /** By the names of the benchmark's measures. */
  scores: Record<string, Score>
}

interface Asked {
  /** Unique in the benchmark, and the same whenever it is read. */
  id: string
  messages: readonly Message[]
}

/** The model writes a reply, and the reply is judged. */
export interface ReplyQuestion extends Asked {
  kind: 'reply'
  judge(reply: string): Judgement
}

/** The reply that the model finds most probable among these is its answer; nothing is written. Measured as `right`. */
export interface ChoiceQuestion extends Asked {
  kind: 'choice'
  options: readonly string[]
  /** Index of the right one. */
  right: number
  /** Compare log-probability per character: options of different lengths. */
  perCharacter: boolean
}

/** A conversation that the model reads: the mean loss of the tokens of its assistant turns. Measured as `loss`. */
export interface TextQuestion extends Asked {
  kind: 'text'
}

export type Question = ReplyQuestion | ChoiceQuestion | TextQuestion

export interface Measure {
  name: string
  unit: 'share' | 'number'
  better: 'up' | 'down'
}

export const RIGHT: Measure = { name: 'right', unit: 'share', better: 'up' }
export const LOSS: Measure = { name: 'loss', unit: 'number', better: 'down' }

/** Of an answer that is either right or not. */
export function judged(answer: string | null, right: boolean, measure = RIGHT): Judgement {
  return { answer, scores: { [measure.name]: [right ? 1 : 0, 1] } }
}

/** Questions with known answers, from anywhere. */
export interface Benchmark {
  /** Names its files: letters, digits and dashes. */
  name: string
  /** For tables. */
  title: string
  questions: readonly Question[]
  /** The first is the one that arms are compared by. */
  measures: readonly [Measure, ...Measure[]]
  /** Of replies; 0 = the most probable token each time. */
  temperature: number
  /** Longest reply. */
  maxTokens: number
  /** What was left out of the data and why, and how it is asked: for people. */
  notes: readonly string[]
}

/** At most `limit` questions of a benchmark (0 = all): a seeded sample, in the order of the benchmark. */
export function limited(benchmark: Benchmark, limit: number, seed = 0): Benchmark {
  const { name, questions, notes } = benchmark
  if (limit === 0 || limit >= questions.length) return benchmark
  const chosen = new Set(new Random('benchmark sample', name, seed).shuffle(questions).slice(0, limit))
  return {
    ...benchmark,
    questions: questions.filter((one) => chosen.has(one)),
    notes: [...notes, `a sample of ${limit} of ${questions.length} questions`],
  }
}
