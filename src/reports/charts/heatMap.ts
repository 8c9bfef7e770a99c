import { formatShare } from '../format.ts'
import { element, join, type Markup } from '../markup.ts'
import { textWidth } from './text.ts'

export interface HeatMap {
  label: string
  width: number
  /** What the columns count: `layers`. */
  across: string
  columns: string[]
  rows: HeatRow[]
  /** The share that has the full colour, in (0, 1]. Maps that are compared have the same. */
  high: number
}

export interface HeatRow {
  name: string
  /** Shares in [0, 1] along the columns; null = there is none. */
  values: (number | null)[]
  /** Of the whole row. */
  all: number
}

const ROW = 22
const FONT = 12
const NAMES = 78
const ALL = 56
const GAP = 14
const WIDEST = 54
const TOP = 20
const LEGEND = 34
/** Below this share of the full colour text on it is dark. */
const DARK_TEXT = 0.65
/** So that a cell of nothing is still seen to be a cell. */
const FAINTEST = 0.05

/** Shares by row and column as depth of one colour, rows in all at the right. Values stand in the cells where there is room. */
export function heatMap(map: HeatMap): Markup {
  const cell = Math.min(WIDEST, (map.width - NAMES - GAP - ALL) / Math.max(1, map.columns.length))
  const allAt = NAMES + map.columns.length * cell + (map.columns.length > 0 ? GAP : 0)
  const rows = map.rows.map((row, index) => {
    const top = TOP + index * ROW
    const cells = row.values.map((value, column) => {
      const where = `${row.name}, ${map.across}: ${map.columns[column]}`
      return square(map, value, where, { left: NAMES + column * cell, top, width: cell })
    })
    return join([
      text(NAMES - 8, top + ROW / 2 + 4, row.name, 'end'),
      ...cells,
      square(map, row.all, `${row.name}, all`, { left: allAt, top, width: ALL }),
    ])
  })
  const below = TOP + map.rows.length * ROW
  const height = below + LEGEND
  return element(
    'svg',
    { viewBox: `0 0 ${map.width} ${height}`, role: 'img', 'aria-label': map.label, class: 'chart' },
    element('title', {}, map.label),
    ...columnNames(map, cell),
    text(allAt + ALL / 2, TOP - 7, 'all', 'middle'),
    join(rows),
    legend(map, below + 14),
  )
}

interface Place {
  left: number
  top: number
  width: number
}

function square({ high }: HeatMap, value: number | null, where: string, { left, top, width }: Place): Markup {
  if (value === null) return join([])
  const depth = Math.max(FAINTEST, Math.min(1, value / high))
  // Near the ends one digit more tells some from none, and nearly all from all.
  const nearEnd = (value > 0 && value < 0.1) || (value > 0.99 && value < 1)
  const shown = formatShare(value, nearEnd ? 1 : 0)
  const fits = textWidth(shown, FONT - 1) < width - 4
  return element(
    'g',
    { class: 'c1' },
    element('title', {}, `${where}: ${formatShare(value, 2)}`),
    element('rect', { x: left, y: top, width: width - 1, height: ROW - 1, class: 'bar', 'fill-opacity': depth }),
    fits
      ? element(
          'text',
          {
            x: left + (width - 1) / 2,
            y: top + ROW / 2 + 3.5,
            'text-anchor': 'middle',
            class: depth > DARK_TEXT ? 'small inside' : 'small',
          },
          shown,
        )
      : '',
  )
}

/** As many as stand apart. */
function columnNames({ columns }: HeatMap, cell: number): Markup[] {
  const widest = columns.reduce((most, name) => Math.max(most, textWidth(name, FONT)), 0)
  const every = [1, 2, 5, 10, 20, 50].find((step) => step * cell > widest + 4) ?? columns.length
  return columns.flatMap((name, index) =>
    index % every === 0 ? [text(NAMES + (index + 0.5) * cell, TOP - 7, name, 'middle')] : [],
  )
}

const STEPS = 8
const STEP = 18

function legend({ across, high }: HeatMap, top: number): Markup {
  const steps = Array.from({ length: STEPS }, (_, i) =>
    element('rect', {
      x: NAMES + 34 + i * STEP,
      y: top,
      width: STEP,
      height: 10,
      class: 'bar',
      'fill-opacity': Math.max(FAINTEST, i / (STEPS - 1)),
    }),
  )
  return join([
    text(NAMES + 28, top + 9, '0%', 'end'),
    element('g', { class: 'c1' }, ...steps),
    text(NAMES + 40 + STEPS * STEP, top + 9, `${formatShare(high, high < 0.1 ? 1 : 0)} · columns: ${across}`, 'start'),
  ])
}

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end'): Markup {
  return element('text', { x, y, class: 'tick', 'text-anchor': anchor }, content)
}
