import { z } from 'zod'
import type { Trajectory } from '../core/index.ts'

const action = z.union([
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({
    kind: z.literal('tools'),
    calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
    text: z.string().optional(),
  }),
])
const observation = z.union([
  z.object({ from: z.enum(['environment', 'user']), text: z.string() }),
  z.object({
    from: z.literal('tool'),
    results: z.array(
      z.object({ id: z.string(), name: z.string(), content: z.string(), error: z.boolean().optional() }),
    ),
  }),
])
const tool = z.object({ name: z.string(), description: z.string().optional(), parameters: z.unknown().optional() })
const numbers = z.array(z.number())

/** A line of `rollouts/*.jsonl`. */
export const trajectorySchema: z.ZodType<Trajectory> = z.object({
  task: z.object({
    id: z.string(),
    split: z.string(),
    kind: z.string(),
    instruction: z.string(),
    tools: z.array(tool).optional(),
  }),
  sample: z.int(),
  seed: z.number(),
  initial: observation,
  turns: z.array(
    z.object({
      reply: z.string(),
      action: action.nullable(),
      observation,
      valid: z.boolean(),
      tokens: numbers,
      logprobs: numbers,
    }),
  ),
  reward: z.number().optional(),
  done: z.boolean(),
  truncated: z.boolean(),
  sequences: z.array(z.object({ tokens: numbers, mask: numbers, logprobs: numbers })),
})
