import { cell, type Section } from '../document.ts'
import { formatNumber, formatShare } from '../format.ts'
import type { ReportInput, RewardFacts } from '../input.ts'

const EXACT = 'Exact match: a prediction earns 1 where it is the next state to the word, and 0 otherwise.'
const ROUGE =
  'ROUGE-L, rounded to fifths: a prediction earns the share of words that it has in common with the next state, in their order.'
const JUDGE =
  'A chat model as judge: it is shown the prediction and what really followed, and scores them. Judges are known to be pleased by vague predictions: see rwml diagnose.'
const TOOLS = `${ROUGE} Where the next state is JSON and the prediction is not, it earns 0.`

/** Which reward trained the world model, and whether it can be trusted. */
export function rewardSection({ reward, rewardKind }: ReportInput): Section {
  const section = (...blocks: Section['blocks']): Section => ({ id: 'reward', title: 'The world-model reward', blocks })
  const said = (text: string) => ({ block: 'paragraph' as const, content: [text] })
  // Of a hybrid only its side of words is calibrated, and only where somebody spoke.
  const tools = rewardKind === 'hybrid' ? [said(`What tools return: ${TOOLS}`)] : []
  if (reward) return section(...calibrated(reward), ...tools)
  if (rewardKind === 'exact') return section(said(EXACT))
  if (rewardKind === 'rouge') return section(said(ROUGE))
  if (rewardKind === 'judge') return section(said(JUDGE))
  if (rewardKind === 'hybrid') return section(...tools, said('Nobody but tools answers in this run.'))
  return section(said('This run has no world-model reward.'))
}

function calibrated({ embedder, semantic, why, threshold, precision, recall }: RewardFacts): Section['blocks'] {
  const nature = semantic
    ? 'It compares meaning, as the paper’s does.'
    : 'It compares words, not meaning: a paraphrase earns nothing.'
  return [
    { block: 'paragraph', content: ['Embedder ', { code: embedder }, `. ${nature} ${why}`] },
    {
      block: 'table',
      columns: [
        { title: 'Threshold τ (distance below it is rewarded)', align: 'left' },
        { title: 'precision', align: 'right' },
        { title: 'recall', align: 'right' },
      ],
      rows: [
        [
          cell(formatNumber(threshold)),
          {
            text: formatShare(precision),
            below: 'of pairs called equal that are, on pairs not calibrated on',
          },
          { text: formatShare(recall), below: 'of equal states told differently, found' },
        ],
      ],
    },
  ]
}
