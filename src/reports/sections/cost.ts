import { armCosts } from '../../evaluation/index.ts'
import { BASE } from '../../stages/index.ts'
import { stageColour } from '../charts/palette.ts'
import { shareBar } from '../charts/shareBar.ts'
import { type Block, type Cell, cell, left, right, type Section } from '../document.ts'
import { formatDifference, formatLarge, formatNumber, formatSeconds, formatShare } from '../format.ts'
import type { ReportInput, StageFacts } from '../input.ts'
import { changeOf, measuresOf } from '../measures.ts'

/** Seconds, tokens and operations by stage and by arm, and what they bought. */
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
  const tokens = (key: Counted) => {
    const known = stages.flatMap((stage) => stage[key] ?? [])
    return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0)
  }
  const counted = tokens('flops') !== null
  const operations = operationsOf(stages)
  const total: Cell[] = [
    cell('All', 'strong'),
    cell(formatSeconds(seconds), 'strong'),
    cell(''),
    cell(formatLarge(tokens('tokensSampled')), 'strong'),
    cell(formatLarge(tokens('tokensTrained')), 'strong'),
    ...(counted
      ? [cell(formatLarge(tokens('tokensRead')), 'strong'), cell(formatFlops(tokens('flops'), operations), 'strong')]
      : []),
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
        ...(counted ? [right('tokens read'), right(operations.unit)] : []),
      ],
      rows: [...stages.map((stage) => stageRow(stage, seconds, counted ? operations : null)), total],
    },
    ...armBlocks(input),
  ]
  const notes = stages.flatMap((stage) => stage.notes.map((note) => [{ strong: stage.title }, `: ${note}`]))
  if (notes.length > 0) blocks.push({ block: 'list', items: notes })
  return { id: 'cost', title: 'Cost', blocks }
}

type Counted = 'tokensSampled' | 'tokensTrained' | 'tokensRead' | 'flops'

/** Operations in a unit that suits the whole run: a small model takes billions, a large one more than 10¹⁸. */
interface Operations {
  unit: string
  size: number
}

function operationsOf(stages: readonly StageFacts[]): Operations {
  const total = stages.reduce((sum, { flops = 0 }) => sum + flops, 0)
  if (total >= 1e15) return { unit: 'PFLOP', size: 1e15 }
  return total >= 1e12 ? { unit: 'TFLOP', size: 1e12 } : { unit: 'GFLOP', size: 1e9 }
}

const formatFlops = (flops: number | null, { size }: Operations) => formatNumber(flops === null ? null : flops / size)

/** What every trained model took with all that it rests on, and the success that it bought. */
function armBlocks({ stages, evaluation }: ReportInput): Block[] {
  const costs = armCosts(stages, BASE)
  const operations = operationsOf(stages)
  if (costs.length === 0) return []
  const success = evaluation && measuresOf(evaluation).find(({ id }) => id === 'success')
  const gainOf = (arm: string) => {
    const at = evaluation?.arms.findIndex((one) => one.arm === arm) ?? -1
    return success && at > 0 ? (changeOf(success, 0, at)?.difference ?? null) : null
  }
  const per = (gain: number | null, amount: number | null) =>
    gain === null || !amount ? cell('–', 'quiet') : cell(formatNumber((100 * gain) / amount))
  const elsewhere = costs.filter((one) => one.elsewhere !== null)
  return [
    {
      block: 'table',
      columns: [
        left('Arm'),
        right('time'),
        right(operations.unit),
        right('success gained'),
        right(`a ${operations.unit}`, 'points gained'),
        right('an hour', 'points gained'),
      ],
      rows: costs.map((one) => {
        const gain = gainOf(one.arm)
        return [
          { text: one.arm, below: one.stages.join(', ') },
          cell(formatSeconds(one.seconds)),
          one.flops === null ? cell('–', 'quiet') : cell(formatFlops(one.flops, operations)),
          gain === null ? cell('–', 'quiet') : cell(formatDifference(gain, 'share')),
          per(gain, one.flops === null ? null : one.flops / operations.size),
          per(gain, one.seconds / 3600),
        ]
      }),
    },
    {
      block: 'note',
      content: [
        'An arm pays for every stage that it rests on; one that several share counts in full for each. Operations: 2 a weight and token forward, 6 in training (4 of frozen weights beside an adapter), attention and what is computed twice besides. Points of success are over the model the run started from, on all tasks.',
        ...elsewhere.map(({ arm, elsewhere }) => ` ${arm} starts from ${elsewhere}, whose own cost is not in here.`),
      ],
    },
  ]
}

function stageRow(stage: StageFacts, total: number, operations: Operations | null): Cell[] {
  const tokens = (count: number | undefined) => (count === undefined ? cell('–', 'quiet') : cell(formatLarge(count)))
  return [
    cell(stage.title),
    cell(formatSeconds(stage.seconds)),
    cell(total > 0 ? formatShare(stage.seconds / total, 0) : '–'),
    tokens(stage.tokensSampled),
    tokens(stage.tokensTrained),
    ...(operations
      ? [
          tokens(stage.tokensRead),
          stage.flops === undefined ? cell('–', 'quiet') : cell(formatFlops(stage.flops, operations)),
        ]
      : []),
  ]
}
