import { stageColour } from '../charts/palette.ts'
import { shareBar } from '../charts/shareBar.ts'
import { type Block, type Cell, cell, type Section } from '../document.ts'
import { formatLarge, formatSeconds, formatShare } from '../format.ts'
import type { ReportInput, StageFacts } from '../input.ts'

/** Seconds and tokens by stage. */
export function costSection(input: ReportInput): Section {
  const { stages } = input
  if (stages.length === 0) {
    return {
      id: 'cost',
      title: 'Cost',
      blocks: [{ block: 'paragraph', content: ['Not measured: no stage has finished.'] }],
    }
  }
  const seconds = stages.reduce((sum, stage) => sum + stage.seconds, 0)
  const tokens = (key: 'tokensSampled' | 'tokensTrained') => {
    const known = stages.flatMap((stage) => stage[key] ?? [])
    return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0)
  }
  const total: Cell[] = [
    cell('All', 'strong'),
    cell(formatSeconds(seconds), 'strong'),
    cell(''),
    cell(formatLarge(tokens('tokensSampled')), 'strong'),
    cell(formatLarge(tokens('tokensTrained')), 'strong'),
  ]
  const blocks: Block[] = [
    {
      block: 'figures',
      perRow: 1,
      figures: [
        {
          title: `${formatSeconds(seconds)} by stage`,
          drawing: shareBar({
            label: 'Share of seconds by stage',
            width: 1040,
            parts: stages.map((stage) => ({
              name: stage.title,
              colour: stageColour(stage.name),
              value: stage.seconds,
            })),
          }),
        },
      ],
      text: [],
    },
    {
      block: 'table',
      columns: [
        { title: 'Stage', align: 'left' },
        { title: 'time', align: 'right' },
        { title: 'share', align: 'right' },
        { title: 'tokens sampled', align: 'right' },
        { title: 'tokens trained', align: 'right' },
      ],
      rows: [...stages.map((stage) => stageRow(stage, seconds)), total],
    },
  ]
  const notes = stages.flatMap((stage) => stage.notes.map((note) => [{ strong: stage.title }, `: ${note}`]))
  if (notes.length > 0) blocks.push({ block: 'list', items: notes })
  return { id: 'cost', title: 'Cost', blocks }
}

function stageRow(stage: StageFacts, total: number): Cell[] {
  const tokens = (count: number | undefined) => (count === undefined ? cell('–', 'quiet') : cell(formatLarge(count)))
  return [
    cell(stage.title),
    cell(formatSeconds(stage.seconds)),
    cell(total > 0 ? formatShare(stage.seconds / total, 0) : '–'),
    tokens(stage.tokensSampled),
    tokens(stage.tokensTrained),
  ]
}
