/** A linear axis: from values to pixels, with round tick values. */
export interface Scale {
  (value: number): number
  readonly low: number
  readonly high: number
  readonly ticks: number[]
}

/** Beyond this a number is a mistake, and arithmetic on it would overflow. */
const LARGEST = 1e100

/** Whether a chart can show the number; NaN, infinities and absurdly large ones are left out of drawings. */
export function isDrawable(value: number | null | undefined): value is number {
  return typeof value === 'number' && Math.abs(value) <= LARGEST
}

/**
 * An axis that covers `values` (those not drawable are ignored) and runs from pixel `from` to pixel `to`, with about
 * `count` ticks at round numbers. `low` and `high` fix an end; a range of zero width is widened.
 */
export function linearScale(
  values: readonly number[],
  [from, to]: readonly [number, number],
  options: { low?: number; high?: number; count?: number; whole?: boolean } = {},
): Scale {
  const shown = values.filter(isDrawable)
  let low = options.low ?? shown.reduce((a, b) => Math.min(a, b), shown[0] ?? 0)
  let high = options.high ?? shown.reduce((a, b) => Math.max(a, b), shown[0] ?? 1)
  const size = Math.max(Math.abs(low), Math.abs(high))
  if (!(high - low > size * 1e-9 + 1e-100)) {
    const room = size > 1e-100 ? size * 0.1 : 1
    if (options.low === undefined && size > 1e-100) low -= room
    high = Math.max(low, high) + room
  }
  const count = options.count ?? 4
  const rough = (high - low) / count
  const step = options.whole ? Math.max(1, roundStep(rough)) : roundStep(rough)
  if (options.low === undefined) low = Math.floor(low / step) * step
  if (options.high === undefined) high = Math.ceil(high / step - 1e-9) * step
  const ticks: number[] = []
  for (let tick = Math.ceil(low / step - 1e-9); tick * step <= high + step * 1e-9 && ticks.length < 20; tick++) {
    ticks.push(tick === 0 ? 0 : Number((tick * step).toPrecision(12)))
  }
  const scale = (value: number) => from + ((value - low) / (high - low)) * (to - from)
  return Object.assign(scale, { low, high, ticks })
}

/** 1, 2 or 5 times a power of ten, at least `rough`. */
function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough))
  const lead = rough / power
  return power * (lead <= 1.0001 ? 1 : lead <= 2.0001 ? 2 : lead <= 5.0001 ? 5 : 10)
}
