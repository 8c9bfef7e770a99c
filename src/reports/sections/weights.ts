import { type Block, type Figure, left, right, type Section } from '../document.ts'
import { formatNumber, formatShare, NOT_MEASURED } from '../format.ts'
import type { ReportInput } from '../input.ts'
import { highestOf, MAP_TITLES, type MapOf, weightMap } from '../weightMap.ts'

/** Of a drawing that shares a row with another, in pixels. */
const WIDTH = 510

/** What training moved: each stage beside the model it started from; none where that was not measured. */
export function weightsSection({ weightChanges, stages }: ReportInput): Section | null {
  if (weightChanges.length === 0) return null
  const titleOf = (stage: string) => stages.find(({ name }) => name === stage)?.arms?.at(-1) ?? stage
  const named = weightChanges.map(({ from, to, change }) => ({ name: `${titleOf(from)} → ${titleOf(to)}`, change }))
  const { thresholds } = named[0].change
  const byThreshold: Block = {
    block: 'table',
    columns: [
      left('From → to'),
      ...thresholds.map((threshold) => right(String(threshold), 'share with |Δw|/|w| above')),
      right('‖Δw‖ / ‖w‖'),
      right('largest |Δw|'),
    ],
    rows: named.map(({ name, change: { all } }) => [
      { text: name },
      ...all.moved.map((share) => ({ text: formatShare(share) })),
      { text: formatShare(all.relativeNorm, 2) },
      { text: formatNumber(all.largest) },
    ]),
  }
  const byModule: Block = {
    block: 'table',
    columns: [left(MAP_TITLES.norm), ...named[0].change.modules.map(({ module }) => right(module))],
    rows: named.map(({ name, change }) => [
      { text: name },
      ...change.modules.map(({ relativeNorm }) => ({
        text: relativeNorm === null ? NOT_MEASURED : formatShare(relativeNorm, 2),
      })),
    ]),
  }
  const all = named.map(({ change }) => change)
  const highest = { moved: highestOf(all, 'moved'), norm: highestOf(all, 'norm') }
  const figures = named.flatMap(({ name, change }) =>
    (['moved', 'norm'] as const).map(
      (of: MapOf): Figure => ({
        title: name,
        caption: MAP_TITLES[of],
        drawing: weightMap(change, of, WIDTH, highest[of]),
      }),
    ),
  )
  return {
    id: 'weights',
    title: 'How far the weights moved',
    blocks: [
      byThreshold,
      { block: 'figures', perRow: 2, figures, text: [byModule] },
      {
        block: 'note',
        content: [
          'Each training stage beside the model it started from; maps of one sort share one scale. A weight that was 0 has moved if it is not any more. Where the model that a stage began with was stored as bf16, one step of its numbers is 0.4 to 0.8% of a weight.',
        ],
      },
    ],
  }
}
