import { type Block, type Cell, cell, type Section } from '../document.ts'
import { formatDifference, formatInterval, formatLarge, formatShare } from '../format.ts'
import type { ReportInput } from '../input.ts'
import { type Change, changeOf, hasSuccess, type Measure, measuresOf } from '../measures.ts'
import { type Claim, PAPER_CLAIMS, PAPER_FIGURES, paperRows } from '../paper.ts'

/**
 * The paper's numbers in their own columns beside this run's, and which of its claims this run could test. They are about
 * success: a run without a task reward, or not evaluated yet, has nothing to put beside them.
 */
export function paperSection(input: ReportInput): Section | null {
  const evaluation = input.evaluation
  if (!evaluation || !hasSuccess(evaluation)) return null
  const rows = paperRows(evaluation.arms, input.stages)
  const success = measuresOf(evaluation).find((measure) => measure.id === 'success')
  return {
    id: 'paper',
    title: 'Beside the paper',
    blocks: [
      {
        block: 'paragraph',
        content: [
          'The paper’s figures are for ',
          { strong: '7B and 8B models on the full benchmarks' },
          `; this run trained a model of ${formatLarge(input.run.model.parameters)} parameters on ${input.run.environment}. The levels are not comparable. What can be compared is which way each step moves success. The unit is the task, of one trained model of each arm: what is found of these models need not hold for others trained the same way.`,
        ],
      },
      figuresTable(input, rows, success),
      ...claimBlocks(rows, success),
    ],
  }
}

function figuresTable(input: ReportInput, rows: readonly (string | null)[], success: Measure | undefined): Block {
  const own = (row: string): Cell => {
    const estimate = success?.arms[rows.indexOf(row)]
    if (!rows.includes(row)) return cell('not run', 'quiet')
    if (!estimate) return cell('not measured', 'quiet')
    const sd = estimate.sd === null ? '' : ` ± ${(estimate.sd * 100).toFixed(1)}`
    return cell(`${(estimate.value * 100).toFixed(1)}${sd}`, 'strong')
  }
  return {
    block: 'table',
    columns: [
      { title: 'Success, %', align: 'left' },
      { title: 'ALFWorld', align: 'right', group: 'The paper (7B, 8B)' },
      { title: 'τ²-bench', align: 'right', group: 'The paper (7B, 8B)' },
      { title: input.run.environment, align: 'right', group: `This run (${formatLarge(input.run.model.parameters)})` },
    ],
    rows: PAPER_FIGURES.map((figure) => [
      cell(figure.title),
      cell(figure.alfworld, 'quiet'),
      cell(figure.tau2, 'quiet'),
      own(figure.row),
    ]),
  }
}

/** Claims this run has both arms for, with their outcome; the others in one sentence. */
function claimBlocks(rows: readonly (string | null)[], success: Measure | undefined): Block[] {
  const changes = PAPER_CLAIMS.map((claim) => ({ claim, change: claimChange(claim, rows, success) }))
  const tested = changes.flatMap(({ claim, change }) =>
    change ? [[cell(claim.text), outcome(change), differenceCell(change)]] : [],
  )
  const untested = changes.filter(({ change }) => !change).map(({ claim }) => claim.text)
  const blocks: Block[] = []
  if (tested.length > 0) {
    blocks.push({
      block: 'table',
      columns: [
        { title: 'The paper’s claim', align: 'left' },
        { title: 'Here', align: 'left' },
        { title: 'Difference', align: 'right' },
      ],
      rows: tested,
    })
  }
  if (untested.length > 0) {
    blocks.push({
      block: 'note',
      content: [`Claims of the paper not tested by success in this run: ${untested.join('; ')}.`],
    })
  }
  return blocks
}

function claimChange(claim: Claim, rows: readonly (string | null)[], success: Measure | undefined): Change | null {
  if (!claim.rows || !success) return null
  const [worse, better] = [rows.indexOf(claim.rows.worse), rows.indexOf(claim.rows.better)]
  return worse < 0 || better < 0 ? null : changeOf(success, worse, better)
}

function outcome(change: Change): Cell {
  if (!change.detected) return cell('undetectable here', 'quiet')
  return change.difference > 0 ? cell('held', 'good') : cell('not held: the opposite', 'bad')
}

function differenceCell(change: Change): Cell {
  const interval = change.interval ? ` [${formatInterval(change.interval, 'share')}]` : ''
  return {
    text: formatDifference(change.difference, 'share'),
    below: `${formatShare(change.from.value)} → ${formatShare(change.to.value)}${interval}`,
  }
}
