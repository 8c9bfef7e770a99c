/** What a report reads from a run folder, as schemas. Unknown fields are ignored: other readers of the files may need them. */
import { z } from 'zod'
import type { MetricLine } from '../evaluation/index.ts'
import type { ConfigField, RewardFacts } from './input.ts'

const share = z.number().min(0).max(1)
const count = z.number().min(0)

/** `run.json`. `resolution`: sentences on what a run of this size cannot see. */
export const runFileSchema = z.object({
  name: z.string().optional(),
  command: z.string().default('rwml quickstart'),
  method: z.string(),
  seed: z.number(),
  environment: z.string(),
  model: z.object({ name: z.string(), parameters: count, description: z.string().default('') }),
  engine: z.string().optional(),
  machine: z.object({ cpu: z.string(), cores: count, memory: count }),
  startedAt: z.string(),
  status: z.string().optional(),
  version: z.string(),
  resolution: z.array(z.string()).default([]),
})

/** A line of `filtered.jsonl`: one training transition and what became of it. */
export const filterLineSchema = z.object({
  kind: z.string(),
  varied: z.boolean(),
  verdict: z.enum(['easy', 'between', 'hopeless']),
  kept: z.boolean(),
})

/** `stages/reward/reward.json`. */
export const rewardFileSchema: z.ZodType<RewardFacts> = z.object({
  embedder: z.string(),
  semantic: z.boolean(),
  why: z.string(),
  threshold: z.number(),
  precision: share.nullable(),
  recall: share.nullable(),
})

/** `stages/<stage>/stage.json`, written when a stage is finished. */
export const stageFileSchema = z.object({
  name: z.string(),
  title: z.string(),
  /** ISO 8601; stages are listed in this order. */
  startedAt: z.string(),
  seconds: count,
  tokensSampled: count.optional(),
  tokensTrained: count.optional(),
  tokensRead: count.optional(),
  flops: count.optional(),
  from: z.string().optional(),
  teacher: z.string().optional(),
  arms: z.array(z.string()).optional(),
  reads: z.array(z.string()).optional(),
  makes: z.array(z.string()).optional(),
  notes: z.array(z.string()).default([]),
})

/** `config.json`: every resolved field. */
export const configFileSchema: z.ZodType<ConfigField[]> = z.array(
  z.object({ path: z.string(), value: z.unknown(), source: z.enum(['paper', 'ours', 'user']) }),
)

/** A line of `metrics.jsonl`. */
export const metricLineSchema: z.ZodType<MetricLine> = z
  .object({ stage: z.string(), step: z.number(), time: z.number() })
  .catchall(z.union([z.number(), z.string(), z.null()]))
