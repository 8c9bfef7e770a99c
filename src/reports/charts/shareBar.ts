import { formatShare } from '../format.ts'
import { element, join, type Markup } from '../markup.ts'
import { isDrawable } from './scale.ts'
import { textWidth } from './text.ts'

export interface ShareBar {
  label: string
  width: number
  parts: { name: string; colour: string; value: number }[]
}

const HEIGHT = 26
const FONT = 12

/** One bar divided by share of the total; parts too narrow for their name are named by hovering and in the table beside. */
export function shareBar(bar: ShareBar): Markup {
  const parts = bar.parts.filter((part) => isDrawable(part.value) && part.value > 0)
  const total = parts.reduce((sum, part) => sum + part.value, 0)
  let left = 0
  const drawn = parts.map((part) => {
    const share = part.value / total
    const width = share * bar.width
    const text = `${part.name} ${formatShare(share, 0)}`
    const shown =
      textWidth(text, FONT) < width - 10
        ? text
        : textWidth(formatShare(share, 0), FONT) < width - 8
          ? formatShare(share, 0)
          : ''
    const piece = element(
      'g',
      { class: part.colour },
      element('title', {}, text),
      element('rect', { x: left, y: 0, width: Math.max(0, width - 1.5), height: HEIGHT, class: 'bar' }),
      shown ? element('text', { x: left + 7, y: HEIGHT / 2 + 4.5, class: 'inside' }, shown) : '',
    )
    left += width
    return piece
  })
  return element(
    'svg',
    { viewBox: `0 0 ${bar.width} ${HEIGHT}`, role: 'img', 'aria-label': bar.label, class: 'chart' },
    element('title', {}, bar.label),
    join(drawn),
  )
}
