import type { Interval } from '../../core/index.ts'
import { type Block, type Cell, cell, type Section } from '../../reports/index.ts'
import type { OverSeeds } from '../results.ts'

/** In percent, without the sign: tables say it in their heads. */
export const percent = (value: number): string => (100 * value).toFixed(1).replace('-', '−')

export const points = (value: number): string => `${value >= 0 ? '+' : '−'}${(100 * Math.abs(value)).toFixed(1)}`

export const pointRange = ({ low, high }: Interval): string => `${points(low)} to ${points(high)}`

export const probability = (p: number | null): string => (p === null ? '–' : p < 0.001 ? '< 0.001' : p.toFixed(3))

/** Of few seeds, Student's interval of a share can reach past what a share can be. */
export const shareRange = (interval: Interval | null): Interval | null =>
  interval && { low: Math.max(0, interval.low), high: Math.min(1, interval.high) }

/** A share: `43.6 ± 4.6`, and its interval on a second line. */
export function overSeedsCell(found: OverSeeds | null, tone?: Cell['tone']): Cell {
  if (!found) return cell('–', 'quiet')
  const { mean, sd, seeds } = found
  const interval = shareRange(found.interval)
  return {
    text: seeds > 1 ? `${percent(mean)} ± ${percent(sd)}` : percent(mean),
    below: interval ? `${percent(interval.low)} to ${percent(interval.high)}` : 'one seed',
    tone,
  }
}

/** What is no share, in its own unit: `1.52 ± 0.03`. */
export function numberCell(found: OverSeeds | null): Cell {
  if (!found) return cell('–', 'quiet')
  const { mean, sd, seeds, interval } = found
  const text = (value: number) => value.toFixed(3).replace('-', '−')
  return {
    text: seeds > 1 ? `${text(mean)} ± ${text(sd)}` : text(mean),
    below: interval ? `${text(interval.low)} to ${text(interval.high)}` : 'one seed',
  }
}

export const paragraph = (text: string): Block => ({ block: 'paragraph', content: [text] })
export const note = (text: string): Block => ({ block: 'note', content: [text] })

/** A section that the study has nothing for: what would fill it. */
export const empty = (id: string, title: string, fills: string): Section => ({
  id,
  title,
  blocks: [note(`Left out: ${fills}`)],
})
