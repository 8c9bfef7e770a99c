import type { EvaluationResult, WorldModelResult } from '../evaluation/index.ts'
import type { Inline } from './document.ts'
import { formatDifference, formatInterval, formatValue, plural } from './format.ts'
import type { ReportInput } from './input.ts'
import { type Change, changeFromBaseline, changeOf, type Measure, measuresOf, taskCount } from './measures.ts'

/** The findings in a few sentences, good or bad: success, world model, and any other change that was detected. */
export function verdict({ evaluation, config }: Pick<ReportInput, 'evaluation' | 'config'>): Inline[] {
  if (!evaluation || evaluation.arms.length === 0) return ['Nothing has been evaluated yet.']
  const measures = measuresOf(evaluation)
  // Controls are told of beside the last model that is none; where all are, they are what there is.
  const trained = evaluation.arms.findLastIndex(({ control }, index) => index > 0 && control === undefined)
  const last = trained > 0 ? trained : evaluation.arms.length - 1
  if (evaluation.arms.length === 1) return ['Only one model was evaluated, so there is nothing to compare it with.']
  const find = (id: string) => measures.find((measure) => measure.id === id)
  const sentences: Inline[] = []
  const success = find('success')
  if (success) {
    sentences.push(...sentence(success, `Success on ${plural(taskCount(evaluation), 'held-out task')}`, last))
    // What a stage in between cost or gave, where it is beyond chance: the first and the last alone would hide it.
    sentences.push(...besideControls(success, 'success', evaluation, last))
    for (let arm = 1; arm < last; arm++) {
      if (evaluation.arms[arm].control !== undefined || !changeOf(success, 0, arm)?.detected) continue
      sentences.push(' ', ...sentence(success, `In between, ${evaluation.arms[arm].arm}, it`, arm))
    }
  }
  const exact = find('exact')
  if (exact) {
    if (success) sentences.push(' ')
    sentences.push(...sentence(exact, `The share of next states predicted exactly (${exact.basis})`, last))
    sentences.push(...besideControls(exact, 'exact next states', evaluation, last))
    const valid = find('exact:valid')
    if (valid && config.some(({ path, value }) => path === 'collect.invalidShare' && value === 0)) {
      sentences.push(' Invalid actions were left out of training: ')
      sentences.push(...sentence(valid, `on valid ones alone (${valid.basis}) it`, last))
    }
    const fallen = fallenKinds(evaluation, last)
    if (fallen.length > 0) sentences.push(` It fell on ${fallen.join(', ')}.`)
    const best = bestBaseline(evaluation)
    if (best) {
      const over = changeFromBaseline(evaluation, best.predictor, last)
      const interval = over?.interval ? `, 95% interval ${formatInterval(over.interval, 'share')}` : ''
      const beside = over ? ` (the last model ${formatDifference(over.difference, 'share')}${interval})` : ''
      sentences.push(` The best baseline, ${best.predictor}, has ${formatValue(best.exact, 'share')}${beside}.`)
    }
  }
  const invalid = find('invalid')
  if (invalid && changeOf(invalid, 0, last)?.detected) {
    sentences.push(' ', ...sentence(invalid, 'The share of invalid actions', last))
  }
  if (!success) {
    const left = config.some(({ path, value }) => path === 'evaluate.runs' && value === 0)
    sentences.push(left ? ' Success was not measured.' : ' There is no task reward, and so no success to measure.')
  }
  return sentences
}

/**
 * A gain that a control shows too is said to be no gain of what the control lacks. Of each sort of control its last model
 * counts: the others are on the way to it.
 */
function besideControls(measure: Measure, what: string, { arms }: EvaluationResult, last: number): Inline[] {
  const gain = changeOf(measure, 0, last)
  if (!gain?.detected || gain.difference > 0 !== (measure.better === 'up') || arms[last].control !== undefined)
    return []
  const sorts = [...new Set(arms.flatMap(({ control }) => control ?? []))]
  return sorts.flatMap((sort): Inline[] => {
    const control = arms.findLastIndex((arm) => arm.control === sort)
    const own = changeOf(measure, 0, control)
    const over = changeOf(measure, control, last)
    if (!own || !over) return []
    const name = `the control “${arms[control].arm}” (${sort})`
    const values = `${formatValue(own.to.value, measure.unit)}, a difference of ${formatDifference(over.difference, measure.unit)}`
    if (over.detected && over.difference > 0 === gain.difference > 0) {
      return [` In ${what} it is ahead of ${name}, which has ${values}.`]
    }
    const gained = own.detected && own.difference > 0 === gain.difference > 0
    return gained
      ? [
          ' ',
          { strong: `${name[0].toUpperCase()}${name.slice(1)} gained as well` },
          ` (${values}): this gain in ${what} is not due to what the control lacks.`,
        ]
      : [` In ${what} it cannot be told apart from ${name}, which has ${values}.`]
  })
}

/** Kinds of transitions that the last arm predicts clearly worse than the first: a rising total can hide them. */
function fallenKinds({ arms }: EvaluationResult, at: number): string[] {
  const [first, last] = [arms[0], arms[at]].map((arm) => exactByKind(arm.worldModel))
  return [...first].flatMap(([kind, before]) => {
    const after = last.get(kind)
    const fell = after !== undefined && before.share - after.share > 0.02 && before.transitions >= 20
    return fell ? [`${kind} (${formatValue(before.share, 'share')} to ${formatValue(after.share, 'share')})`] : []
  })
}

function exactByKind(results: WorldModelResult[]): Map<string, { share: number; transitions: number }> {
  const kinds = new Map<string, { share: number; transitions: number }>()
  for (const { byKind } of results) {
    for (const [kind, { exact, transitions }] of Object.entries(byKind)) {
      const known = kinds.get(kind) ?? { share: 0, transitions: 0 }
      const total = known.transitions + transitions
      kinds.set(kind, {
        share: (known.share * known.transitions + exact * transitions) / Math.max(1, total),
        transitions: total,
      })
    }
  }
  return kinds
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
