import { contextNote, type EvaluationResult, type StageWork } from '../evaluation/index.ts'
import { paperRows } from './paper.ts'

/** Sentences on what one run cannot show whatever its numbers: its seed, the arms it does not have, what its model never saw. */
export function limits(evaluation: EvaluationResult | null, stages: readonly StageWork[] = []): string[] {
  if (!evaluation) return []
  const note = contextNote(evaluation)
  const context = note === null ? [] : [note]
  if (evaluation.arms.length < 2) return context
  const rows = paperRows(evaluation.arms, stages)
  const sentences = [
    'The intervals cover the choice of tasks and the luck of sampling. They do not cover training: another seed gives another model, and only several seeds show how far apart those are.',
  ]
  if (rows.includes('rwmlPolicyRl') && !rows.includes('policyRl')) {
    sentences.push(
      'No arm was trained by policy RL alone, so this run cannot say whether world-model RL helped policy RL.',
    )
  }
  if (rows.includes('rwml') && !rows.includes('wmSft')) {
    sentences.push(
      'No arm was trained by supervised learning on the same transitions, so it cannot say what RL adds to them.',
    )
  }
  return [...sentences, ...context]
}
