import { formatShare } from '../format.ts'
import { element, join, type Markup } from '../markup.ts'
import { isDrawable } from './scale.ts'
import { fitText, textWidth } from './text.ts'

export interface BarChart {
  label: string
  width: number
  /** Width kept for the names of the bars. */
  names: number
  /** The share at the right end, in (0, 1]. */
  high: number
  bars: Bar[]
}

export interface Bar {
  name: string
  colour: string
  /** A share in [0, 1]; null = not measured. */
  value: number | null
  /** A second, larger share, drawn pale behind the first. */
  behind?: number | null
  /** After the value: `12 of 40`. */
  detail?: string
}

const ROW = 19
const FONT = 12

/** Horizontal bars with their names before them and their values behind: no axis, no legend. */
export function barChart(chart: BarChart): Markup {
  const details = chart.bars.map((bar) => `${bar.detail ? ` ${bar.detail}` : ''}`)
  const values = 46 + details.reduce((widest, detail) => Math.max(widest, textWidth(detail, FONT - 1)), 0)
  const room = Math.max(10, chart.width - chart.names - values - 8)
  const length = (share: number) => Math.max(0, Math.min(1, share / chart.high)) * room
  const rows = chart.bars.map((bar, index) => {
    const top = index * ROW
    const value = isDrawable(bar.value) ? bar.value : null
    const longest = Math.max(value ?? 0, isDrawable(bar.behind) ? bar.behind : 0)
    const middle = top + ROW / 2 + 4
    return element(
      'g',
      { class: bar.colour },
      element('title', {}, barText(bar)),
      element(
        'text',
        { x: chart.names - 6, y: middle, class: 'tick', 'text-anchor': 'end' },
        fitText(bar.name, FONT, chart.names - 8),
      ),
      isDrawable(bar.behind)
        ? element('rect', { x: chart.names, y: top + 3, width: length(bar.behind), height: ROW - 6, class: 'behind' })
        : '',
      value === null
        ? ''
        : element('rect', { x: chart.names, y: top + 3, width: length(value), height: ROW - 6, class: 'bar' }),
      element(
        'text',
        { x: chart.names + length(longest) + 5, y: middle, class: value === null ? 'tick' : 'value' },
        value === null ? 'not measured' : formatShare(value),
        value !== null && bar.detail ? element('tspan', { class: 'tick', dx: 4 }, bar.detail) : '',
      ),
    )
  })
  const height = Math.max(1, chart.bars.length) * ROW
  return element(
    'svg',
    { viewBox: `0 0 ${chart.width} ${height}`, role: 'img', 'aria-label': chart.label, class: 'chart' },
    element('title', {}, chart.label),
    element('line', { x1: chart.names, x2: chart.names, y1: 0, y2: height, class: 'axis' }),
    join(rows),
  )
}

function barText(bar: Bar): string {
  const behind = isDrawable(bar.behind) ? `, ${formatShare(bar.behind)} by reward` : ''
  return `${bar.name}: ${formatShare(isDrawable(bar.value) ? bar.value : null)}${behind}${bar.detail ? ` (${bar.detail})` : ''}`
}
