import type { ArmResult } from '../../evaluation/index.ts'
import { barChart } from '../charts/barChart.ts'
import { colourOf } from '../charts/palette.ts'
import { cell, type Figure, type Section } from '../document.ts'
import { formatShare } from '../format.ts'
import type { ReportInput } from '../input.ts'
import { hasSuccess } from '../measures.ts'

type Count = { solved: number; episodes: number }

/** Success by kind of task, all splits together; none where the environment gives no reward. */
export function taskKindsSection(input: ReportInput): Section | null {
  if (input.evaluation && !hasSuccess(input.evaluation) && input.players.length === 0) return null
  const title = 'Task success by kind'
  const arms = [...(input.evaluation?.arms ?? []), ...input.players]
  const counts = arms.map(countKinds)
  const kinds = [...new Set(counts.flatMap((count) => [...count.keys()]))]
  if (kinds.length === 0) {
    return { id: 'kinds', title, blocks: [{ block: 'paragraph', content: ['Not measured.'] }] }
  }
  const share = (count: Count | undefined) => (count && count.episodes > 0 ? count.solved / count.episodes : null)
  const highest = Math.max(0.05, ...counts.flatMap((count) => [...count.values()].map((one) => share(one) ?? 0)))
  const detail = (count: Count | undefined) => (count ? `${count.solved} of ${count.episodes}` : '')
  const figures: Figure[] = kinds.map((kind) => ({
    title: kind.replaceAll('_', ' '),
    drawing: barChart({
      label: `Success, ${kind}`,
      width: 510,
      names: 150,
      high: highest,
      bars: arms.map((arm, index) => {
        const count = counts[index].get(kind)
        return { name: arm.arm, colour: colourOf(index), value: share(count), detail: detail(count) }
      }),
    }),
  }))
  return {
    id: 'kinds',
    title,
    blocks: [
      {
        block: 'figures',
        perRow: 2,
        figures,
        text: [
          {
            block: 'table',
            columns: [
              { title: 'Kind', align: 'left' },
              ...arms.map((arm) => ({ title: arm.arm, align: 'right' as const })),
            ],
            rows: kinds.map((kind) => [
              cell(kind),
              ...counts.map((count) => ({ text: formatShare(share(count.get(kind))), below: detail(count.get(kind)) })),
            ]),
          },
        ],
      },
      {
        block: 'note',
        content: ['Episodes of all evaluation runs and splits; the bars of all kinds share one scale.'],
      },
    ],
  }
}

function countKinds(arm: ArmResult): Map<string, Count> {
  const counts = new Map<string, Count>()
  for (const [kind, { solved, episodes }] of arm.policy.flatMap((result) => Object.entries(result.byKind))) {
    const before = counts.get(kind) ?? { solved: 0, episodes: 0 }
    counts.set(kind, { solved: before.solved + solved, episodes: before.episodes + episodes })
  }
  return counts
}
