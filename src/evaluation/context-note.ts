import type { EvaluationResult } from './result.ts'

/** What did not fit the model's context in an evaluation, in one sentence; null where everything did. */
export function contextNote({ arms }: EvaluationResult): string | null {
  const total = (values: (number | undefined)[]) => values.reduce<number>((sum, value = 0) => sum + value, 0)
  const shortened =
    total(arms.flatMap((arm) => arm.policy.map((one) => one.shortened))) +
    total(arms.flatMap((arm) => arm.worldModel.map((one) => one.shortened)))
  const outgrown = total(arms.flatMap((arm) => arm.policy.map((one) => one.outgrown)))
  if (shortened + outgrown === 0) return null
  return `The model's context was too short for all: ${shortened} prompts went without their oldest turns, and ${outgrown} episodes ended early because not even the current observation fitted.`
}
