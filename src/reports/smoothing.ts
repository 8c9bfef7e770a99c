export type Point = readonly [x: number, y: number]

/** Centred moving average over `window` points; at the ends over those there are, so that no point is made up. */
export function movingAverage(points: readonly Point[], window: number): Point[] {
  const half = Math.floor(window / 2)
  return points.map(([x], index) => {
    const near = points.slice(Math.max(0, index - half), index + half + 1)
    return [x, near.reduce((sum, [, y]) => sum + y, 0) / near.length]
  })
}

/** A tenth of the points, odd, at least 1. */
export function smoothingWindow(count: number): number {
  return 2 * Math.floor(count / 20) + 1
}

const BARS = '▁▂▃▄▅▆▇█'

/** A line of block characters, at most `width` long, from the lowest value to the highest; empty for no values. */
export function sparkline(values: readonly number[], width = 40): string {
  const finite = values.filter(Number.isFinite)
  if (finite.length === 0) return ''
  const cells = Math.min(width, finite.length)
  const means = Array.from({ length: cells }, (_, cell) => {
    const part = finite.slice(
      Math.floor((cell * finite.length) / cells),
      Math.floor(((cell + 1) * finite.length) / cells),
    )
    return part.reduce((sum, value) => sum + value, 0) / part.length
  })
  const [low, high] = [Math.min(...means), Math.max(...means)]
  const level = (value: number) => (high > low ? Math.round(((value - low) / (high - low)) * (BARS.length - 1)) : 0)
  return means.map((value) => BARS[level(value)]).join('')
}
