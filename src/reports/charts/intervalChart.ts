import type { Interval } from '../../core/index.ts'
import { formatNumber, formatShare, formatValue, type Unit } from '../format.ts'
import { element, join, type Markup } from '../markup.ts'

import { isDrawable, linearScale, type Scale } from './scale.ts'
import { fitText } from './text.ts'

export interface IntervalChart {
  label: string
  width: number
  names: number
  unit: Unit
  groups: { title: string; rows: IntervalRow[] }[]
}

export interface IntervalRow {
  name: string
  colour: string
  value: number | null
  interval: Interval | null
}

const ROW = 22
const HEADING = 30
const AXIS = 24
const FONT = 12

/** A dot for each value and a line for its 95 % interval, in groups, over one axis that starts at 0. */
export function intervalChart(chart: IntervalChart): Markup {
  const rows = chart.groups.flatMap((group) => group.rows)
  const ends = rows.flatMap((row) => [row.value ?? 0, row.interval?.high ?? 0, row.interval?.low ?? 0])
  const scale = linearScale(ends, [chart.names, chart.width - 56], {
    low: ends.some((end) => isDrawable(end) && end < 0) ? undefined : 0,
    count: 4,
  })
  const height = chart.groups.length * HEADING + rows.length * ROW + AXIS
  const format = (value: number) => (chart.unit === 'share' ? formatShare(value, 0) : formatNumber(value))
  const parts: Markup[] = []
  let top = 0
  for (const group of chart.groups) {
    parts.push(element('text', { x: 0, y: top + 21, class: 'heading' }, group.title))
    top += HEADING
    parts.push(grid(scale, top, top + group.rows.length * ROW))
    for (const row of group.rows) {
      parts.push(intervalRow(chart, row, scale, top + ROW / 2))
      top += ROW
    }
  }
  const ticks = scale.ticks.map((tick) =>
    element('text', { x: scale(tick), y: height - 5, class: 'tick', 'text-anchor': 'middle' }, format(tick)),
  )
  return element(
    'svg',
    { viewBox: `0 0 ${chart.width} ${height}`, role: 'img', 'aria-label': chart.label, class: 'chart' },
    element('title', {}, chart.label),
    join(parts),
    join(ticks),
  )
}

function grid(scale: Scale, top: number, bottom: number): Markup {
  return join(
    scale.ticks.map((tick) =>
      element('line', { x1: scale(tick), x2: scale(tick), y1: top, y2: bottom, class: tick === 0 ? 'axis' : 'grid' }),
    ),
  )
}

function intervalRow(chart: IntervalChart, row: IntervalRow, scale: Scale, y: number): Markup {
  const { value, interval } = row
  const name = element(
    'text',
    { x: chart.names - 10, y: y + 4, class: 'tick', 'text-anchor': 'end' },
    fitText(row.name, FONT, chart.names - 10),
  )
  if (!isDrawable(value)) {
    return join([name, element('text', { x: chart.names + 6, y: y + 4, class: 'tick' }, 'not measured')])
  }
  const known = interval && isDrawable(interval.low) && isDrawable(interval.high) ? interval : null
  const end = scale(Math.max(value, known?.high ?? value))
  return element(
    'g',
    { class: row.colour },
    element('title', {}, `${row.name}: ${formatValue(value, chart.unit)}`),
    name,
    known ? element('line', { x1: scale(known.low), x2: scale(known.high), y1: y, y2: y, class: 'whisker' }) : '',
    element('circle', { cx: scale(value), cy: y, r: 4.5, class: 'dot' }),
    element('text', { x: end + 8, y: y + 4, class: 'value' }, formatValue(value, chart.unit)),
  )
}
