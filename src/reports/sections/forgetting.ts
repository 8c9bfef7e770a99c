import { type BenchmarkResult, changeOf, type Forgetting } from '../../benchmarks/index.ts'
import { type Cell, cell, left, right, type Section } from '../document.ts'
import { formatCount, formatDifference, formatInterval, formatValue, NOT_MEASURED } from '../format.ts'
import type { ReportInput } from '../input.ts'

/** Benchmarks before and after training: every arm, and how it differs from the first; none where nothing was measured. */
export function forgettingSection({ forgetting }: ReportInput): Section | null {
  const measured = forgetting.filter(({ arms }) => arms.length > 0)
  if (measured.length === 0) return null
  const notes = measured.flatMap(({ arms }) =>
    arms[0].results.map(({ title, notes }) => `${title}: ${notes.join('; ')}.`),
  )
  return {
    id: 'forgetting',
    title: 'What is still known: benchmarks before and after',
    blocks: [
      ...measured.map(({ arms }) => ({
        block: 'table' as const,
        columns: [left(''), ...arms.map(({ arm }) => right(arm))],
        rows: arms[0].results.flatMap((_, index) => rowsOf(arms, index)),
      })),
      {
        block: 'note',
        content: [
          `Below each figure the difference from ${measured[0].arms[0].arm}, with its 95% interval over questions that both answered, paired. Of one run: another seed's training may differ by more.`,
        ],
      },
      { block: 'list', items: notes.map((note) => [{ muted: note }]) },
    ],
  }
}

/** A row for each measure of a benchmark; differences for the first, which arms are compared by. */
function rowsOf(arms: Forgetting['arms'], index: number): Cell[][] {
  const [base] = arms
  const { title, questions, leftOut, measures } = base.results[index]
  return measures.map((measure, which) => {
    const below = `${formatCount(questions)} questions${leftOut > 0 ? `, ${formatCount(leftOut)} left out: too long` : ''}`
    return [
      which === 0
        ? { text: measures.length > 1 ? `${title}, ${measure.name}` : title, below }
        : cell(`${title}, ${measure.name}`, 'quiet'),
      ...arms.map(({ results }, at) => figure(results[index], which, at === 0 ? null : base.results[index])),
    ]
  })
}

function figure(result: BenchmarkResult, which: number, base: BenchmarkResult | null): Cell {
  const { value, unit, better, interval } = result.measures[which]
  if (value === null) return cell(NOT_MEASURED, 'quiet')
  const text = formatValue(value, unit)
  if (which > 0) return cell(text)
  const change = base && changeOf(base, result)
  if (!change) return { text, below: interval ? `[${formatInterval(interval, unit)}]` : undefined }
  const { low, high } = change.interval
  const detected = low > 0 || high < 0
  const improved = change.difference > 0 === (better === 'up')
  return {
    text,
    below: `${formatDifference(change.difference, unit)} [${formatInterval(change.interval, unit)}]`,
    tone: detected ? (improved ? 'good' : 'bad') : undefined,
  }
}
