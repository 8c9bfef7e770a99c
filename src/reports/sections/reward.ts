import { cell, type Section } from '../document.ts'
import { formatNumber, formatShare } from '../format.ts'
import type { ReportInput } from '../input.ts'

/** Which reward trained the world model, and whether it can be trusted. */
export function rewardSection(input: ReportInput): Section {
  const { reward } = input
  const title = 'The world-model reward'
  if (!reward) {
    return { id: 'reward', title, blocks: [{ block: 'paragraph', content: ['This run has no world-model reward.'] }] }
  }
  const nature = reward.semantic
    ? 'It compares meaning, as the paper’s does.'
    : 'It compares words, not meaning: a paraphrase earns nothing.'
  return {
    id: 'reward',
    title,
    blocks: [
      { block: 'paragraph', content: ['Embedder ', { code: reward.embedder }, `. ${nature} ${reward.why}`] },
      {
        block: 'table',
        columns: [
          { title: 'Threshold τ (distance below it is rewarded)', align: 'left' },
          { title: 'precision', align: 'right' },
          { title: 'recall', align: 'right' },
        ],
        rows: [
          [
            cell(formatNumber(reward.threshold)),
            {
              text: formatShare(reward.precision),
              below: 'of pairs called equal that are, on pairs not calibrated on',
            },
            { text: formatShare(reward.recall), below: 'of equal states told differently, found' },
          ],
        ],
      },
    ],
  }
}
