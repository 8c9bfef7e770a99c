/** e. Time and memory as contexts and groups grow; drawn, and not judged. */
import { groupAlone } from './group.ts'
import { type CellPlan, gibibytes, type Part, row, seconds } from './part.ts'
import type { Samples } from './result-file.ts'
import type { Sizes } from './sizes.ts'
import { stepAlone } from './step.ts'

export const SIDES = ['ours', 'PyTorch f32'] as const

export const contextKey = (length: number): string => `e/context/${length}`
export const groupKey = (size: number): string => `e/group/${size}`

/** Answers that PyTorch computes at once: more do not fit. */
const WIDEST = 8

/** Of a side's few rounds the fastest: in the first, memory may still grow. */
export function fastest(samples: Samples | undefined, side: string, figure: string): number | undefined {
  const values = samples?.[side]?.[figure]
  return values?.length ? Math.min(...values) : undefined
}

export function largestPeak(samples: Samples | undefined, side: string): number | undefined {
  const values = samples?.[side]?.peakBytes
  return values && gibibytes(Math.max(...values))
}

export const scaling: Part = {
  title: 'Against context and group size',
  cells: (setup): CellPlan[] => [
    ...setup.sizes.contexts.map(
      (length): CellPlan => ({
        key: contextKey(length),
        peers: ['PyTorch'],
        measure: () => stepAlone(setup, length),
      }),
    ),
    ...setup.sizes.groups.map(
      (size): CellPlan => ({
        key: groupKey(size),
        peers: ['PyTorch'],
        measure: () => groupAlone(setup, size, WIDEST),
      }),
    ),
  ],
  rows: (samples, { contexts, groups }: Sizes) => {
    const lines = (name: string, cell: Samples | undefined, figure: string) =>
      SIDES.flatMap((side) => [
        ...row(`${name}, ${side}`, seconds(fastest(cell, side, figure)), 's'),
        ...row(`${name}, ${side}, peak memory`, largestPeak(cell, side), 'GiB'),
      ])
    return [
      ...contexts.flatMap((length) => lines(`step on ${length} tokens`, samples(contextKey(length)), 'totalMs')),
      ...groups.flatMap((size) => lines(`gradient of a group of ${size}`, samples(groupKey(size)), 'gradientMs')),
    ]
  },
}
