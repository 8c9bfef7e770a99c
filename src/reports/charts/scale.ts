/** A linear axis: from values to pixels, with round tick values. */
export interface Scale {
  (value: number): number
  readonly low: number
  readonly high: number
  readonly ticks: number[]
}

/**
 * An axis that covers `values` (non-finite ones are ignored) and runs from pixel `from` to pixel `to`, with about `count`
 * ticks at round numbers. `low` and `high` fix an end; a range of zero width is widened so that the axis has a length.
 */
export function linearScale(
  values: readonly number[],
  [from, to]: readonly [number, number],
  options: { low?: number; high?: number; count?: number; whole?: boolean } = {},
): Scale {
  const finite = values.filter(Number.isFinite)
  let low = options.low ?? (finite.length > 0 ? finite.reduce((a, b) => Math.min(a, b)) : 0)
  let high = options.high ?? (finite.length > 0 ? finite.reduce((a, b) => Math.max(a, b)) : 1)
  // Halves are subtracted before they are summed: the width of the widest axis must not overflow.
  if (!(high / 2 - low / 2 > Math.abs(high) * 1e-12)) {
    const room = Math.max(Math.abs(low) * 0.1, 1e-12)
    if (options.low === undefined) low -= low === 0 ? 0 : room
    high = low === 0 && high === 0 ? 1 : Math.max(high, low) + room
  }
  const count = options.count ?? 4
  const rough = high / count - low / count
  const step = options.whole ? Math.max(1, roundStep(rough)) : roundStep(rough)
  if (options.low === undefined) low = Math.floor(low / step) * step
  if (options.high === undefined) high = Math.ceil(high / step - 1e-9) * step
  const ticks: number[] = []
  for (let tick = Math.ceil(low / step - 1e-9); tick * step <= high + step * 1e-9 && ticks.length < 20; tick++) {
    ticks.push(tick === 0 ? 0 : Number((tick * step).toPrecision(12)))
  }
  const width = high / 2 - low / 2
  const scale = (value: number) => from + ((value / 2 - low / 2) / width) * (to - from)
  return Object.assign(scale, { low, high, ticks })
}

/** 1, 2 or 5 times a power of ten, at least `rough`. */
function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough))
  const lead = rough / power
  return power * (lead <= 1.0001 ? 1 : lead <= 2.0001 ? 2 : lead <= 5.0001 ? 5 : 10)
}
