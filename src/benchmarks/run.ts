import { hash32, UserError } from '../core/index.ts'
import type { Sampler } from '../engines/index.ts'
import { JsonLines } from '../store/index.ts'
import { type ChatFormat, renderConversation } from '../tokens/index.ts'
import {
  type Benchmark,
  type ChoiceQuestion,
  judged,
  LOSS,
  type Question,
  type ReplyQuestion,
  type TextQuestion,
} from './benchmark.ts'
import { type BenchmarkResult, type Outcome, outcomeSchema, resultOf } from './result.ts'

/** Questions that go through the model together, and are on the disk together. */
const WAVE = 16

export interface RunBenchmarkOptions {
  sampler: Sampler
  format: ChatFormat
  /** Of sampled replies; greedy ones have no use for it. Default 0. */
  seed?: number
  /** Where finished waves are kept: a run that was stopped goes on behind them. Nothing is kept when absent. */
  path?: string
  signal?: AbortSignal
  /** Questions that are done so far. */
  onProgress?(done: number): void
}

/**
 * Put every question of a benchmark to a model. Questions that do not fit its context beside an answer are left out and counted:
 * the same ones for every model with these tokens and this context.
 */
export async function runBenchmark(benchmark: Benchmark, options: RunBenchmarkOptions): Promise<BenchmarkResult> {
  const { questions } = benchmark
  const { path, signal, onProgress } = options
  const stored = path === undefined ? null : new JsonLines(path, outcomeSchema)
  try {
    const outcomes = stored ? [...stored] : []
    for (const [index, one] of outcomes.entries()) {
      if (questions[index] && one.id === questions[index].id && one.asked === hashOf(questions[index], options))
        continue
      throw new UserError(
        `${path} is of other questions or another format: delete it to measure ${benchmark.title} anew`,
      )
    }
    onProgress?.(outcomes.length)
    while (outcomes.length < questions.length) {
      signal?.throwIfAborted()
      const wave = questions.slice(outcomes.length, outcomes.length + WAVE)
      await options.sampler.reset()
      const found = await answerWave(benchmark, wave, options)
      stored?.append(found)
      outcomes.push(...found)
      onProgress?.(outcomes.length)
    }
    return resultOf(benchmark, outcomes)
  } finally {
    stored?.close()
  }
}

/** Of what a model reads and is compared with: says whether stored outcomes are of these questions. */
function hashOf(question: Question, { format, seed = 0 }: RunBenchmarkOptions): number {
  const { id, kind, messages } = question
  const text = kind === 'text' ? JSON.stringify(messages) : format.promptText(messages)
  const beside = kind === 'choice' ? [JSON.stringify(question.options), question.right] : []
  return hash32(seed, id, kind, text, ...beside)
}

async function answerWave(
  benchmark: Benchmark,
  wave: readonly Question[],
  options: RunBenchmarkOptions,
): Promise<Outcome[]> {
  const found = new Map([
    ...(await answerReplies(benchmark, wave.filter(isOf('reply')), options)),
    ...(await answerChoices(wave.filter(isOf('choice')), options)),
    ...(await readTexts(wave.filter(isOf('text')), options)),
  ])
  return wave.map((one) => ({ id: one.id, asked: hashOf(one, options), ...(found.get(one.id) ?? { leftOut: true }) }))
}

type Answers = [id: string, answer: Omit<Outcome, 'id' | 'asked'>][]

const isOf =
  <Kind extends Question['kind']>(kind: Kind) =>
  (question: Question): question is Extract<Question, { kind: Kind }> =>
    question.kind === kind

async function answerReplies(
  { name, temperature, maxTokens }: Benchmark,
  questions: readonly ReplyQuestion[],
  { sampler, format, seed = 0 }: RunBenchmarkOptions,
): Promise<Answers> {
  const asked = questions
    .map((question) => ({ question, prompt: promptOf(format, question) }))
    .filter(({ prompt }) => prompt.length + maxTokens <= sampler.contextLength)
  if (asked.length === 0) return []
  const samples = await sampler.sample(
    asked.map(({ prompt }) => prompt),
    {
      n: 1,
      maxTokens,
      temperature,
      stop: format.stop,
      seed: asked.map(({ question }) => hash32(seed, 'benchmark', name, question.id)),
    },
  )
  return asked.map(({ question }, index) => {
    const [{ tokens }] = samples[index]
    const reply = format.replyText(tokens)
    return [question.id, { ...question.judge(afterThinking(reply)), reply, tokens: tokens.length }]
  })
}

/** Models that think first write it in such tags: it is no part of the answer. Never closed: there is no answer. */
function afterThinking(reply: string): string {
  const end = reply.lastIndexOf('</think>')
  if (end >= 0) return reply.slice(end + '</think>'.length).trimStart()
  return reply.includes('<think>') ? '' : reply
}

async function answerChoices(
  questions: readonly ChoiceQuestion[],
  { sampler, format }: RunBenchmarkOptions,
): Promise<Answers> {
  const asked = questions
    .map((question) => {
      const prompt = promptOf(format, question)
      const options = question.options.map((option) => format.tokenizer.encode(option))
      return { question, prompt, sequences: options.map((option) => [...prompt, ...option]) }
    })
    .filter(({ sequences }) => sequences.every(({ length }) => length <= sampler.contextLength))
  if (asked.length === 0) return []
  const scored = await sampler.logprobs(asked.flatMap(({ sequences }) => sequences))
  let at = 0
  return asked.map(({ question, prompt, sequences }) => {
    const logprobs = sequences.map((_, option) => {
      const sum = scored[at++].slice(prompt.length).reduce((total, one) => total + one, 0)
      return question.perCharacter ? sum / question.options[option].length : sum
    })
    const chosen = logprobs.indexOf(Math.max(...logprobs))
    return [question.id, { ...judged(question.options[chosen], chosen === question.right), logprobs, tokens: 0 }]
  })
}

async function readTexts(
  questions: readonly TextQuestion[],
  { sampler, format }: RunBenchmarkOptions,
): Promise<Answers> {
  const read = questions
    .map(({ id, messages }) => ({ id, sequences: renderConversation(format, messages) }))
    .filter(({ sequences }) => sequences.every(({ tokens }) => tokens.length <= sampler.contextLength))
  if (read.length === 0) return []
  const scored = await sampler.logprobs(read.flatMap(({ sequences }) => sequences.map(({ tokens }) => tokens)))
  let at = 0
  return read.map(({ id, sequences }) => {
    let sum = 0
    let count = 0
    for (const { mask } of sequences) {
      const logprobs = scored[at++]
      for (const [index, own] of mask.entries()) {
        if (own === 0) continue
        sum -= logprobs[index]
        count++
      }
    }
    return [id, { answer: null, scores: { [LOSS.name]: [sum / count, 1] }, tokens: 0 }]
  })
}

function promptOf(format: ChatFormat, { messages }: Question): number[] {
  return format.tokenizer.encode(format.promptText(messages))
}
