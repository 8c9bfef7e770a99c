import type { ArmResult, EvaluationResult } from '../../evaluation/index.ts'
import { intervalChart } from '../charts/intervalChart.ts'
import { colourOf } from '../charts/palette.ts'
import { type Block, type Cell, cell, type Figure, type Section } from '../document.ts'
import { formatDifference, formatInterval, formatShare, NOT_MEASURED } from '../format.ts'
import type { ReportInput } from '../input.ts'
import {
  type Change,
  changeOf,
  type Estimate,
  formatEstimate,
  hasSuccess,
  type Measure,
  measuresOf,
} from '../measures.ts'
import { pooledWorldModel } from '../pooledWorldModel.ts'

/** The main table: every measure on every arm, with intervals and the change from the first arm to the last. */
export function resultsSection(input: ReportInput): Section {
  const { evaluation } = input
  if (!evaluation || evaluation.arms.length === 0) {
    return {
      id: 'results',
      title: 'Results',
      blocks: [{ block: 'paragraph', content: ['Not measured: no evaluation has run.'] }],
    }
  }
  const measures = measuresOf(evaluation)
  return {
    id: 'results',
    title: 'Results',
    blocks: [
      { block: 'figures', perRow: 2, figures: intervalFigures(evaluation, measures), text: [] },
      mainTable(evaluation, measures),
      {
        block: 'note',
        content: [
          ...(measures.some(({ arms }) => arms.some((arm) => arm && arm.sd !== null))
            ? ['± is the standard deviation over evaluation runs. ']
            : []),
          hasSuccess(evaluation)
            ? 'In brackets 95% intervals over tasks (Wilson’s, at the effective number of independent tasks; differences paired by task). '
            : 'In brackets 95% intervals. ',
          ...(measures.some(({ id, arms }) => id === 'exact' && arms.some((arm) => arm && !arm.clusters))
            ? ['World-model intervals of this older run count transitions as independent and are a little too narrow. ']
            : []),
          settingsSentence(evaluation),
        ],
      },
      formatTable(evaluation.arms),
    ],
  }
}

function intervalFigures(evaluation: EvaluationResult, measures: readonly Measure[]): Figure[] {
  const rows = (measure: Measure) =>
    measure.arms.map((estimate, index) => ({
      name: evaluation.arms[index].arm,
      colour: colourOf(index),
      value: estimate?.value ?? null,
      interval: estimate?.interval ?? null,
    }))
  const figure = (title: string, caption: string, wanted: readonly Measure[]): Figure[] =>
    wanted.length === 0
      ? []
      : [
          {
            title,
            caption,
            drawing: intervalChart({
              label: `${title} of every arm with 95% intervals`,
              width: 510,
              names: 160,
              unit: 'share',
              groups: wanted.map((measure) => ({ title: `${measure.title} (${measure.basis})`, rows: rows(measure) })),
            }),
          },
        ]
  return [
    ...figure(
      'Task success',
      'Held-out tasks; lines are 95% intervals.',
      measures.filter((measure) => measure.id.startsWith('success')),
    ),
    ...figure(
      'World-model accuracy',
      'Held-out transitions, the same for every arm.',
      measures.filter((measure) => measure.id === 'exact' || measure.id === 'rewarded'),
    ),
  ]
}

function mainTable(evaluation: EvaluationResult, measures: readonly Measure[]): Block {
  const last = evaluation.arms.length - 1
  const rows = measures.map((measure) => [
    { text: measure.title, below: measure.basis },
    ...measure.arms.map((estimate) => estimateCell(measure, estimate)),
    ...(last > 0 ? [changeCell(measure, changeOf(measure, 0, last))] : []),
  ])
  return {
    block: 'table',
    columns: [
      { title: '', align: 'left' },
      ...evaluation.arms.map((arm) => ({ title: arm.arm, align: 'right' as const })),
      ...(last > 0 ? [{ title: 'change, first to last', align: 'right' as const }] : []),
    ],
    rows,
  }
}

function estimateCell(measure: Measure, estimate: Estimate | null): Cell {
  if (!estimate) return cell(NOT_MEASURED, 'quiet')
  return {
    text: formatEstimate(estimate, measure.unit),
    below: estimate.interval ? `[${formatInterval(estimate.interval, measure.unit)}]` : undefined,
    tone: 'strong',
  }
}

/** Green or red only where the interval excludes zero. */
export function changeCell(measure: Measure, change: Change | null): Cell {
  if (!change) return cell(NOT_MEASURED, 'quiet')
  const improved = change.difference > 0 === (measure.better === 'up')
  const words = !change.detected ? 'no detectable change' : improved ? 'better' : 'worse'
  return {
    text: formatDifference(change.difference, measure.unit),
    below: change.interval ? `[${formatInterval(change.interval, measure.unit)}] ${words}` : 'interval not measured',
    tone: change.detected ? (improved ? 'good' : 'bad') : 'quiet',
  }
}

/** Format and grounding: whether the other numbers can be trusted at all. */
function formatTable(arms: readonly ArmResult[]): Block {
  const average = (arm: ArmResult, value: (result: ArmResult['policy'][number]) => number | null) => {
    const known = arm.policy.flatMap((result) => {
      const found = value(result)
      return found === null ? [] : [{ found, weight: result.tasks }]
    })
    const weight = known.reduce((sum, one) => sum + one.weight, 0)
    return weight === 0 ? null : known.reduce((sum, one) => sum + one.found * one.weight, 0) / weight
  }
  const row = (title: string, value: (arm: ArmResult) => number | null) => {
    const shares = arms.map(value)
    // What no arm has (actions where nothing was played, grounding where it does not arise) is left out.
    return shares.every((share) => share === null)
      ? []
      : [[cell(title), ...shares.map((share) => cell(formatShare(share)))]]
  }
  return {
    block: 'table',
    columns: [
      { title: 'Format and grounding', align: 'left' },
      ...arms.map((arm) => ({ title: arm.arm, align: 'right' as const })),
    ],
    rows: [
      ...row('Replies with an action that parses', (arm) => average(arm, (result) => result.parseRate)),
      ...row('Predictions that parse', (arm) => pooledWorldModel(arm.worldModel)?.parseRate ?? null),
      ...row('“take” actions naming an object in sight', (arm) => average(arm, (result) => result.grounding)),
    ],
  }
}

function settingsSentence(evaluation: EvaluationResult): string {
  const { settings } = evaluation
  if (!hasSuccess(evaluation)) return `Predictions are the most probable ones; seed ${settings.seed}.`
  return `Evaluated at temperature ${settings.temperature}, at most ${settings.maxSteps} steps, seed ${settings.seed}.`
}
