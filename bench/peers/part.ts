import type { Row } from '../row.ts'
import type { Samples } from './result-file.ts'
import type { Peer, Setup } from './setup.ts'
import type { Sizes } from './sizes.ts'

/** One measurement: what is kept of it, and not done again. */
export interface CellPlan {
  key: string
  /** Peers that take part where they are installed. */
  peers: readonly Peer[]
  measure(setup: Setup): Promise<{ samples: Samples; about: object }>
}

/** A part of the bench, named by its letter. */
export interface Part {
  title: string
  cells(setup: Setup): CellPlan[]
  /** The rows of its table, from what is kept; what is not measured is left out. */
  rows(samples: (key: string) => Samples | undefined, sizes: Sizes): Row[]
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Median of a side's figure; undefined where it was not measured. */
export function figureOf(samples: Samples | undefined, side: string, figure: string): number | undefined {
  const values = samples?.[side]?.[figure]
  return values?.length ? median(values) : undefined
}

/** A row where there is a value. */
export function row(name: string, value: number | undefined, unit: string, target?: string): Row[] {
  return value === undefined ? [] : [{ name, value, unit, target }]
}

export function ratio(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b
}

export const seconds = (milliseconds: number | undefined): number | undefined =>
  milliseconds === undefined ? undefined : milliseconds / 1000
export const gibibytes = (bytes: number | undefined): number | undefined =>
  bytes === undefined ? undefined : bytes / 2 ** 30
