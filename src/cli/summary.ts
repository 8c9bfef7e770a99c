import { mean, sd } from '../core/index.ts'
import type { ArmResult, EvaluationResult } from '../evaluation/index.ts'
import { textTable } from './table.ts'

const percent = (value: number): string => `${(100 * value).toFixed(1)} %`

function success(arm: ArmResult, split: string): string {
  const runs = arm.policy.find((one) => one.split === split)?.successByRun
  if (!runs) return '-'
  return runs.length > 1 ? `${(100 * mean(runs)).toFixed(1)} ± ${(100 * sd(runs)).toFixed(1)} %` : percent(runs[0])
}

/** The table a run ends with: every arm on held-out tasks. */
export function summaryTable(evaluation: EvaluationResult): string {
  const unseen = <T extends { split: string }>(results: T[]) =>
    results.find((one) => one.split === 'unseen') ?? results[0]
  return textTable({
    columns: ['', 'success, seen', 'success, unseen', 'invalid', 'next state exact'].map((header, index) => ({
      header,
      align: index === 0 ? ('left' as const) : ('right' as const),
    })),
    rows: evaluation.arms.map((arm) => [
      arm.arm,
      success(arm, 'seen'),
      success(arm, 'unseen'),
      percent(unseen(arm.policy).invalidShare),
      percent(unseen(arm.worldModel).exact),
    ]),
  })
}
