import { formatNumber, formatShare, type Unit } from '../format.ts'
import { element, join, type Markup } from '../markup.ts'
import { movingAverage, type Point, smoothingWindow } from '../smoothing.ts'
import { isDrawable, linearScale, type Scale } from './scale.ts'
import { fitText, spreadLabels, textWidth } from './text.ts'

export interface LineChart {
  /** Read by screen readers. */
  label: string
  x: string
  y: string
  unit: Unit
  width: number
  height: number
  series: LineSeries[]
}

export interface LineSeries {
  /** Written at the end of its line; empty for none. */
  name: string
  /** Class of the palette: `c0` … `c5`. */
  colour: string
  points: readonly Point[]
  /** Faint lines behind it, such as those that it is the mean of. */
  behind?: readonly (readonly Point[])[]
}

const FONT = 12
const TOP = 26
const BOTTOM = 38

/** Learning curves: every step a faint dot, over them the moving average; a share starts at 0. Points that are not drawable are left out. */
export function lineChart(chart: LineChart): Markup {
  const series = chart.series.map((one) => ({
    ...one,
    points: one.points.filter((point) => point.every(isDrawable)),
    behind: one.behind?.map((points) => points.filter((point) => point.every(isDrawable))),
  }))
  const all = series.flatMap((one) => [...one.points, ...(one.behind?.flat() ?? [])])
  const { width, height } = chart
  const format = (value: number) => (chart.unit === 'share' ? formatShare(value, 0) : formatNumber(value))
  const ys = all.map(([, y]) => y)
  const lowest = ys.reduce((a, b) => Math.min(a, b), 0)
  const y = linearScale(ys, [height - BOTTOM, TOP], { low: lowest >= 0 ? 0 : undefined, count: height < 220 ? 3 : 4 })
  const left = 10 + y.ticks.reduce((widest, tick) => Math.max(widest, textWidth(format(tick), FONT)), 0)
  const named = series.filter((one) => one.name && one.points.length > 0)
  const right = 12 + named.reduce((widest, one) => Math.max(widest, Math.min(150, textWidth(one.name, FONT) + 6)), 0)
  const x = linearScale(
    all.map(([step]) => step),
    [left, width - right],
    {
      low: 0,
      high: all.length > 0 ? all.reduce((most, [step]) => Math.max(most, step), 0) : 1,
      count: width < 400 ? 4 : 6,
      whole: true,
    },
  )
  return element(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': chart.label, class: 'chart' },
    element('title', {}, chart.label),
    axes(chart, x, y, format, left, right),
    ...series.map((one) => line(one, x, y)),
    endLabels(named, x, y, height),
    all.length === 0
      ? element('text', { x: width / 2, y: height / 2, class: 'label', 'text-anchor': 'middle' }, 'not measured')
      : '',
  )
}

function axes(
  chart: LineChart,
  x: Scale,
  y: Scale,
  format: (value: number) => string,
  left: number,
  right: number,
): Markup {
  const { width, height } = chart
  return join([
    element('text', { x: 0, y: 12, class: 'label' }, chart.y),
    ...y.ticks.flatMap((tick) => [
      element('line', { x1: left, x2: width - right, y1: y(tick), y2: y(tick), class: tick === 0 ? 'axis' : 'grid' }),
      element('text', { x: left - 6, y: y(tick) + 4, class: 'tick', 'text-anchor': 'end' }, format(tick)),
    ]),
    ...x.ticks.map((tick) =>
      element('text', { x: x(tick), y: height - BOTTOM + 17, class: 'tick', 'text-anchor': 'middle' }, String(tick)),
    ),
    element('text', { x: width - right, y: height - 4, class: 'label', 'text-anchor': 'end' }, chart.x),
  ])
}

function line(series: LineSeries, x: Scale, y: Scale): Markup {
  if (series.points.length === 0) return join([])
  const smooth = movingAverage(series.points, smoothingWindow(series.points.length))
  const path = (points: readonly Point[]) =>
    points.map(([step, value], index) => `${index === 0 ? 'M' : 'L'}${pixel(x(step))} ${pixel(y(value))}`).join('')
  return element(
    'g',
    { class: series.colour },
    ...(series.behind ?? []).map((points) => element('path', { d: path(points), class: 'line faint' })),
    ...series.points.map(([step, value]) => element('circle', { cx: x(step), cy: y(value), r: 1.7, class: 'raw' })),
    element('path', { d: path(smooth), class: 'line' }),
    ...(smooth.length === 1
      ? [element('circle', { cx: x(smooth[0][0]), cy: y(smooth[0][1]), r: 3, class: 'dot' })]
      : []),
  )
}

/** The name of each line at its end, moved apart where lines end close together. */
function endLabels(series: readonly LineSeries[], x: Scale, y: Scale, height: number): Markup {
  const ends = series.map((one) => {
    const smooth = movingAverage(one.points, smoothingWindow(one.points.length))
    return smooth[smooth.length - 1]
  })
  const centres = spreadLabels(
    ends.map(([, value]) => y(value)),
    FONT + 3,
    [TOP, height - BOTTOM],
  )
  return join(
    series.map((one, index) =>
      element(
        'text',
        { x: x(ends[index][0]) + 6, y: centres[index] + 4, class: `name ${one.colour}` },
        fitText(one.name, FONT, 150),
      ),
    ),
  )
}

function pixel(value: number): string {
  return String(Math.round(value * 100) / 100)
}
