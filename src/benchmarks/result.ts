import { z } from 'zod'
import { bootstrapInterval, comparePaired, type Interval, wilsonInterval } from '../core/index.ts'
import type { Benchmark, Measure } from './benchmark.ts'

/** One question as it was answered: a line of a benchmark's file. */
export const outcomeSchema = z.object({
  id: z.string(),
  /** Of the question, as it was put. */
  asked: z.number(),
  /** What was read as the answer. */
  answer: z.string().nullish(),
  /** By measure: sum, and what it is of. Absent where the question was left out. */
  scores: z.record(z.string(), z.tuple([z.number(), z.number()])).optional(),
  /** As the model wrote it. */
  reply: z.string().optional(),
  /** Of each option, as compared. */
  logprobs: z.array(z.number()).optional(),
  /** That the model wrote. */
  tokens: z.number().optional(),
  /** It does not fit the model's context. */
  leftOut: z.boolean().optional(),
})

export type Outcome = z.infer<typeof outcomeSchema>

const intervalSchema = z.object({ low: z.number(), high: z.number() })

const measuredSchema = z.object({
  name: z.string(),
  unit: z.enum(['share', 'number']),
  better: z.enum(['up', 'down']),
  /** Null where every question was left out. */
  value: z.number().nullable(),
  /** 95 %, over questions. */
  interval: intervalSchema.nullable(),
})

export const benchmarkResultSchema = z.object({
  benchmark: z.string(),
  title: z.string(),
  /** Answered, and left out because they do not fit the context. */
  questions: z.number(),
  leftOut: z.number(),
  /** The first is the one to compare by. */
  measures: z.array(measuredSchema).min(1),
  notes: z.array(z.string()),
  /** Of the first measure, by question: what arms are paired by. */
  outcomes: z.array(z.object({ id: z.string(), score: z.number() })),
})

/** What a model made of a benchmark. */
export type BenchmarkResult = z.infer<typeof benchmarkResultSchema>

/** `forgetting.json` in the folder of a stage: every arm on every benchmark. */
export const forgettingSchema = z.object({
  stage: z.string(),
  arms: z.array(z.object({ arm: z.string(), checkpoint: z.string(), results: z.array(benchmarkResultSchema) })),
})

export type Forgetting = z.infer<typeof forgettingSchema>

/** In the folder of a stage. */
export const FORGETTING_FILE = 'forgetting.json'

export function resultOf({ name, title, measures, notes }: Benchmark, outcomes: readonly Outcome[]): BenchmarkResult {
  const answered = outcomes.filter(({ scores }) => scores !== undefined)
  const [main] = measures
  return {
    benchmark: name,
    title,
    questions: answered.length,
    leftOut: outcomes.length - answered.length,
    measures: measures.map((measure) => measured(measure, answered)),
    notes: [...notes],
    outcomes: answered.flatMap(({ id, scores }) => {
      const score = scores?.[main.name]
      return score ? [{ id, score: score[0] / score[1] }] : []
    }),
  }
}

function measured(measure: Measure, outcomes: readonly Outcome[]): z.infer<typeof measuredSchema> {
  const scores = outcomes.flatMap(({ scores }) => (scores?.[measure.name] ? [scores[measure.name]] : []))
  const of = scores.reduce((total, [, count]) => total + count, 0)
  if (of === 0) return { ...measure, value: null, interval: null }
  const sum = scores.reduce((total, [one]) => total + one, 0)
  const single = scores.every(([one, count]) => count === 1 && (one === 0 || one === 1))
  const interval = single ? wilsonInterval(sum, of) : ratioInterval(scores)
  return { ...measure, value: sum / of, interval }
}

/** Over questions, which may count differently. */
function ratioInterval(scores: readonly [number, number][]): Interval {
  const places = scores.map((_, index) => index)
  const statistic = (drawn: readonly number[]) =>
    drawn.reduce((total, at) => total + scores[at][0], 0) / drawn.reduce((total, at) => total + scores[at][1], 0)
  return bootstrapInterval(places, { seed: 0, statistic })
}

/** How an arm differs from the base on the questions that both answered: second minus first, paired by question. */
export function changeOf(
  base: BenchmarkResult,
  arm: BenchmarkResult,
): { difference: number; interval: Interval; questions: number } | null {
  const before = new Map(base.outcomes.map(({ id, score }) => [id, score]))
  const pairs = arm.outcomes.flatMap(({ id, score }) => {
    const first = before.get(id)
    return first === undefined ? [] : [{ seed: 0, task: id, first, second: score }]
  })
  if (pairs.length === 0) return null
  const { difference, interval } = comparePaired(pairs, { seed: 0 })
  return { difference, interval, questions: pairs.length }
}
