/** The drawing of part e: time and memory against context and group size, as one file that needs no page around it. */
import { lineChart } from '../../src/reports/charts/lineChart.ts'
import { element, type Markup, raw } from '../../src/reports/markup.ts'
import type { Point } from '../../src/reports/smoothing.ts'
import { styleSheet } from '../../src/reports/style.ts'
import { seconds } from './part.ts'
import type { Samples } from './result-file.ts'
import { contextKey, fastest, groupKey, largestPeak, SIDES } from './scaling.ts'
import type { Sizes } from './sizes.ts'

const WIDTH = 460
const HEIGHT = 240
const GAP = 30
const HEAD = 26
const COLOURS = ['c1', 'c2']

interface Panel {
  title: string
  x: string
  y: string
  at: readonly number[]
  value(at: number, side: string): number | undefined
}

/** The file's text; null where nothing has been measured. */
export function scalingFigure(samples: (key: string) => Samples | undefined, sizes: Sizes): string | null {
  const time = (key: string, side: string, figure: string) => seconds(fastest(samples(key), side, figure))
  const { contexts, groups } = sizes
  const panels: Panel[] = [
    {
      title: 'Training step',
      x: 'tokens',
      y: 'seconds',
      at: contexts,
      value: (at, side) => time(contextKey(at), side, 'totalMs'),
    },
    {
      title: 'Training step',
      x: 'tokens',
      y: 'peak memory, GiB',
      at: contexts,
      value: (at, side) => largestPeak(samples(contextKey(at)), side),
    },
    {
      title: 'Gradient of a group',
      x: 'answers',
      y: 'seconds',
      at: groups,
      value: (at, side) => time(groupKey(at), side, 'gradientMs'),
    },
    {
      title: 'Gradient of a group',
      x: 'answers',
      y: 'peak memory, GiB',
      at: groups,
      value: (at, side) => largestPeak(samples(groupKey(at)), side),
    },
  ]
  if (panels.every((panel) => panel.at.every((at) => SIDES.every((side) => panel.value(at, side) === undefined)))) {
    return null
  }
  const width = 2 * WIDTH + 3 * GAP
  const height = 2 * (HEIGHT + HEAD + GAP) + GAP
  return `${
    element(
      'svg',
      { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, 'aria-label': 'Time and memory' },
      element('style', {}, raw(`${styleSheet()}${FILE_STYLE}`)),
      element('rect', { width, height, class: 'paper' }),
      ...panels.map((panel, index) => drawn(panel, index)),
    ).markup
  }\n`
}

/** What the page does for drawings, this file does for itself: letters, and room for the charts inside. */
const FILE_STYLE = `
svg{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.paper{fill:var(--paper)}
.panel>text{fill:var(--ink);font-size:14px;font-weight:600}
.panel>.chart{width:${WIDTH}px;height:${HEIGHT}px}
`

function drawn(panel: Panel, index: number): Markup {
  const left = GAP + (index % 2) * (WIDTH + GAP)
  const top = GAP + Math.floor(index / 2) * (HEIGHT + HEAD + GAP)
  const series = SIDES.map((name, side) => ({
    name,
    colour: COLOURS[side],
    points: panel.at.flatMap((at): Point[] => {
      const value = panel.value(at, name)
      return value === undefined ? [] : [[at, value]]
    }),
  }))
  return element(
    'g',
    { class: 'panel', transform: `translate(${left} ${top})` },
    element('text', { x: 0, y: 0 }, panel.title),
    element(
      'g',
      { class: 'panel', transform: `translate(0 ${HEAD - 12})` },
      lineChart({
        label: `${panel.title}: ${panel.y} against ${panel.x}`,
        x: panel.x,
        y: panel.y,
        unit: 'number',
        width: WIDTH,
        height: HEIGHT,
        series,
      }),
    ),
  )
}
