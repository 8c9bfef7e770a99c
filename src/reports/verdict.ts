import type { EvaluationResult } from '../evaluation/index.ts'
import type { Inline } from './document.ts'
import { formatDifference, formatInterval, formatValue, plural } from './format.ts'
import { type Change, changeOf, type Measure, measuresOf, taskCount } from './measures.ts'

/** The findings in a few sentences, good or bad: success, world model, and any other change that was detected. */
export function verdict(evaluation: EvaluationResult | null): Inline[] {
  if (!evaluation || evaluation.arms.length === 0) return ['Nothing has been evaluated yet.']
  const measures = measuresOf(evaluation)
  const last = evaluation.arms.length - 1
  if (last === 0) return ['Only one model was evaluated, so there is nothing to compare it with.']
  const find = (id: string) => measures.find((measure) => measure.id === id)
  const sentences: Inline[] = []
  const success = find('success')
  if (success) {
    sentences.push(...sentence(success, `Success on ${plural(taskCount(evaluation), 'held-out task')}`, last))
  } else {
    sentences.push('Task success was not measured.')
  }
  const exact = find('exact')
  if (exact) {
    sentences.push(' ', ...sentence(exact, `The share of next states predicted exactly (${exact.basis})`, last))
    const best = bestBaseline(evaluation)
    if (best) sentences.push(` The best baseline, ${best.predictor}, has ${formatValue(best.exact, 'share')}.`)
  }
  const invalid = find('invalid')
  if (invalid && changeOf(invalid, 0, last)?.detected) {
    sentences.push(' ', ...sentence(invalid, 'The share of invalid actions', last))
  }
  return sentences
}

/** The baseline that predicts most next states exactly, over all splits. */
export function bestBaseline({ worldModelBaselines }: EvaluationResult): { predictor: string; exact: number } | null {
  const totals = new Map<string, { right: number; transitions: number }>()
  for (const { predictor, exact, transitions } of worldModelBaselines) {
    const total = totals.get(predictor) ?? { right: 0, transitions: 0 }
    totals.set(predictor, { right: total.right + exact * transitions, transitions: total.transitions + transitions })
  }
  const shares = [...totals].map(([predictor, { right, transitions }]) => ({
    predictor,
    exact: right / Math.max(1, transitions),
  }))
  return shares.reduce<(typeof shares)[number] | null>(
    (best, one) => (best && best.exact >= one.exact ? best : one),
    null,
  )
}

/** `rose`, `fell`, or that the interval includes zero. */
export function changeVerb(change: Change): string {
  if (!change.detected) return 'did not change detectably'
  return change.difference > 0 ? 'rose' : 'fell'
}

function sentence(measure: Measure, subject: string, last: number): Inline[] {
  const change = changeOf(measure, 0, last)
  if (!change) return [`${subject}: not measured on both the first and the last model.`]
  const values = `from ${formatValue(change.from.value, measure.unit)} to ${formatValue(change.to.value, measure.unit)}`
  const interval = change.interval ? `, 95% interval ${formatInterval(change.interval, measure.unit)}` : ''
  const difference = ` (${formatDifference(change.difference, measure.unit)}${interval}).`
  const verb = changeVerb(change)
  return change.detected
    ? [`${subject} `, { strong: `${verb} ${values}` }, difference]
    : [`${subject} `, { strong: verb }, `: ${values}${difference}`]
}
