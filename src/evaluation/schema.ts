import { z } from 'zod'
import type { ArmResult, EvaluationResult } from './result.ts'

/** The content of `evaluation.json` as schemas: what is read back is checked. */
const share = z.number().min(0).max(1)
const count = z.number().min(0)

const exampleSchema = z.object({
  kind: z.string(),
  instruction: z.string(),
  action: z.string(),
  thinking: z.string().nullable(),
  predicted: z.string().nullable(),
  actual: z.string(),
  distance: z.number().nullable(),
  reward: z.number(),
})

const shares = z.array(share)

const outcomesSchema = z.array(
  z.object({ taskId: z.string(), exact: shares, reward: shares, valid: shares.optional() }),
)

const worldModelSchema = z.object({
  predictor: z.string(),
  split: z.string(),
  transitions: count,
  exact: share,
  rewarded: share,
  parseRate: share,
  shortened: count.optional(),
  byKind: z.record(z.string(), z.object({ transitions: count, exact: share, rewarded: share })),
  outcomes: outcomesSchema.optional(),
  examples: z.array(exampleSchema),
})

const policySchema = z.object({
  split: z.string(),
  tasks: count,
  successByRun: z.array(share),
  invalidShare: share,
  stepsPerSolved: count.nullable(),
  byKind: z.record(z.string(), z.object({ solved: count, episodes: count })),
  grounding: share.nullable(),
  parseRate: share,
  shortened: count.optional(),
  outgrown: count.optional(),
  failed: count.optional(),
  facts: z
    .object({
      counts: z.record(z.string(), z.record(z.string(), count)),
      means: z.record(z.string(), z.number()),
    })
    .nullable()
    .optional(),
  episodes: z.array(
    z.object({
      taskId: z.string(),
      kind: z.string().optional(),
      run: z.number(),
      solved: z.boolean(),
      steps: count,
      invalid: count,
      wasted: count.optional(),
    }),
  ),
})

/** One arm, as the evaluate stage keeps it. */
export const armSchema: z.ZodType<ArmResult> = z.object({
  arm: z.string(),
  checkpoint: z.string(),
  reasoning: z.boolean().optional(),
  control: z.string().optional(),
  policy: z.array(policySchema),
  worldModel: z.array(worldModelSchema),
})

/** `evaluation.json`. */
export const evaluationFileSchema: z.ZodType<EvaluationResult> = z.object({
  arms: z.array(armSchema),
  worldModelBaselines: z.array(worldModelSchema),
  settings: z
    .object({
      temperature: z.number(),
      maxSteps: z.number(),
      runs: z.number(),
      seed: z.number(),
      heldOutBy: z.array(z.string()).optional(),
    })
    .catchall(z.unknown()),
})
