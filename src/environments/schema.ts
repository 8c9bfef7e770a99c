import { z } from 'zod'
import type { Action, EpisodeFacts, HiddenCall, Observation, Task, Trajectory } from '../core/index.ts'
import type { StepResult } from './environment.ts'

/** What comes from an environment (or a recording of one), as schemas: it may be anybody's code. */

export const taskSchema: z.ZodType<Task> = z.object({
  id: z.string().min(1),
  split: z.string(),
  kind: z.string(),
  instruction: z.string(),
  tools: z
    .array(z.object({ name: z.string(), description: z.string().optional(), parameters: z.unknown().optional() }))
    .optional(),
})

export const actionSchema: z.ZodType<Action> = z.union([
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({
    kind: z.literal('tools'),
    calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
    text: z.string().optional(),
  }),
])

export const observationSchema: z.ZodType<Observation> = z.discriminatedUnion('from', [
  z.object({ from: z.enum(['environment', 'user']), text: z.string() }),
  z.object({
    from: z.literal('tool'),
    results: z.array(
      z.object({ id: z.string(), name: z.string(), content: z.string(), error: z.boolean().optional() }),
    ),
  }),
])

export const hiddenSchema: z.ZodType<HiddenCall[]> = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    arguments: z.string(),
    content: z.string(),
    error: z.boolean().optional(),
  }),
)

const factsSchema: z.ZodType<EpisodeFacts> = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

export const stepResultSchema: z.ZodType<StepResult> = z
  .object({
    observation: observationSchema,
    done: z.boolean(),
    truncated: z.boolean(),
    valid: z.boolean(),
    /** Finite: a reward that is no number would spread through every weight. */
    reward: z.number().optional(),
    hidden: hiddenSchema.optional(),
    failed: z.string().optional(),
    facts: factsSchema.optional(),
  })
  .refine(({ done, truncated }) => !(done && truncated), '`done` and `truncated` are never both true')

export const actionsSchema = z.array(z.string())

const numbers = z.array(z.number())

/** A line of `rollouts/*.jsonl`. */
export const trajectorySchema: z.ZodType<Trajectory> = z.object({
  task: taskSchema,
  sample: z.int(),
  seed: z.number(),
  initial: observationSchema,
  hidden: hiddenSchema.optional(),
  turns: z.array(
    z.object({
      reply: z.string(),
      action: actionSchema.nullable(),
      observation: observationSchema,
      hidden: hiddenSchema.optional(),
      valid: z.boolean(),
      tokens: numbers,
      logprobs: numbers,
    }),
  ),
  reward: z.number().optional(),
  done: z.boolean(),
  truncated: z.boolean(),
  failed: z.string().optional(),
  facts: factsSchema.optional(),
  shortened: z.int().min(0).optional(),
  outgrown: z.boolean().optional(),
  sequences: z.array(z.object({ tokens: numbers, mask: numbers, logprobs: numbers })),
})
