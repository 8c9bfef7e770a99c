import { element, join, type Markup, raw } from '../markup.ts'
import { drawingStyle } from '../style.ts'

const MARGIN = 16
const HEADING = 24

/** Drawings of a report as one file of their own, under each other: with their colours, the light ones, and a ground. */
export function standaloneDrawing(title: string, parts: readonly { title: string; drawing: Markup }[]): string {
  let at = MARGIN
  let widest = 0
  const placed = parts.map((part) => {
    const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(part.drawing.markup) ?? []
    if (width === undefined) throw new Error(`the drawing ${part.title} says no size`)
    const top = at
    at += HEADING + Number(height) + MARGIN
    widest = Math.max(widest, Number(width))
    const place = `x="${MARGIN}" y="${top + HEADING}" width="${width}" height="${height}"`
    return element(
      'g',
      { class: 'chart' },
      element('text', { x: MARGIN, y: top + 12, class: 'title' }, part.title),
      raw(part.drawing.markup.replace(/^<svg /, `<svg ${place} `)),
    )
  })
  const [width, height] = [widest + 2 * MARGIN, at]
  const file = element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}` },
    element('title', {}, title),
    element('style', {}, raw(drawingStyle())),
    element('rect', { width, height, class: 'ground' }),
    join(placed),
  )
  return `${file.markup}\n`
}
