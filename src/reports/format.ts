/** Numbers as text. A missing number is said in words, never drawn as 0. */
import type { Interval } from '../core/index.ts'

export const NOT_MEASURED = 'not measured'

/** How a quantity is written: a share in [0, 1] as percent, steps to one decimal, or a plain number. */
export type Unit = 'share' | 'steps' | 'number'

export function formatShare(value: number | null | undefined, digits = 1): string {
  return isNumber(value) ? `${(value * 100).toFixed(digits)}%` : NOT_MEASURED
}

export function formatValue(value: number | null | undefined, unit: Unit): string {
  if (!isNumber(value)) return NOT_MEASURED
  if (unit === 'steps') return value.toFixed(1).replace('-', '−')
  return unit === 'share' ? formatShare(value) : formatNumber(value)
}

/** `12.5% to 18.0%`, without the unit repeated. */
export function formatInterval({ low, high }: Interval, unit: Unit): string {
  const text = (value: number) => formatValue(value, unit).replace('%', '').replace('-', '−')
  return `${text(low)} to ${text(high)}`
}

/** A difference with its sign: `+14.5 points`, `−2.3`. */
export function formatDifference(value: number, unit: Unit): string {
  const size = formatValue(Math.abs(value), unit).replace('%', '')
  const sign = Number(size) === 0 ? '±' : value > 0 ? '+' : '−'
  return `${sign}${size}${unit === 'share' ? ' points' : ''}`
}

/** A plain number in a few characters: three significant digits, powers of ten only for the very small and very large. */
export function formatNumber(value: number | null | undefined): string {
  if (!isNumber(value)) return NOT_MEASURED
  const size = Math.abs(value)
  if (size === 0) return '0'
  const exponential = size < 1e-3 || size >= 1e15
  const rounded = size >= 100 ? String(Math.round(size)) : String(Number(size.toPrecision(3)))
  const text = exponential ? size.toExponential(1).replace('.0e', 'e').replace('e+', 'e') : rounded
  return value < 0 ? `−${text}` : text
}

/** Whole counts with thin spaces between thousands. */
export function formatCount(value: number | null | undefined): string {
  if (!isNumber(value)) return NOT_MEASURED
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, '\u202f')
}

/** `1.31 M`, `310 k`. */
export function formatLarge(value: number | null | undefined): string {
  if (!isNumber(value)) return NOT_MEASURED
  for (const [size, suffix] of [
    [1e12, 'T'],
    [1e9, 'B'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const) {
    if (Math.abs(value) >= size) return `${Number((value / size).toPrecision(3))} ${suffix}`
  }
  return formatNumber(value)
}

export function formatSeconds(seconds: number | null | undefined): string {
  if (!isNumber(seconds)) return NOT_MEASURED
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.round((whole % 3600) / 60)} min`
}

/** Bytes as GiB. */
export function formatMemory(bytes: number): string {
  return `${Number((bytes / 2 ** 30).toPrecision(3))} GiB`
}

/** `1 task`, `2 tasks`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

function isNumber(value: number | null | undefined): value is number {
  return value !== null && value !== undefined && Number.isFinite(value)
}
