import { contextNote, type EvaluationResult } from '../evaluation/index.ts'
import {
  bestBaseline,
  changeOf,
  formatDetectable,
  formatDifference,
  formatEstimate,
  measuresOf,
} from '../reports/index.ts'
import { textTable } from './table.ts'

/** Arms, and each measure's value on each of them (null = not measured): for `--json`. */
export function summary(evaluation: EvaluationResult): { arms: string[]; measures: Record<string, (number | null)[]> } {
  const measures = measuresOf(evaluation).map((measure): [string, (number | null)[]] => [
    measure.id,
    measure.arms.map((estimate) => estimate?.value ?? null),
  ])
  return { arms: evaluation.arms.map(({ arm }) => arm), measures: Object.fromEntries(measures) }
}

/** The table a run ends with: every arm on held-out tasks, the change from first to last, and what would stay unseen. */
export function summaryTable(evaluation: EvaluationResult): string {
  const { arms } = evaluation
  const rows = measuresOf(evaluation).map((measure) => {
    const change = changeOf(measure, 0, arms.length - 1)
    return [
      measure.title,
      ...measure.arms.map((estimate) => (estimate ? formatEstimate(estimate, measure.unit) : 'not measured')),
      change ? formatDifference(change.difference, measure.unit) : '',
      change?.interval ? formatDetectable(change, measure.unit) : '',
    ]
  })
  const headers = ['held-out tasks', ...arms.map(({ arm }) => arm), 'change', 'detectable']
  const table = textTable({
    columns: headers.map((header, index) => ({ header, align: index === 0 ? 'left' : 'right' })),
    rows,
  })
  const best = bestBaseline(evaluation)
  const baseline = best
    ? `\nBest baseline of the world model: ${best.predictor}, ${formatEstimate({ value: best.exact, sd: null }, 'share')} exact.`
    : ''
  const note = contextNote(evaluation)
  return `${table}\n\nA change smaller than "detectable" would mostly go unseen in a run of this size, and one seed is one seed.${baseline}${note === null ? '' : `\n${note}`}`
}
